-- Live from what is verified and not held now, final from the entries.
CREATE OR REPLACE FUNCTION racing.leaderboard(race_id bigint, max integer DEFAULT 100) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  race racing.race;
  settled_at timestamptz;
  entries jsonb;
  are_shown boolean := settled.setting('racing.show_activities') = 'on';
BEGIN
  PERFORM settled.check_present(race_id, 'race-id');
  PERFORM settled.check_page(max);
  SELECT r.* INTO race FROM racing.race r WHERE r.id = leaderboard.race_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'race', 'there is no such race');
  END IF;
  IF race.status = 'settled' THEN
    SELECT s.settled_at INTO settled_at FROM racing.settlement s
    WHERE s.race_id = race.id ORDER BY s.revision DESC LIMIT 1;
    SELECT jsonb_agg(jsonb_build_object('rank', p.rank, 'entryId', p.id, 'athleteId', p.athlete_id,
             'displayName', a.display_name, 'score', p.score, 'activityId', CASE WHEN are_shown THEN p.activity_id END)
             ORDER BY p.rank, p.entered_at, p.id)
    INTO entries
    FROM (
      SELECT e.* FROM racing.entry e WHERE e.race_id = race.id AND e.rank IS NOT NULL
      ORDER BY e.rank, e.entered_at, e.id LIMIT max
    ) p
    JOIN racing.athlete a ON a.id = p.athlete_id;
  ELSE
    SELECT jsonb_agg(jsonb_build_object('rank', p.rank, 'entryId', p.entry_id, 'athleteId', p.athlete_id,
             'displayName', a.display_name, 'score', p.score, 'activityId', CASE WHEN are_shown THEN p.activity_id END)
             ORDER BY p.rank, p.entered_at, p.entry_id)
    INTO entries
    FROM (
      SELECT s.*, e.entered_at
      FROM racing.standings(race.id) s JOIN racing.entry e ON e.id = s.entry_id
      ORDER BY s.rank, e.entered_at, s.entry_id LIMIT max
    ) p
    JOIN racing.athlete a ON a.id = p.athlete_id;
  END IF;
  RETURN jsonb_build_object('raceId', race.id, 'updatedAt', settled.iso(coalesce(settled_at, settled.clock())),
    'entries', coalesce(entries, '[]'));
END $$;
COMMENT ON FUNCTION racing.leaderboard(bigint, integer) IS
$$Ranks a race's entries by current results, or by final results after the settlement.
max (entries): 1 to 500.
Returns raceId, updatedAt and entries, each with rank, entryId, athleteId, displayName, score and activityId. score
    is in mm/s, cm or ms, depending on the race type. activityId is null while racing.show_activities is off.
Refuses: SD400 max, race-id; SD404 race.
Example: SELECT racing.leaderboard(race_id => 1, max => 10)$$;

SELECT settled.declare_callers('racing', contract => '{leaderboard}', daemon => '{leaderboard}');
