-- For tables that are only added to: nobody changes or removes a row, not even the owner, while the trigger stands.
CREATE OR REPLACE FUNCTION settled.refuse_change()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD409', 'append-only', format('%I.%I is never changed', TG_TABLE_SCHEMA, TG_TABLE_NAME));
  RETURN NULL;
END
$$;

-- The audit of operators' commands is kept for ever.
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON settled.audit FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
