-- Requests with an Idempotency-Key header: a repeated request gets the first response, for 30 days by the wall clock.
-- A caller runs
--   coalesce(gateway.earlier_answer(scope, key, fingerprint), gateway.keep_answer(scope, key, fingerprint, CALL))
-- in one transaction. If the transaction fails, nothing is stored, and the next request with the key starts over. The
-- first word of a scope is its caller. About 10,000 of the latest responses are kept per caller, so that no caller can
-- fill the disk with new keys.
-- Source: Gateway.docc/IdempotencyKeys.md.

CREATE OR REPLACE FUNCTION gateway.answers_kept()
RETURNS interval
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT interval '30 days' $$;

-- A digest of the scope and the key, which can contain any characters.
CREATE OR REPLACE FUNCTION gateway.answer_digest(scope text, key text)
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN sha256(convert_to(octet_length(scope) || ' ' || scope || key, 'UTF8'));
END
$$;

-- The stored response for this key. Null if the key is new or too old; this transaction then owns the key, and other
-- requests with it wait until the transaction ends. fingerprint: of the request's text. value: the fingerprint of the
-- value that the request writes; a different text with the same value is the same request. persons: the people whom the
-- caller represents, as account:17 or checkin:uid; erasing any of them erases the response. SD409 `idempotency-key`:
-- the key was used for another request.
DROP FUNCTION IF EXISTS gateway.earlier_answer(text, text, text);
CREATE OR REPLACE FUNCTION gateway.earlier_answer(
  scope text, key text, fingerprint text, persons text[] DEFAULT '{}', value text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kept constant interval := gateway.answers_kept();
  its_caller text := split_part(scope, ' ', 1);
  its_digest bytea;
  earlier gateway.answer;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(scope, 'scope', min => 1);
  PERFORM settled.check_text(its_caller, 'scope', max => 200, min => 1);
  PERFORM settled.check_text(key, 'idempotency-key', max => 255, min => 1);
  PERFORM settled.check_text(fingerprint, 'fingerprint', max => 200, min => 1);
  IF value IS NOT NULL THEN
    PERFORM settled.check_text(value, 'value', max => 200, min => 1);
  END IF;
  IF persons IS NULL OR cardinality(persons) > 6 OR EXISTS (SELECT FROM unnest(persons) AS p (person)
    WHERE p.person IS NULL OR p.person !~ '^(account|athlete|runner|username|reader|checkin):.{1,200}$')
  THEN
    PERFORM settled.fail('SD400', 'persons', 'persons must list at most six people, each in the format account:17');
  END IF;
  INSERT INTO gateway.caller_person AS c (person, caller, seen_at)
    SELECT DISTINCT p.person, its_caller, clock_timestamp() FROM unnest(persons) AS p (person)
    WHERE NOT EXISTS (SELECT FROM gateway.caller_person AS x WHERE x.person = p.person AND x.caller = its_caller
      AND x.seen_at > clock_timestamp() - interval '1 day')
    ORDER BY p.person
  ON CONFLICT ON CONSTRAINT caller_person_pkey DO UPDATE SET seen_at = excluded.seen_at;
  -- Erasing a person waits for this request's response; the caller's other requests do not.
  PERFORM FROM gateway.caller_person AS c WHERE c.person = ANY (persons) AND c.caller = its_caller
    ORDER BY c.person FOR KEY SHARE;
  its_digest := gateway.answer_digest(scope, key);
  LOOP
    INSERT INTO gateway.answer AS a (digest, caller, fingerprint, value_fingerprint, at)
      VALUES (its_digest, its_caller, earlier_answer.fingerprint, value, clock_timestamp())
    ON CONFLICT ON CONSTRAINT answer_pkey DO NOTHING;
    EXIT WHEN FOUND;
    SELECT a.* INTO earlier FROM gateway.answer AS a WHERE a.digest = its_digest FOR NO KEY UPDATE;
    CONTINUE WHEN NOT FOUND;
    IF earlier.at < clock_timestamp() - kept THEN
      UPDATE gateway.answer AS a
        SET fingerprint = earlier_answer.fingerprint, value_fingerprint = value, answer = NULL, at = clock_timestamp()
        WHERE a.digest = its_digest;
      EXIT;
    ELSIF earlier.fingerprint <> earlier_answer.fingerprint AND (earlier.value_fingerprint = value) IS NOT TRUE THEN
      PERFORM settled.fail('SD409', 'idempotency-key', 'this key was used for another request');
    ELSE
      RETURN earlier.answer;
    END IF;
  END LOOP;
  -- Each new response deletes a few that are too old, so that the table does not grow.
  DELETE FROM gateway.answer AS a WHERE a.digest IN (
    SELECT x.digest FROM gateway.answer AS x WHERE x.at < clock_timestamp() - kept
    ORDER BY x.at LIMIT 10 FOR UPDATE SKIP LOCKED);
  -- Counting takes some time, so one in sixteen transactions does it. Callers cannot choose which.
  IF pg_current_xact_id()::text::numeric % 16 = 0 THEN
    DELETE FROM gateway.answer AS a WHERE a.digest IN (
      SELECT y.digest FROM gateway.answer AS y WHERE y.digest IN (
        SELECT x.digest FROM gateway.answer AS x WHERE x.caller = its_caller ORDER BY x.at DESC OFFSET 10000 LIMIT 100)
      FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN NULL;
END
$$;

-- Stores the response to this transaction's request, and returns it.
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
    PERFORM settled.fail('SD409', 'idempotency-key', 'this transaction has not checked for an earlier response');
  END IF;
  RETURN answer;
END
$$;

-- Deletes the stored responses of these people, given as account:17 or username:coach, and returns their number. Rows
-- of earlier releases have only the caller: the digest of a token's name, which is derived from the person for tokens
-- that the gateway issued.
CREATE OR REPLACE FUNCTION gateway.erase_answers(persons text[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number bigint;
  callers text[];
BEGIN
  -- First, because a request in progress locks its caller's row until its response is stored.
  WITH gone AS (
    DELETE FROM gateway.caller_person AS c WHERE c.person = ANY (persons) RETURNING c.caller
  )
  SELECT array_agg(g.caller) INTO callers FROM gone AS g;
  DELETE FROM gateway.answer AS a WHERE a.caller IN (
    SELECT unnest(callers)
    UNION ALL
    SELECT encode(sha256(convert_to('settled/' || p.person, 'UTF8')), 'hex') FROM unnest(persons) AS p (person));
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN number;
END
$$;

-- Deletes responses that are too old, 100,000 at a time, and callers without any. Returns the number of responses.
CREATE OR REPLACE FUNCTION gateway.prune_answers()
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number bigint;
BEGIN
  PERFORM settled.check_writer();
  DELETE FROM gateway.answer AS a WHERE a.digest IN (
    SELECT x.digest FROM gateway.answer AS x WHERE x.at < clock_timestamp() - gateway.answers_kept()
    ORDER BY x.at LIMIT 100000 FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS number = ROW_COUNT;
  -- A caller can store a response up to a day after seen_at.
  DELETE FROM gateway.caller_person AS c WHERE (c.person, c.caller) IN (
    SELECT x.person, x.caller FROM gateway.caller_person AS x
    WHERE x.seen_at < clock_timestamp() - gateway.answers_kept() - interval '2 days' LIMIT 100000 FOR UPDATE SKIP LOCKED);
  RETURN number;
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{earlier_answer, keep_answer}', daemon => '{prune_answers}', fixed => '{prune_answers}');
