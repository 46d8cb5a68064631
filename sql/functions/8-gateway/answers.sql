-- Requests with an Idempotency-Key: the same again is answered as the first time, for
-- 30 days of real time. A caller runs
--   coalesce(gateway.earlier_answer(scope, key, fingerprint), gateway.keep_answer(scope, key, fingerprint, CALL))
-- in one transaction: where it fails, nothing is left, and the next one with the key begins anew. The first word of a
-- scope is its caller: of each about 10,000 are kept, the latest, because nobody is to fill the disk with new keys.
-- Source: Gateway.docc/IdempotencyKeys.md.

-- One digest for scope and key, whatever characters they have.
CREATE OR REPLACE FUNCTION gateway.answer_digest(scope text, key text)
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN sha256(convert_to(octet_length(scope) || ' ' || scope || key, 'UTF8'));
END
$$;

-- The answer that was kept for this key; null where the key is new, or too old. From then on it is this transaction's,
-- and whoever comes with it waits for the end. SD409 `idempotency-key`: it was used for another request.
CREATE OR REPLACE FUNCTION gateway.earlier_answer(scope text, key text, fingerprint text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kept constant interval := interval '30 days';
  its_caller text := split_part(scope, ' ', 1);
  its_digest bytea;
  earlier gateway.answer;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(scope, 'scope', min => 1);
  PERFORM settled.check_text(its_caller, 'scope', max => 200, min => 1);
  PERFORM settled.check_text(key, 'idempotency-key', max => 255, min => 1);
  PERFORM settled.check_text(fingerprint, 'fingerprint', max => 200, min => 1);
  its_digest := gateway.answer_digest(scope, key);
  LOOP
    INSERT INTO gateway.answer AS a (digest, caller, fingerprint, at)
      VALUES (its_digest, its_caller, earlier_answer.fingerprint, clock_timestamp())
    ON CONFLICT ON CONSTRAINT answer_pkey DO NOTHING;
    EXIT WHEN FOUND;
    SELECT a.* INTO earlier FROM gateway.answer AS a WHERE a.digest = its_digest FOR NO KEY UPDATE;
    CONTINUE WHEN NOT FOUND;
    IF earlier.at < clock_timestamp() - kept THEN
      UPDATE gateway.answer AS a
        SET fingerprint = earlier_answer.fingerprint, answer = NULL, at = clock_timestamp() WHERE a.digest = its_digest;
      EXIT;
    ELSIF earlier.fingerprint <> earlier_answer.fingerprint THEN
      PERFORM settled.fail('SD409', 'idempotency-key', 'this key was used for another request');
    ELSE
      RETURN earlier.answer;
    END IF;
  END LOOP;
  -- A few that are too old go with each new one, so that the table does not grow.
  DELETE FROM gateway.answer AS a WHERE a.digest IN (
    SELECT x.digest FROM gateway.answer AS x WHERE x.at < clock_timestamp() - kept
    ORDER BY x.at LIMIT 10 FOR UPDATE SKIP LOCKED);
  -- Counting takes some time: one transaction of sixteen does it, and no caller says which.
  IF pg_current_xact_id()::text::numeric % 16 = 0 THEN
    DELETE FROM gateway.answer AS a WHERE a.digest IN (
      SELECT y.digest FROM gateway.answer AS y WHERE y.digest IN (
        SELECT x.digest FROM gateway.answer AS x WHERE x.caller = its_caller ORDER BY x.at DESC OFFSET 10000 LIMIT 100)
      FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN NULL;
END
$$;

-- Keeps the answer of this transaction's request, and returns it.
CREATE OR REPLACE FUNCTION gateway.keep_answer(scope text, key text, fingerprint text, answer jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(answer, 'answer');
  UPDATE gateway.answer AS a SET answer = keep_answer.answer
    WHERE a.digest = gateway.answer_digest(scope, key) AND a.fingerprint = keep_answer.fingerprint AND a.answer IS NULL;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD409', 'idempotency-key', 'this transaction has not asked for an earlier answer');
  END IF;
  RETURN answer;
END
$$;

SELECT settled.declare_callers('gateway', gateway => '{earlier_answer, keep_answer}');
