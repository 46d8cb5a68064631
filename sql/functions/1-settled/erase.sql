-- Erasing a person: each module erases what it knows of one, and returns {"erased": {what: count}, "kept": [...]}. Ids
-- and the ledger are kept. Source: Engine.docc/Erasing.md.

-- What stands in the place of an erased name.
CREATE OR REPLACE FUNCTION settled.erased_name()
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT 'erased' $$;

-- Empties the audit's entries about these targets, reasons included, and the kept answers of those commands.
CREATE OR REPLACE FUNCTION settled.erase_audit(targets text[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  DELETE FROM settled.request AS r USING settled.audit AS l
    WHERE l.target = ANY (targets) AND r.uid = l.uid AND r.request_id = l.request_id;
  UPDATE settled.audit AS l SET before = 'null', after = 'null',
      reason = CASE WHEN l.reason IS NOT NULL THEN settled.erased_name() END
    WHERE l.target = ANY (targets);
END
$$;

-- Empties the payloads of the events of these topics and keys; returns how many. Readers find {"erased": true}.
CREATE OR REPLACE FUNCTION settled.erase_events(topics text[], keys text[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  numbered bigint;
  waiting bigint;
BEGIN
  UPDATE settled.event AS e SET payload = '{"erased": true}'
    WHERE e.topic = ANY (topics) AND e.key = ANY (keys) AND e.payload <> '{"erased": true}';
  GET DIAGNOSTICS numbered = ROW_COUNT;
  UPDATE settled.event_pending AS e SET payload = '{"erased": true}' WHERE e.topic = ANY (topics) AND e.key = ANY (keys);
  GET DIAGNOSTICS waiting = ROW_COUNT;
  RETURN numbered + waiting;
END
$$;
