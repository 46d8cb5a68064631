-- Refused in a copy, because the original database pays out the money.
CREATE OR REPLACE FUNCTION racing.withdraw(athlete_id bigint, amount_pence bigint, idempotency_key text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  journal_key text;
  wallet racing.wallet;
  earlier bigint;
  now timestamptz;
  new_journal bigint;
  new_posting bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  IF amount_pence IS NULL OR amount_pence NOT BETWEEN 1 AND 100000000 THEN
    PERFORM settled.fail('SD400', 'amount-pence', 'the amount must be between 1 and 100,000,000 pence');
  END IF;
  PERFORM settled.check_text(idempotency_key, 'idempotency-key', min => 1);
  SELECT w.* INTO wallet FROM racing.wallet AS w WHERE w.athlete_id = withdraw.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;

  journal_key := racing.app_journal_key(athlete_id, idempotency_key);
  earlier := racing.booked_before(journal_key, 'withdrawal', -amount_pence);
  IF earlier IS NOT NULL THEN
    RETURN racing.transaction_json(earlier) || '{"status": "pending"}';
  END IF;

  PERFORM settled.check_home();
  IF EXISTS (SELECT FROM settled.problem AS p WHERE p.name = 'withdrawals') THEN
    PERFORM settled.fail('SD503', 'withdrawals-stopped', 'withdrawals are currently stopped');
  END IF;
  IF wallet.receivable_pence > 0 THEN
    PERFORM settled.fail('SD409', 'receivable', 'the athlete owes money after a correction',
      jsonb_build_object('receivablePence', wallet.receivable_pence));
  ELSIF wallet.balance_pence < amount_pence THEN
    PERFORM settled.fail('SD402', 'funds', 'insufficient funds for this amount',
      jsonb_build_object('balancePence', wallet.balance_pence));
  END IF;
  now := settled.clock();
  PERFORM racing.check_rested(athlete_id, wallet.balance_pence, amount_pence, now);
  INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
    VALUES ('withdrawal', journal_key, 'Withdrawal', now)
    RETURNING id INTO new_journal;
  UPDATE racing.wallet AS w
    SET balance_pence = w.balance_pence - withdraw.amount_pence, pending_pence = w.pending_pence + withdraw.amount_pence
    WHERE w.athlete_id = withdraw.athlete_id;
  WITH written AS (
    INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
      VALUES (new_journal, 'wallet', withdraw.athlete_id, -withdraw.amount_pence,
          wallet.balance_pence - withdraw.amount_pence),
        (new_journal, 'pending', withdraw.athlete_id, withdraw.amount_pence, NULL)
      RETURNING id, account
  )
  SELECT w.id INTO new_posting FROM written AS w WHERE w.account = 'wallet';
  RETURN racing.transaction_json(new_posting);
END
$$;
COMMENT ON FUNCTION racing.withdraw(bigint, bigint, text) IS
$$Reserves money in an athlete's wallet for a payout by the app's payment provider. After the payout, call
racing.complete_withdrawal. If the payout fails, call racing.fail_withdrawal.
amount_pence (pence): 1 to 100,000,000.
idempotency_key: 1 to 10,000 characters, unique for each of the athlete's withdrawals.
Returns the transaction in the format of racing.transactions. A repeated call returns the first response.
Refuses: SD400 amount-pence, athlete-id, idempotency-key, isolation; SD402 funds, resting (the balance includes
    prizes that cannot be withdrawn yet; DETAIL has withdrawablePence and until); SD404 athlete; SD409 idempotency (the
    key was already used with a different amount), receivable (the athlete owes money); SD503 home (the database was
    copied or moved), withdrawals-stopped (an operator has stopped withdrawals).
Example: SELECT racing.withdraw(athlete_id => 1, amount_pence => 500, idempotency_key => 'payout-2')$$;

-- Ends a withdrawal once: it is either paid out, or failed and credited back, which repays a receivable first. SD503
-- `home` in a copy, because a copy cannot tell what its original has paid.
CREATE OR REPLACE FUNCTION racing.end_withdrawal(transaction_id bigint, status text, reason text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  withdrawal racing.posting;
  wallet racing.wallet;
  amount bigint;
  repaid bigint;
  earlier text;
  now timestamptz;
  new_journal bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_home();
  PERFORM settled.check_present(transaction_id, 'transaction-id');
  SELECT p.* INTO withdrawal
    FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
    WHERE p.id = transaction_id AND p.account = 'wallet' AND j.kind = 'withdrawal' AND p.amount_pence < 0;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'withdrawal', 'there is no such withdrawal');
  END IF;
  SELECT w.* INTO wallet FROM racing.wallet AS w WHERE w.athlete_id = withdrawal.athlete_id FOR NO KEY UPDATE;
  SELECT e.status INTO earlier FROM racing.transaction_end AS e WHERE e.posting_id = withdrawal.id;
  IF FOUND AND earlier <> end_withdrawal.status THEN
    PERFORM settled.fail('SD409', 'status', format('the withdrawal is %s', earlier),
      jsonb_build_object('status', earlier));
  ELSIF earlier IS NULL THEN
    now := settled.clock();
    amount := -withdrawal.amount_pence;
    repaid := CASE end_withdrawal.status WHEN 'failed' THEN least(amount, wallet.receivable_pence) ELSE 0 END;
    INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
      VALUES ('withdrawal', format('withdrawal/%s/%s', withdrawal.id, end_withdrawal.status),
        CASE end_withdrawal.status WHEN 'failed' THEN 'Withdrawal returned: ' || end_withdrawal.reason
          ELSE 'Withdrawal paid out' END, now)
      RETURNING id INTO new_journal;
    INSERT INTO racing.transaction_end (posting_id, status, reason, ended_at, journal_id)
      VALUES (withdrawal.id, end_withdrawal.status, end_withdrawal.reason, now, new_journal);
    UPDATE racing.wallet AS w
      SET pending_pence = w.pending_pence - amount, receivable_pence = w.receivable_pence - repaid,
        balance_pence = w.balance_pence + CASE end_withdrawal.status WHEN 'failed' THEN amount - repaid ELSE 0 END
      WHERE w.athlete_id = withdrawal.athlete_id;
    INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
      SELECT new_journal, p.account, p.athlete, p.pence, p.balance
      FROM (VALUES
        ('pending', withdrawal.athlete_id, -amount, NULL::bigint, true),
        ('external', NULL, amount, NULL, end_withdrawal.status = 'completed'),
        ('receivable', withdrawal.athlete_id, repaid, NULL, repaid > 0),
        ('wallet', withdrawal.athlete_id, amount - repaid, wallet.balance_pence + amount - repaid,
          end_withdrawal.status = 'failed')) AS p (account, athlete, pence, balance, is_written)
      WHERE p.is_written;
  END IF;
  RETURN racing.transaction_json(withdrawal.id);
END
$$;

CREATE OR REPLACE FUNCTION racing.complete_withdrawal(transaction_id bigint)
RETURNS jsonb
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT racing.end_withdrawal(transaction_id, 'completed', NULL)
$$;
COMMENT ON FUNCTION racing.complete_withdrawal(bigint) IS
$$Records that a withdrawal has been paid out.
transaction_id: the id that racing.withdraw returned.
Returns the transaction in the format of racing.transactions. A repeated call returns the same response.
Refuses: SD400 isolation, transaction-id; SD404 withdrawal; SD409 status (the withdrawal has failed); SD503 home (the
    database was copied or moved).
Example: SELECT racing.complete_withdrawal(transaction_id => 3)$$;

CREATE OR REPLACE FUNCTION racing.fail_withdrawal(transaction_id bigint, reason text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_text(reason, 'reason', min => 1);
  RETURN racing.end_withdrawal(transaction_id, 'failed', reason);
END
$$;
COMMENT ON FUNCTION racing.fail_withdrawal(bigint, text) IS
$$Credits the wallet with the amount of a withdrawal that was not paid out. A receivable is repaid first.
transaction_id: the id that racing.withdraw returned.
reason: 1 to 10,000 characters, shown in the transaction's description.
Returns the transaction in the format of racing.transactions. A repeated call returns the same response.
Refuses: SD400 isolation, reason, transaction-id; SD404 withdrawal; SD409 status (the withdrawal was paid out);
    SD503 home (the database was copied or moved).
Example: SELECT racing.fail_withdrawal(transaction_id => 3, reason => 'account closed')$$;

SELECT settled.declare_callers('racing',
  contract => '{withdraw, complete_withdrawal, fail_withdrawal}',
  daemon => '{complete_withdrawal, fail_withdrawal}');
