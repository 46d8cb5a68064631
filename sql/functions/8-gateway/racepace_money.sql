-- Racepace: wallets. Source: Gateway.docc/Systems.md, "Racing".

-- The app's transaction of a wallet: the amount has no sign, the type shows the direction.
CREATE OR REPLACE FUNCTION gateway.transaction_shape(transaction jsonb, athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  pence numeric := (transaction ->> 'amountPence')::numeric;
BEGIN
  RETURN jsonb_build_object(
    'id', transaction ->> 'id', 'walletId', athlete_id::text,
    'type', CASE transaction ->> 'kind'
      WHEN 'entry_fee' THEN 'entryFee'
      WHEN 'correction' THEN CASE WHEN pence > 0 THEN 'prize' ELSE 'withdrawal' END
      -- The money that is given back of a withdrawal that failed; all of it may have gone to what the athlete owed.
      WHEN 'withdrawal' THEN CASE WHEN pence < 0 THEN 'withdrawal' ELSE 'refund' END
      ELSE transaction ->> 'kind' END,
    'exactType', transaction -> 'kind', 'amount', trim_scale(abs(pence) * 0.01),
    'description', transaction -> 'description', 'status', transaction -> 'status',
    'relatedRaceId', transaction ->> 'raceId', 'relatedEntryId', transaction ->> 'entryId',
    'createdAt', left(transaction ->> 'createdAt', 19) || 'Z');
END
$$;

-- POST wallets and GET wallets/:id: the wallet came with the athlete.
CREATE OR REPLACE FUNCTION gateway.racepace_wallet(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN gateway.wallet_shape(athlete_id);
END
$$;

-- GET wallets/:id/transactions, newest first.
CREATE OR REPLACE FUNCTION gateway.racepace_transactions(
  athlete_id bigint, before bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(gateway.transaction_shape(t.transaction, athlete_id) ORDER BY t.place), '[]')
    FROM jsonb_array_elements(racing.transactions(athlete_id, before, max)) WITH ORDINALITY AS t (transaction, place));
END
$$;

-- POST wallets/:id/deposit with {amount}. The key belongs to the wallet for good, whoever sends it.
CREATE OR REPLACE FUNCTION gateway.racepace_deposit(athlete_id bigint, body jsonb, idempotency_key text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(body, '{amount}', 'body');
  RETURN gateway.transaction_shape(
    racing.deposit(athlete_id, gateway.pence(body -> 'amount'), idempotency_key), athlete_id);
END
$$;

-- POST wallets/:id/withdraw with {amount}; the key as for a deposit.
CREATE OR REPLACE FUNCTION gateway.racepace_withdraw(athlete_id bigint, body jsonb, idempotency_key text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(body, '{amount}', 'body');
  RETURN gateway.transaction_shape(
    racing.withdraw(athlete_id, gateway.pence(body -> 'amount'), idempotency_key), athlete_id);
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{racepace_wallet, racepace_transactions, racepace_deposit, racepace_withdraw}');
