-- Requests with an Idempotency-Key: the same again is answered as the first time, for
-- 30 days of real time. A caller runs
--   coalesce(gateway.earlier_answer(scope, key, fingerprint), gateway.keep_answer(scope, key, fingerprint, CALL))
-- in one transaction: where it fails, nothing is left, and the next one with the key starts over. The first word of a
-- scope is its caller: of each about 10,000 are kept, the latest, because nobody is to fill the disk with new keys.
-- Source: Gateway.docc/IdempotencyKeys.md.

CREATE OR REPLACE FUNCTION gateway.answers_kept()
RETURNS interval
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT interval '30 days' $$;

-- One digest for scope and key, with any characters.
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
-- and whoever comes with it waits for the end. fingerprint: of the request's text; value: of the value that it writes,
-- of which another text is the same request. persons: who the caller is, as account:17 or checkin:uid, so that the
-- answer is erased with any of them. SD409 `idempotency-key`: it was used for another request.
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
  -- An erasing waits for the answer of this request; other requests of the caller do not.
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
  -- A few that are too old go with each new one, so that the table does not grow.
  DELETE FROM gateway.answer AS a WHERE a.digest IN (
    SELECT x.digest FROM gateway.answer AS x WHERE x.at < clock_timestamp() - kept
    ORDER BY x.at LIMIT 10 FOR UPDATE SKIP LOCKED);
  -- Counting takes some time: one transaction of sixteen does it, and no caller chooses which.
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
    PERFORM settled.fail('SD409', 'idempotency-key', 'this transaction has not checked for an earlier response');
  END IF;
  RETURN answer;
END
$$;

-- Deletes the kept answers of these persons, as account:17 or username:coach; returns how many. What a former release
-- kept has the caller alone: the digest of a token's name, which an own token has from its person.
CREATE OR REPLACE FUNCTION gateway.erase_answers(persons text[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number bigint;
  callers text[];
BEGIN
  -- First, because a request under way locks the row of its caller until its answer is kept.
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

-- Deletes answers that are too old, 100,000 at a time, and callers that have none; returns how many answers.
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
  -- One that was seen may keep an answer up to a day later.
  DELETE FROM gateway.caller_person AS c WHERE (c.person, c.caller) IN (
    SELECT x.person, x.caller FROM gateway.caller_person AS x
    WHERE x.seen_at < clock_timestamp() - gateway.answers_kept() - interval '2 days' LIMIT 100000 FOR UPDATE SKIP LOCKED);
  RETURN number;
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{earlier_answer, keep_answer}', daemon => '{prune_answers}', fixed => '{prune_answers}');
