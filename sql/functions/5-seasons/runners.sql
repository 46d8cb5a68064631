-- Runners and rosters.

CREATE OR REPLACE FUNCTION seasons.create_runner(
  name text, graduating_class integer, team text, does_xc boolean, does_track boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown_name text;
  new_id bigint;
BEGIN
  PERFORM settled.check_writer();
  shown_name := settled.shown_name(name, 'name');
  IF graduating_class IS NULL OR graduating_class NOT BETWEEN 1900 AND 2200 THEN
    PERFORM settled.fail('SD400', 'graduating-class', 'the graduating class must be a year between 1900 and 2200');
  ELSIF team IS NULL OR team NOT IN ('UA', 'NU') THEN
    PERFORM settled.fail('SD400', 'team', 'team must be UA or NU');
  END IF;
  PERFORM settled.check_present(does_xc, 'does-xc');
  PERFORM settled.check_present(does_track, 'does-track');
  INSERT INTO seasons.runner (name, graduating_class, team, does_xc, does_track, created_at)
    VALUES (shown_name, graduating_class, team, does_xc, does_track, settled.clock()) RETURNING id INTO new_id;
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION seasons.create_runner(text, integer, text, boolean, boolean) IS
$$Creates an active runner with no points.
name: 1 to 10,000 characters, including at least one visible character.
graduating_class: a year from 1900 to 2200.
team: UA or NU.
does_xc: whether the runner belongs to the xc season.
does_track: whether the runner belongs to the track season.
Returns the runner's id.
Refuses: SD400 does-track, does-xc, graduating-class, isolation, name, team.
Example: SELECT seasons.create_runner(name => 'Cleo Fox', graduating_class => 2033, team => 'UA', does_xc => true,
    does_track => false)$$;

-- Whether a runner counts for the team in a season while active.
CREATE OR REPLACE FUNCTION seasons.runs(r seasons.runner, season text, year integer)
RETURNS boolean
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT r.team = 'UA' AND CASE season WHEN 'xc' THEN r.does_xc ELSE r.does_track END
    AND r.graduating_class BETWEEN year + 1 AND year + 4
$$;

-- Begins the version for a change. Changes are serialised until their transactions end. Earning points does not wait
-- for them.
CREATE OR REPLACE FUNCTION seasons.begin_version()
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  new_number bigint;
BEGIN
  PERFORM FROM seasons.version AS v WHERE v.number = 0 FOR NO KEY UPDATE;
  INSERT INTO seasons.version (number, at)
    SELECT max(v.number) + 1, settled.clock() FROM seasons.version AS v RETURNING number INTO new_number;
  RETURN new_number;
END
$$;

CREATE OR REPLACE FUNCTION seasons.set_runner_active(runner_id bigint, active boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r seasons.runner;
  version bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(runner_id, 'runner-id');
  PERFORM settled.check_present(active, 'active');
  SELECT x.* INTO r FROM seasons.runner AS x WHERE x.id = runner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'runner', 'there is no such runner');
  ELSIF r.is_active = active THEN
    RETURN;
  END IF;
  version := seasons.begin_version();
  UPDATE seasons.runner AS x SET is_active = active WHERE x.id = r.id;
  INSERT INTO seasons.team_change (season, year, version, moved, at)
    SELECT t.season, t.year, version, CASE WHEN active THEN t.points ELSE -t.points END, settled.clock()
    FROM seasons.seasonal_total AS t WHERE t.runner_id = r.id AND seasons.runs(r, t.season, t.year);
END
$$;
COMMENT ON FUNCTION seasons.set_runner_active(bigint, boolean) IS
$$Removes a runner from the rosters or restores the runner. The team's totals change; reached rewards stay reached.
active: whether the runner is on the rosters.
Returns nothing.
Refuses: SD400 active, isolation, runner-id; SD404 runner.
Example: SELECT seasons.set_runner_active(runner_id => 1, active => false)$$;

CREATE OR REPLACE FUNCTION seasons.runner_points(runner_id bigint, season text, year text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number integer := seasons.parse_year(year);
BEGIN
  PERFORM settled.check_present(runner_id, 'runner-id');
  PERFORM seasons.check_season(season);
  IF NOT EXISTS (SELECT FROM seasons.runner AS r WHERE r.id = runner_id) THEN
    PERFORM settled.fail('SD404', 'runner', 'there is no such runner');
  END IF;
  RETURN jsonb_build_object(
    'runnerId', runner_id, 'season', season, 'year', year,
    'pointsEarned', coalesce((
      SELECT t.points FROM seasons.seasonal_total AS t
      WHERE t.runner_id = runner_points.runner_id AND t.season = runner_points.season AND t.year = number), 0));
END
$$;
COMMENT ON FUNCTION seasons.runner_points(bigint, text, text) IS
$$Retrieves a runner's points in a season.
season: xc or track.
year: four digits.
Returns runnerId, season, year and pointsEarned, which is 0 if the runner has earned no points.
Refuses: SD400 runner-id, season, year; SD404 runner.
Example: SELECT seasons.runner_points(runner_id => 1, season => 'xc', year => '2031')$$;

DROP FUNCTION IF EXISTS seasons.pride_leaderboard(integer);
CREATE OR REPLACE FUNCTION seasons.pride_leaderboard(
  max integer DEFAULT 100, season text DEFAULT NULL, year text DEFAULT NULL, skip integer DEFAULT 0)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  is_seasonal constant boolean := season IS NOT NULL OR year IS NOT NULL;
  number integer;
BEGIN
  PERFORM settled.check_page(max);
  IF skip IS NULL OR skip < 0 THEN
    PERFORM settled.fail('SD400', 'skip', 'skip must not be negative');
  END IF;
  IF is_seasonal THEN
    PERFORM seasons.check_season(season);
    number := seasons.parse_year(year);
    RETURN (
      SELECT coalesce(jsonb_agg(jsonb_build_object('rank', l.rank, 'runnerId', l.id, 'name', l.name, 'points', l.points)
        ORDER BY l.points DESC, l.id), '[]')
      FROM (
        SELECT rank() OVER (ORDER BY coalesce(t.points, 0) DESC) AS rank, r.id, r.name, coalesce(t.points, 0) AS points
        FROM seasons.runner AS r
        LEFT JOIN seasons.seasonal_total AS t
          ON t.runner_id = r.id AND t.season = pride_leaderboard.season AND t.year = number
        WHERE r.is_active AND r.team = 'UA'
        ORDER BY coalesce(t.points, 0) DESC, r.id LIMIT max OFFSET skip
      ) AS l);
  END IF;
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('rank', l.rank, 'runnerId', l.id, 'name', l.name, 'points', l.points)
      ORDER BY l.points DESC, l.id), '[]')
    FROM (
      SELECT rank() OVER (ORDER BY r.points DESC) AS rank, r.id, r.name, r.points
      FROM seasons.runner AS r WHERE r.is_active AND r.team = 'UA'
      ORDER BY r.points DESC, r.id LIMIT max OFFSET skip
    ) AS l);
END
$$;
COMMENT ON FUNCTION seasons.pride_leaderboard(integer, text, text, integer) IS
$$Ranks UA's active runners by all their points, or by their points in a season.
max (runners): 1 to 500.
season: xc or track; null: all points. The year must then also be null.
year: four digits; required with season.
skip (runners): how many top-ranked runners to skip, 0 or greater.
Returns an array of objects with rank, runnerId, name and points. Runners with equal points share a rank.
Refuses: SD400 max, season, skip, year.
Example: SELECT seasons.pride_leaderboard(max => 10, season => 'xc', year => '2031')$$;

SELECT settled.declare_callers('seasons',
  contract => '{create_runner, set_runner_active, runner_points, pride_leaderboard}');
