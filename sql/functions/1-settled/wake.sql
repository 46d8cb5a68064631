-- Wakes the daemons when something may have become due, but only while one needs it: NOTIFY
-- locks the whole database at commit.
CREATE OR REPLACE FUNCTION settled.wake()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM settled.node AS n WHERE n.needs_notify) THEN
    -- A daemon says its name: it looks by itself, and the other nodes leave it the time.
    PERFORM pg_notify('settled', left(coalesce(current_setting('settled.node', true), ''), 63));
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION settled.notify_nodes()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.wake();
  RETURN NULL;
END
$$;
