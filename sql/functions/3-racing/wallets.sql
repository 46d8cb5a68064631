-- updatedAt is the time of the latest transaction, or the athlete's creation time if there is none.
CREATE OR REPLACE FUNCTION racing.wallet(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  SELECT jsonb_build_object(
      'athleteId', w.athlete_id,
      'balancePence', w.balance_pence,
      'pendingWithdrawalPence', w.pending_pence,
      'receivablePence', w.receivable_pence,
      'withdrawablePence', w.balance_pence - rest.pence,
      'restingPence', rest.pence,
      'createdAt', settled.iso(a.created_at),
      'updatedAt', settled.iso(coalesce((
        SELECT j.occurred_at FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
        WHERE p.account = 'wallet' AND p.athlete_id = w.athlete_id ORDER BY p.id DESC LIMIT 1), a.created_at)))
    INTO shown FROM racing.wallet AS w JOIN racing.athlete AS a ON a.id = w.athlete_id
    CROSS JOIN LATERAL (SELECT racing.resting_pence(w.athlete_id, w.balance_pence, settled.clock()) AS pence) AS rest
    WHERE w.athlete_id = wallet.athlete_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  RETURN shown;
END
$$;
COMMENT ON FUNCTION racing.wallet(bigint) IS
$$Retrieves an athlete's wallet. Amounts are in pence.
Returns athleteId, balancePence, pendingWithdrawalPence, receivablePence, withdrawablePence, restingPence, createdAt and
    updatedAt. restingPence: prizes that cannot be withdrawn yet. receivablePence: the athlete's debt.
Refuses: SD400 athlete-id; SD404 athlete.
Example: SELECT racing.wallet(athlete_id => 1)$$;

-- The journal key for an app's key, scoped to the athlete. A long key would not fit in an index, so its digest is used
-- instead. The different prefix keeps it apart from every key that an app could choose.
CREATE OR REPLACE FUNCTION racing.app_journal_key(athlete_id bigint, idempotency_key text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN octet_length(idempotency_key) <= 1000 THEN format('athlete/%s/%s', athlete_id, idempotency_key)
    ELSE format('athlete-sha256/%s/%s', athlete_id, encode(sha256(convert_to(idempotency_key, 'UTF8')), 'hex')) END
$$;

-- The posting that an earlier call with this key made in the wallet. Null if the key is new. A call with different
-- content is refused. The caller has locked the wallet. The function is volatile so that it sees rows committed while
-- the caller waited for the lock.
CREATE OR REPLACE FUNCTION racing.booked_before(journal_key text, kind text, amount_pence bigint)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  earlier record;
BEGIN
  SELECT j.kind, p.id, p.amount_pence INTO earlier
    FROM racing.journal AS j
    LEFT JOIN racing.posting AS p ON p.journal_id = j.id AND p.account = 'wallet'
    WHERE j.idempotency_key = journal_key;
  IF FOUND AND (earlier.kind <> booked_before.kind
    OR earlier.amount_pence IS DISTINCT FROM booked_before.amount_pence)
  THEN
    PERFORM settled.fail('SD409', 'idempotency', 'this key was used with different content');
  END IF;
  RETURN earlier.id;
END
$$;

-- The wallet's lock serialises calls with the same key.
CREATE OR REPLACE FUNCTION racing.deposit(athlete_id bigint, amount_pence bigint, idempotency_key text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  journal_key text;
  balance bigint;
  earlier bigint;
  new_journal bigint;
  new_posting bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  IF amount_pence IS NULL OR amount_pence NOT BETWEEN 1 AND 100000000 THEN
    PERFORM settled.fail('SD400', 'amount-pence', 'the amount must be between 1 and 100,000,000 pence');
  END IF;
  PERFORM settled.check_text(idempotency_key, 'idempotency-key', min => 1);
  SELECT w.balance_pence INTO balance FROM racing.wallet AS w
    WHERE w.athlete_id = deposit.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;

  -- A repeated call returns the first response, even if the athlete or the balance has changed since.
  journal_key := racing.app_journal_key(athlete_id, idempotency_key);
  earlier := racing.booked_before(journal_key, 'deposit', amount_pence);
  IF earlier IS NOT NULL THEN
    RETURN racing.transaction_json(earlier) || '{"status": "completed"}';
  END IF;

  IF EXISTS (SELECT FROM racing.athlete AS a WHERE a.id = deposit.athlete_id AND a.erased_at IS NOT NULL) THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  ELSIF (SELECT a.user_type FROM racing.athlete AS a WHERE a.id = deposit.athlete_id) = 'spectator' THEN
    PERFORM settled.fail('SD403', 'spectator', 'spectators cannot make deposits');
  ELSIF balance > 1000000000000 - amount_pence THEN
    PERFORM settled.fail('SD409', 'wallet-limit', 'deposits cannot raise a balance above 10,000,000,000 pounds',
      jsonb_build_object('balancePence', balance));
  END IF;
  INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
    VALUES ('deposit', journal_key, 'Deposit', settled.clock())
    RETURNING id INTO new_journal;
  UPDATE racing.wallet AS w SET balance_pence = w.balance_pence + deposit.amount_pence
    WHERE w.athlete_id = deposit.athlete_id
    RETURNING w.balance_pence INTO balance;
  WITH written AS (
    INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
      VALUES (new_journal, 'external', NULL, -deposit.amount_pence, NULL),
        (new_journal, 'wallet', deposit.athlete_id, deposit.amount_pence, balance)
      RETURNING id, account
  )
  SELECT w.id INTO new_posting FROM written AS w WHERE w.account = 'wallet';
  RETURN racing.transaction_json(new_posting);
END
$$;
COMMENT ON FUNCTION racing.deposit(bigint, bigint, text) IS
$$Credits an athlete's wallet with a payment that the app's payment provider has received.
amount_pence (pence): 1 to 100,000,000.
idempotency_key: 1 to 10,000 characters, unique for each of the athlete's payments.
Returns the transaction in the format of racing.transactions. A repeated call returns the first response.
Refuses: SD400 amount-pence, athlete-id, idempotency-key, isolation; SD403 spectator; SD404 athlete;
    SD409 erased, idempotency (the key was already used with a different amount), wallet-limit (10,000,000,000 pounds).
Example: SELECT racing.deposit(athlete_id => 1, amount_pence => 2500, idempotency_key => 'payment-2')$$;

SELECT settled.declare_callers('racing', contract => '{deposit, wallet}');
