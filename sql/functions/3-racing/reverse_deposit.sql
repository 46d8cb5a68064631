-- The wallet's part of the correction may be zero.
CREATE OR REPLACE FUNCTION racing.reverse_deposit(transaction_id bigint, reason text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  deposit racing.posting;
  wallet racing.wallet;
  taken bigint;
  now timestamptz;
  new_journal bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(transaction_id, 'transaction-id');
  PERFORM settled.check_text(reason, 'reason', min => 1);
  SELECT p.* INTO deposit
    FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
    WHERE p.id = transaction_id AND p.account = 'wallet' AND j.kind = 'deposit';
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'deposit', 'there is no such deposit');
  END IF;
  SELECT w.* INTO wallet FROM racing.wallet AS w WHERE w.athlete_id = deposit.athlete_id FOR NO KEY UPDATE;
  SELECT e.journal_id INTO new_journal FROM racing.transaction_end AS e WHERE e.posting_id = deposit.id;
  IF NOT FOUND THEN
    now := settled.clock();
    taken := least(deposit.amount_pence, wallet.balance_pence);
    INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
      VALUES ('correction', format('deposit/%s/reversed', deposit.id), 'Deposit charged back: ' || reason, now)
      RETURNING id INTO new_journal;
    INSERT INTO racing.transaction_end (posting_id, status, reason, ended_at, journal_id)
      VALUES (deposit.id, 'failed', reverse_deposit.reason, now, new_journal);
    UPDATE racing.wallet AS w
      SET balance_pence = w.balance_pence - taken,
        receivable_pence = w.receivable_pence + deposit.amount_pence - taken
      WHERE w.athlete_id = deposit.athlete_id;
    INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
      SELECT new_journal, p.account, p.athlete, p.pence, p.balance
      FROM (VALUES
        ('external', NULL::bigint, deposit.amount_pence, NULL::bigint),
        ('receivable', deposit.athlete_id, taken - deposit.amount_pence, NULL),
        ('wallet', deposit.athlete_id, -taken, wallet.balance_pence - taken)) AS p (account, athlete, pence, balance)
      WHERE p.account = 'wallet' OR p.pence <> 0;
  END IF;
  RETURN (
    SELECT racing.transaction_json(p.id) FROM racing.posting AS p
    WHERE p.journal_id = new_journal AND p.account = 'wallet');
END
$$;
COMMENT ON FUNCTION racing.reverse_deposit(bigint, text) IS
$$Removes a charged-back deposit from the wallet. Any shortfall becomes a receivable.
transaction_id: the id that racing.deposit returned.
reason: 1 to 10,000 characters, shown in the correction's description.
Returns the correction in the format of racing.transactions. A repeated call returns the same response.
Refuses: SD400 isolation, reason, transaction-id; SD404 deposit.
Example: SELECT racing.reverse_deposit(transaction_id => 2, reason => 'card stolen')$$;

SELECT settled.declare_callers('racing', contract => '{reverse_deposit}');
