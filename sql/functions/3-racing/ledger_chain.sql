-- The chain over the journals. What it proves: from the moment a journal is in the chain, neither it nor a
-- posting of it was changed, removed or added, and no journal was taken out or put elsewhere; by whomever,
-- with triggers or without. Who can rewrite the database can rewrite the chain, but not the heads that were
-- written to the system journal before.

-- The content of a journal for the chain: every column of it and of its postings, in the order of their ids. One
-- definition for the extension and for the check. Instants are microseconds, so that no setting of the session shows.
-- A marked double has the key that it was booked under, which is that of the journal before it.
CREATE OR REPLACE VIEW racing.journal_digest AS
  SELECT j.id AS journal_id, sha256(convert_to(json_build_array(
    j.id, j.kind, coalesce(d.idempotency_key, j.idempotency_key), j.race_id, j.description,
    (extract(epoch FROM j.occurred_at) * 1000000)::bigint, j.written_by::text,
    (SELECT json_agg(json_build_array(p.id, p.account, p.athlete_id, p.race_id, p.entry_id, p.amount_pence, p.balance_pence)
      ORDER BY p.id) FROM racing.posting AS p WHERE p.journal_id = j.id))::text, 'UTF8')) AS digest
  FROM racing.journal AS j LEFT JOIN racing.journal_double AS d ON d.journal_id = j.id
    AND j.idempotency_key = 'double/' || j.id AND d.idempotency_key =
      (SELECT first.idempotency_key FROM racing.journal AS first WHERE first.id = d.double_of);
COMMENT ON VIEW racing.journal_digest IS 'A digest of each journal and its postings, used by the hash chain.';
COMMENT ON COLUMN racing.journal_digest.journal_id IS 'The journal''s id.';
COMMENT ON COLUMN racing.journal_digest.digest IS 'The SHA-256 of the content.';

-- Puts at most max committed journals with an id above `above` that are not in the chain at its end, lowest
-- id first; returns how many, and the highest id of them. Who comes second waits for the lock, and its
-- statement starts after it: it sees what the first one left. A journal of a transaction that is still open
-- is invisible and gets a later position.
CREATE OR REPLACE FUNCTION racing.extend_chain(above bigint, max integer, OUT added integer, OUT last_journal bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  head racing.chain_head;
  journal record;
BEGIN
  PERFORM settled.check_writer();
  SELECT h.* INTO STRICT head FROM racing.chain_head AS h FOR NO KEY UPDATE;
  added := 0;
  last_journal := above;
  FOR journal IN
    SELECT d.journal_id, d.digest FROM racing.journal_digest AS d
    WHERE d.journal_id > above
      -- Asked journal by journal: a join would read the whole chain for each batch where statistics are old.
      AND (SELECT l.position FROM racing.chain_link AS l WHERE l.journal_id = d.journal_id) IS NULL
    ORDER BY d.journal_id LIMIT extend_chain.max
  LOOP
    head.position := head.position + 1;
    head.hash := sha256(head.hash || journal.digest);
    INSERT INTO racing.chain_link (position, journal_id, hash) VALUES (head.position, journal.journal_id, head.hash);
    added := added + 1;
    last_journal := journal.journal_id;
  END LOOP;
  UPDATE racing.chain_head AS h SET position = head.position, hash = head.hash,
    newest_journal = greatest(h.newest_journal, last_journal)
    WHERE added > 0;
END
$$;

-- The faults of the links behind position `after`, at most max of them: the journal that is not as it was, is gone, or
-- whose link is gone. At the chain's end also whether the head is the last link.
CREATE OR REPLACE FUNCTION racing.check_chain(after bigint, max integer)
RETURNS TABLE ("position" bigint, journal_id bigint, finding text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH head AS (
    SELECT h.position, h.hash FROM racing.chain_head AS h
  ), link AS (
    SELECT l.position, l.journal_id, l.hash FROM racing.chain_link AS l
    WHERE l.position BETWEEN check_chain.after AND check_chain.after + check_chain.max
  ), place AS (
    SELECT n AS position FROM head, generate_series(check_chain.after + 1, least(check_chain.after + check_chain.max,
      greatest(head.position, (SELECT max(l.position) FROM racing.chain_link AS l)))) AS n
  ), judged AS (
    SELECT p.position, l.journal_id,
      CASE
        WHEN l.position IS NULL THEN 'the link is missing'
        WHEN NOT EXISTS (SELECT FROM racing.journal AS j WHERE j.id = l.journal_id) THEN 'the journal is missing'
        WHEN p.position > 1 AND before.hash IS NULL THEN NULL
        WHEN l.hash <> sha256(coalesce(before.hash, '') ||
          (SELECT d.digest FROM racing.journal_digest AS d WHERE d.journal_id = l.journal_id))
        THEN 'the journal was altered'
      END AS finding
    FROM place AS p LEFT JOIN link AS l USING (position) LEFT JOIN link AS before ON before.position = p.position - 1
  )
  SELECT j.position, j.journal_id, j.finding FROM judged AS j WHERE j.finding IS NOT NULL
  UNION ALL
  SELECT head.position, l.journal_id, 'the chain head is not the last link'
  FROM head LEFT JOIN racing.chain_link AS l ON l.position = head.position
  WHERE (head.position BETWEEN check_chain.after + 1 AND check_chain.after + check_chain.max
      OR head.position = 0 AND check_chain.after = 0)
    AND (l.hash <> head.hash OR EXISTS (SELECT FROM racing.chain_link AS more WHERE more.position > head.position))
  ORDER BY 1, 3
$$;

SELECT settled.declare_callers('racing', daemon => '{extend_chain, check_chain}');
