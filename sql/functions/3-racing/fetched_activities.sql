-- Activities that the daemon fetches from the provider, so that a race does not end
-- without what its athletes have uploaded.

-- Whether a listed activity ends so far ahead of the clock that an import refuses it. What cannot be read does not.
CREATE OR REPLACE FUNCTION racing.is_listed_ahead(activity jsonb, now timestamptz)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN racing.is_ahead(racing.activity_instant(activity -> 'startDate', 'start-date'),
    racing.activity_number(activity -> 'elapsedTime', 0, 100000000, 'elapsed-time'), now);
EXCEPTION WHEN SQLSTATE 'SD400' THEN
  RETURN false;
END
$$;

-- The ids of those that are wanted: of a type that can count, and not here yet, whoever has imported them. What ends
-- ahead of the clock is wanted by a later listing.
CREATE OR REPLACE FUNCTION racing.wanted_activities(activities jsonb)
RETURNS bigint[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(DISTINCT x.id), '{}')
  FROM (
    SELECT (a ->> 'stravaId')::bigint AS id FROM jsonb_array_elements(activities) AS a
    WHERE a ->> 'activityType' IN ('Canoeing', 'Kayaking') AND NOT racing.is_listed_ahead(a, settled.clock())
  ) AS x
  WHERE NOT EXISTS (SELECT FROM racing.activity AS y WHERE y.strava_id = x.id)
$$;

-- Imports an activity unless it is here: one that stands is never changed by this. Null where it was here. Without a
-- known visibility its athlete alone sees it; a former release's daemon passes nothing on.
CREATE OR REPLACE FUNCTION racing.keep_fetched(athlete_id bigint, activity jsonb)
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  -- An import of the app comes before or after, not during.
  PERFORM FROM racing.athlete AS a WHERE a.id = keep_fetched.athlete_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM racing.activity AS a WHERE a.strava_id = (activity ->> 'stravaId')::bigint) THEN
    RETURN NULL;
  END IF;
  RETURN racing.import_activity(athlete_id, activity || jsonb_build_object('visibility',
    CASE WHEN activity ->> 'visibility' IN ('everyone', 'followers_only') THEN activity ->> 'visibility' ELSE 'only_me' END));
END
$$;

-- Takes a page of a listing: what is wanted of it is imported once its streams are there.
CREATE OR REPLACE FUNCTION racing.take_listing(athlete_id bigint, listing jsonb)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask_streams(take_listing.athlete_id, w.id, w.summary, (listing ->> 'untilAt')::timestamptz,
    (listing ->> 'class')::integer, (listing ->> 'followsSwitch')::boolean)
  FROM (
    SELECT DISTINCT ON (i.id) i.id, a.summary
    FROM unnest(racing.wanted_activities(listing -> 'activities')) AS i (id)
    JOIN jsonb_array_elements(listing -> 'activities') AS a (summary) ON (a.summary ->> 'stravaId')::bigint = i.id
    ORDER BY i.id
  ) AS w
$$;

-- Takes one activity that was read by its id.
CREATE OR REPLACE FUNCTION racing.take_activity(
  athlete_id bigint, activity_id bigint, outcome text, summary jsonb, class integer, until_at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.ask_streams(athlete_id, activity_id, summary, until_at, class)
  WHERE outcome = 'found' AND activity_id = ANY (racing.wanted_activities(jsonb_build_array(summary)))
$$;

-- Takes an activity with its streams.
CREATE OR REPLACE FUNCTION racing.take_streams(athlete_id bigint, summary jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM racing.keep_fetched(athlete_id, summary);
END
$$;

-- The time of a read is over: an activity whose streams did not come is taken without.
CREATE OR REPLACE FUNCTION racing.end_read(athlete_id bigint, kind text, activity_id bigint, summary jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF kind = 'streams' THEN
    PERFORM racing.keep_fetched(athlete_id, summary);
  END IF;
END
$$;

-- How many reads the results of races need that end in [since, before): two listings for each athlete and due instant,
-- and the streams of an activity where a fastest distance is raced.
CREATE OR REPLACE FUNCTION racing.reads_needed(since timestamptz, before timestamptz)
RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
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

-- Races have ended: what their athletes have at the provider is fetched until five minutes before the results are due,
-- so that it can be validated. One request for the races of an athlete that are due together.
CREATE OR REPLACE FUNCTION racing.request_imports(races bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF strava.imports() THEN
    PERFORM strava.request_imports(
        array_agg(x.athlete_id), array_agg(x.since), array_agg(x.before), array_agg(x.due_at - interval '5 minutes'))
      FROM (
        SELECT e.athlete_id, min(r.starts_at) AS since, max(r.ends_at) AS before, r.due_at
        FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
        WHERE r.id = ANY (races) AND e.status = 'entered'
        GROUP BY e.athlete_id, r.due_at
      ) AS x;
  END IF;
END
$$;

SELECT strava.register_reader(
  take_listing => 'racing.take_listing(bigint, jsonb)',
  take_activity => 'racing.take_activity(bigint, bigint, text, jsonb, integer, timestamptz)',
  take_streams => 'racing.take_streams(bigint, jsonb)',
  end_read => 'racing.end_read(bigint, text, bigint, jsonb)',
  demand => 'racing.reads_needed(timestamptz, timestamptz)');

SELECT settled.declare_callers('racing',
  daemon => '{
    is_listed_ahead, wanted_activities, keep_fetched, take_listing, take_activity, take_streams, end_read, reads_needed,
    request_imports}');
