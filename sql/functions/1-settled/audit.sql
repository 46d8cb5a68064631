-- For tables that are only added to: nobody changes or removes a row, not even the owner, while the trigger stands.
CREATE OR REPLACE FUNCTION settled.refuse_change()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD409', 'append-only',
    format('rows of %I.%I cannot be changed', TG_TABLE_SCHEMA, TG_TABLE_NAME));
  RETURN NULL;
END
$$;

-- The audit of operators' commands is kept for ever. What stands in it of a person may be erased, and not replaced.
CREATE OR REPLACE TRIGGER append_only
  BEFORE UPDATE OF id, at, node, uid, gid, pid, command, target, request_id OR DELETE OR TRUNCATE
  ON settled.audit FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER erased_only BEFORE UPDATE OF before, after, reason ON settled.audit
  FOR EACH ROW WHEN (NEW.before <> 'null' OR NEW.after <> 'null' OR NEW.reason IS DISTINCT FROM OLD.reason AND NEW.reason <> 'erased')
  EXECUTE FUNCTION settled.refuse_change();
