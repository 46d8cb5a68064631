-- What the daemon reads at the provider before results, so that a race does not end without what its athletes have
-- uploaded. What it does with the answers: proving.sql.

-- Those of former releases.
DROP FUNCTION IF EXISTS racing.wanted_activities(jsonb);
DROP FUNCTION IF EXISTS racing.keep_fetched(bigint, jsonb);

-- Whether a listed activity ends so far ahead of the clock that an import refuses it. What cannot be read does not.
CREATE OR REPLACE FUNCTION racing.is_listed_ahead(activity jsonb, now timestamptz)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN racing.is_ahead(racing.start_of(activity),
    settled.number_of(activity, 'elapsedTime', 0, 100000000), now);
EXCEPTION WHEN SQLSTATE 'SD400' THEN
  RETURN false;
END
$$;

-- How many reads the results of races need that end in [since, before): two listings for each athlete and due instant,
-- and the streams of an activity where a fastest distance is raced.
CREATE OR REPLACE FUNCTION racing.reads_needed(since timestamptz, before timestamptz)
RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(sum(2 + x.has_streams::integer), 0)::bigint
  FROM (
    SELECT bool_or(r.type IN ('fastest_1km', 'fastest_5km')) AS has_streams
    FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
    WHERE r.status IN ('upcoming', 'active') AND r.ends_at >= reads_needed.since AND r.ends_at < reads_needed.before
      AND e.status = 'entered'
    GROUP BY e.athlete_id, r.due_at
  ) AS x
  WHERE strava.imports() OR settled.setting('racing.proof') = 'on'
$$;

-- Races have ended: what their athletes have at the provider is listed until five minutes before the results are due,
-- so that it can be validated. One listing for the races of an athlete that are due together. Where racing.proof is
-- on, nothing else proves what entrants did, so that strava.import does not matter.
CREATE OR REPLACE FUNCTION racing.request_imports(races bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  proves constant boolean := settled.setting('racing.proof') = 'on';
BEGIN
  IF proves OR strava.imports() THEN
    PERFORM strava.ask_listings(array_agg(x.athlete_id), array_agg(x.since), array_agg(x.before),
        array_agg(greatest(x.due_at - interval '5 minutes', least(x.due_at, x.before + interval '5 minutes'))),
        NOT proves)
      FROM (
        SELECT e.athlete_id, min(r.starts_at) AS since, max(r.ends_at) AS before, r.due_at
        FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
        WHERE r.id = ANY (races) AND e.status = 'entered'
        GROUP BY e.athlete_id, r.due_at
      ) AS x;
  END IF;
END
$$;

SELECT settled.declare_callers('racing', daemon => '{is_listed_ahead, reads_needed, request_imports}');
