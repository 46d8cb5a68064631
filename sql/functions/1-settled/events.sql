-- Writes an event in the caller's transaction. It has no position until a daemon numbers it after the commit.
CREATE OR REPLACE FUNCTION settled.emit(topic text, key text, payload jsonb, occurred_at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO settled.event_pending (topic, key, payload, occurred_at) VALUES (topic, key, payload, occurred_at)
$$;

-- The cluster, the database and the timeline of this session. One of them differs after a restore, in a copy, and
-- after a failover.
CREATE OR REPLACE FUNCTION settled.history()
RETURNS text
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT format('%s/%s', settled.place(), ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint)
$$;

-- The epoch of the next position. It rises where the present history is not the one that numbered last, and above the
-- epoch of `remembered`, a position that a node has seen and this database has not given. The caller commits at once.
CREATE OR REPLACE FUNCTION settled.raise_epoch(remembered bigint DEFAULT 0)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  last_number bigint;
  newest settled.event_epoch;
  present text := settled.history();
BEGIN
  SELECT c.last_position % 1000000000000000 INTO STRICT last_number FROM settled.event_counter AS c FOR UPDATE;
  SELECT e.* INTO STRICT newest FROM settled.event_epoch AS e ORDER BY e.epoch DESC LIMIT 1;
  IF coalesce(newest.history = present, true) AND (remembered = 0 OR remembered / 1000000000000000 < newest.epoch) THEN
    UPDATE settled.event_epoch AS e SET history = present
      WHERE e.epoch = newest.epoch AND e.history IS NULL;
    RETURN newest.epoch;
  END IF;
  INSERT INTO settled.event_epoch (epoch, first_number, history)
    VALUES (greatest(newest.epoch, remembered / 1000000000000000) + 1, last_number + 1, present)
    RETURNING epoch INTO newest.epoch;
  RETURN newest.epoch;
END
$$;

-- Whether the present history has given a position: 0 is the place before the first event.
CREATE OR REPLACE FUNCTION settled.has_position(place bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (SELECT place = 0 OR place <= c.last_position AND EXISTS (
      SELECT FROM settled.event_epoch AS e
      WHERE e.epoch = place / 1000000000000000 AND place % 1000000000000000 >= e.first_number
        AND place % 1000000000000000 < ALL (
          SELECT n.first_number FROM settled.event_epoch AS n WHERE n.epoch > e.epoch))
    FROM settled.event_counter AS c);
END
$$;

-- Gives positions to at most max committed events, in the order in which they were written; returns how many.
-- The caller commits at once. The one lock makes positions appear in their order. The statement that moves starts after
-- the lock is held, so its snapshot holds everything that the holder before it left; an event of a transaction that is
-- still open is invisible to it and gets a later position.
CREATE OR REPLACE FUNCTION settled.number_events(max integer)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  epoch bigint;
  first_free bigint;
  moved integer;
BEGIN
  PERFORM settled.check_writer();
  IF NOT EXISTS (SELECT FROM settled.event_pending) THEN
    RETURN 0;
  END IF;
  epoch := settled.raise_epoch();
  SELECT epoch * 1000000000000000 + c.last_position % 1000000000000000 + 1 INTO STRICT first_free
    FROM settled.event_counter AS c;
  WITH taken AS (
    DELETE FROM settled.event_pending AS p
    WHERE p.id = ANY (ARRAY(SELECT q.id FROM settled.event_pending AS q ORDER BY q.id LIMIT greatest(max, 1)))
    RETURNING p.*
  )
  INSERT INTO settled.event (position, topic, key, payload, occurred_at)
    SELECT first_free - 1 + row_number() OVER (ORDER BY t.id), t.topic, t.key, t.payload, t.occurred_at FROM taken AS t;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved > 0 THEN
    UPDATE settled.event_counter AS c SET last_position = first_free - 1 + moved;
  END IF;
  RETURN moved;
END
$$;

-- Events after a position, oldest first. Their numbers have no gaps, so a page that does not start right behind `after`
-- shows that events were pruned, even when that happened between the snapshot and the reading.
CREATE OR REPLACE FUNCTION settled.events(after text DEFAULT NULL, max integer DEFAULT 100)
RETURNS TABLE ("position" text, topic text, key text, payload jsonb, occurred_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  counter settled.event_counter;
  start bigint;
  next_kept bigint;
BEGIN
  PERFORM settled.check_page(max);
  SELECT c.* INTO STRICT counter FROM settled.event_counter AS c;
  IF after IS NULL THEN
    start := counter.pruned_through;
  ELSE
    start := CASE WHEN after ~ '^(0|[1-9][0-9]{0,17})$' OR after ~ '^[1-8][0-9]{18}$' THEN after::bigint END;
    IF start IS NULL THEN
      PERFORM settled.fail('SD400', 'after', 'after must be an event position');
    ELSIF NOT settled.has_position(start) THEN
      PERFORM settled.fail('SD409', 'position', 'this database has not assigned this position: start again from the beginning',
        jsonb_build_object('oldest', counter.pruned_through::text));
    END IF;
    SELECT min(e.position) INTO next_kept FROM settled.event AS e WHERE e.position > start;
    IF start < counter.pruned_through
      OR (start < counter.last_position
        AND next_kept % 1000000000000000 IS DISTINCT FROM start % 1000000000000000 + 1)
    THEN
      PERFORM settled.fail('SD409', 'position', 'events after this position have been pruned',
        jsonb_build_object('oldest', counter.pruned_through::text));
    END IF;
  END IF;
  RETURN QUERY
    SELECT e.position::text, e.topic, e.key, e.payload, e.occurred_at
    FROM settled.event AS e WHERE e.position > start ORDER BY e.position LIMIT max;
END
$$;
COMMENT ON FUNCTION settled.events(text, integer) IS
$$Lists the events after a position, oldest first. A daemon assigns each event's position after its transaction commits.
after: the last position that the reader has stored; null: start at the oldest stored event.
max (events): 1 to 500.
Returns rows with position, topic, key, payload and occurred_at. Store the last position and pass it as
    after in the next call.
Refuses: SD400 after, max; SD409 position (later events were pruned, or this database never assigned it).
Example: SELECT * FROM settled.events(after => '0', max => 100)$$;

SELECT settled.declare_callers('settled',
  contract => '{events}', daemon => '{events, emit, number_events, history, raise_epoch, has_position}');
