-- An athlete sees each wallet posting and its journal as a transaction. The transaction's id is the posting's id.
CREATE OR REPLACE FUNCTION racing.transaction_json(posting_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
      'id', p.id,
      'kind', j.kind,
      'amountPence', p.amount_pence,
      'balancePence', p.balance_pence,
      'status', CASE WHEN e.status IS NOT NULL THEN e.status
        WHEN j.kind = 'withdrawal' AND p.amount_pence < 0 THEN 'pending' ELSE 'completed' END,
      'raceId', j.race_id,
      'entryId', p.entry_id,
      'description', j.description,
      'createdAt', settled.iso(j.occurred_at))
    FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
    LEFT JOIN racing.transaction_end AS e ON e.posting_id = p.id
    WHERE p.id = transaction_json.posting_id AND p.account = 'wallet');
END
$$;

CREATE OR REPLACE FUNCTION racing.transactions(athlete_id bigint, before bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_page(max);
  IF NOT EXISTS (SELECT FROM racing.athlete AS a WHERE a.id = transactions.athlete_id) THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  RETURN (
    SELECT coalesce(jsonb_agg(racing.transaction_json(page.id) ORDER BY page.id DESC), '[]')
    FROM (
      SELECT p.id FROM racing.posting AS p
      WHERE p.account = 'wallet' AND p.athlete_id = transactions.athlete_id
        AND p.id < coalesce(before, 9223372036854775807)
      ORDER BY p.id DESC LIMIT max
    ) AS page);
END
$$;
COMMENT ON FUNCTION racing.transactions(bigint, bigint, integer) IS
$$Lists an athlete's wallet transactions, newest first.
before: the id of the last transaction on the previous page; null: start at the newest transaction.
max (transactions): 1 to 500.
Returns an array of objects with id, kind, amountPence, balancePence, status, raceId, entryId, description and
    createdAt. kind: deposit, withdrawal, entry_fee, prize, refund or correction. amountPence is negative for a debit.
    balancePence: the balance after the transaction. status: pending, completed or failed.
Refuses: SD400 athlete-id, max; SD404 athlete.
Example: SELECT racing.transactions(athlete_id => 1, max => 10)$$;

SELECT settled.declare_callers('racing', contract => '{transactions}');
