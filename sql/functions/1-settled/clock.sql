-- The business clock: real time, or in a simulated database the time that was set, standing or running on from there.
-- The difference of the real instants is taken in seconds: an interval with days would follow the session's zone.
-- In PL/pgSQL, which keeps its plans: everything that is done asks for the time, and a function in SQL is replanned
-- in each statement.
CREATE OR REPLACE FUNCTION settled.clock()
RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  i settled.installation;
BEGIN
  SELECT x.* INTO i FROM settled.installation AS x;
  IF i.simulated IS NOT TRUE THEN
    RETURN clock_timestamp();
  ELSIF i.clock_running THEN
    RETURN i.clock_base
      + (extract(epoch FROM clock_timestamp()) - extract(epoch FROM i.clock_set_at)) * interval '1 second';
  END IF;
  RETURN i.clock_base;
END
$$;
COMMENT ON FUNCTION settled.clock() IS
$$Reads the business clock: the server's clock, or the simulated clock if the database has one.
Returns an instant. Two calls in one transaction can return different instants.
Refuses: nothing.
Example: SELECT settled.clock()$$;

-- Sets the clock of a simulated database, never backwards, and wakes the daemons.
CREATE OR REPLACE FUNCTION settled.set_clock(at timestamptz, running boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  is_simulated boolean;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_instant(at, 'at');
  PERFORM settled.check_present(running, 'running');
  SELECT i.simulated INTO is_simulated FROM settled.installation AS i FOR UPDATE;
  IF is_simulated IS NOT TRUE THEN
    PERFORM settled.fail('SD403', 'clock', 'this database does not use a simulated clock');
  END IF;
  IF at < settled.clock() THEN
    PERFORM settled.fail('SD400', 'at', 'the clock cannot be set backwards',
      jsonb_build_object('now', settled.iso(settled.clock())));
  END IF;
  UPDATE settled.installation SET clock_base = at, clock_set_at = clock_timestamp(), clock_running = running;
  PERFORM settled.notify('');
END
$$;

-- Waits for an instant that is a moment ahead by the server's clock, and for none that is further away. A sleep ends up
-- to a millisecond late, so the last millisecond is spent in a loop. The loop ends if the clock is set back; a sleep
-- then lasts until the statement times out, and nothing is locked meanwhile.
CREATE OR REPLACE FUNCTION settled.wait_until(instant timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  began timestamptz := clock_timestamp();
  rest double precision := (1000 * extract(epoch FROM instant - began))::double precision;
BEGIN
  IF rest NOT BETWEEN 0 AND 50 THEN
    RETURN;
  END IF;
  IF rest >= 1.2 THEN
    -- A sleep of whole milliseconds may be rounded up to one more.
    PERFORM pg_sleep((floor(rest - 0.2) - 0.01) / 1000);
  END IF;
  WHILE clock_timestamp() BETWEEN began AND instant LOOP
  END LOOP;
END
$$;

SELECT settled.declare_callers('settled',
  contract => '{clock}',
  daemon => '{clock, wait_until}',
  fixed => '{set_clock}',
  unfixed => '{clock}');
