-- An item's inputs changed: what was quarantined or dropped for them is tried again. The statement-level trigger of the
-- table wakes the daemons, so nothing is deleted where there is nothing.
CREATE OR REPLACE FUNCTION settled.inputs_changed(job text, key text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM settled.failure AS f WHERE f.job = inputs_changed.job AND f.key = inputs_changed.key
      AND (f.quarantined OR f.dropped_at IS NOT NULL))
  THEN
    DELETE FROM settled.failure AS f WHERE f.job = inputs_changed.job AND f.key = inputs_changed.key;
  END IF;
END
$$;
