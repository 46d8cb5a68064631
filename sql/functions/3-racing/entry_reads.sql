-- An entry from outside: its place is live while the race is open and what the settlement wrote afterwards. A place is
-- one among all, so the whole race is ranked for it (40 ms with 10,000 entries), but only where the athlete has been
-- out in its window at all; OFFSET 0 has that asked first.
CREATE OR REPLACE FUNCTION racing.entry_json(entry racing.entry) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT jsonb_build_object('id', entry.id, 'raceId', entry.race_id,
    'raceType', (SELECT r.type FROM racing.race r WHERE r.id = entry.race_id), 'athleteId', entry.athlete_id,
    'status', entry.status, 'enteredAt', settled.iso(entry.entered_at),
    'activityId', coalesce(live.activity_id, entry.activity_id), 'score', coalesce(live.score, entry.score),
    'rank', coalesce(live.rank, entry.rank), 'prizePence', entry.prize_pence)
  FROM (VALUES (true)) one
  LEFT JOIN (
    SELECT s.*
    FROM (
      SELECT r.id FROM racing.race r
      WHERE r.id = entry.race_id AND r.status IN ('upcoming', 'active', 'ended') AND entry.status = 'entered'
        AND EXISTS (
          SELECT FROM racing.activity a WHERE a.athlete_id = entry.athlete_id
            AND a.started_at >= r.starts_at AND a.started_at < r.ends_at)
      OFFSET 0
    ) r
    CROSS JOIN LATERAL racing.standings(r.id) s
    WHERE s.entry_id = entry.id
  ) live ON true);
END
$$;

CREATE OR REPLACE FUNCTION racing.entry(entry_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(entry_id, 'entry-id');
  SELECT racing.entry_json(e) INTO shown FROM racing.entry e WHERE e.id = entry.entry_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'entry', 'there is no such entry');
  END IF;
  RETURN shown;
END $$;
COMMENT ON FUNCTION racing.entry(bigint) IS
$$Retrieves an entry with its current result, or with its final result after the settlement.
Returns id, raceId, raceType, athleteId, status, enteredAt, activityId, score, rank and prizePence. status: entered,
    completed, disqualified or refunded. score is in mm/s, cm or ms, depending on the race type.
Refuses: SD400 entry-id; SD404 entry.
Example: SELECT racing.entry(entry_id => 1)$$;

CREATE OR REPLACE FUNCTION racing.entries(athlete_id bigint, before bigint DEFAULT NULL, max integer DEFAULT 50) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_page(max);
  IF NOT EXISTS (SELECT FROM racing.athlete a WHERE a.id = entries.athlete_id) THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  SELECT jsonb_agg(racing.entry_json(p) ORDER BY p.id DESC) INTO shown
  FROM (
    SELECT e.* FROM racing.entry e
    WHERE e.athlete_id = entries.athlete_id AND (before IS NULL OR e.id < before)
    ORDER BY e.id DESC LIMIT max
  ) p;
  RETURN coalesce(shown, '[]');
END $$;
COMMENT ON FUNCTION racing.entries(bigint, bigint, integer) IS
$$Lists an athlete's entries, newest first.
before: the id of the last entry on the previous page; null: the first page.
max (entries): 1 to 500.
Returns an array of entries in the format of racing.entry.
Refuses: SD400 athlete-id, max; SD404 athlete.
Example: SELECT racing.entries(athlete_id => 1, max => 10)$$;

SELECT settled.declare_callers('racing', contract => '{entry, entries}', daemon => '{entry}');
