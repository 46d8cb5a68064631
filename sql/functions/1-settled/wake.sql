-- Sends the daemons a wake-up: a hint that never fails its transaction. NOTIFY fails at COMMIT while the server's
-- queue is full, which any session of the cluster can cause; once it is half full, daemons poll each second.
CREATE OR REPLACE FUNCTION settled.notify(payload text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF pg_notification_queue_usage() < 0.5 THEN
    PERFORM pg_notify('settled', payload);
  END IF;
END
$$;

-- Wakes the daemons when something may have become due, but only while one needs it: NOTIFY
-- locks the whole database at commit.
CREATE OR REPLACE FUNCTION settled.wake()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM settled.node AS n WHERE n.needs_notify) THEN
    -- A daemon sends its name: it polls on its own, and the other nodes leave it the time.
    PERFORM settled.notify(left(coalesce(current_setting('settled.node', true), ''), 63));
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

SELECT settled.declare_callers('settled', daemon => '{notify}');
