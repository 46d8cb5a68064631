-- Stands in for the queue of reads until that is here.
CREATE OR REPLACE FUNCTION strava.ask_listing(
  athlete_id bigint, since timestamptz, before timestamptz, until_at timestamptz, class integer,
  follows_switch boolean DEFAULT false)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT strava.request_imports(ARRAY[ask_listing.athlete_id], ARRAY[ask_listing.since], ARRAY[ask_listing.before],
    ARRAY[ask_listing.until_at])
  WHERE ask_listing.class >= 0 AND (NOT follows_switch OR strava.imports())
$$;

CREATE OR REPLACE FUNCTION strava.ask_activity(athlete_id bigint, activity_id bigint, until_at timestamptz, class integer)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$ BEGIN END $$;

CREATE OR REPLACE FUNCTION strava.ask_streams(
  athlete_id bigint, activity_id bigint, summary jsonb, until_at timestamptz, class integer)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$ BEGIN END $$;

CREATE OR REPLACE FUNCTION strava.drop_reads(athlete_id bigint, activity_id bigint DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$ BEGIN END $$;

CREATE OR REPLACE FUNCTION strava.has_scope(athlete_id bigint, scope text)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT EXISTS (SELECT FROM strava.connection AS c
    WHERE c.athlete_id = has_scope.athlete_id AND scope <> ALL (c.missing_scopes))
$$;

CREATE OR REPLACE FUNCTION strava.register_reader(take_listing text, take_activity text, take_streams text, end_read text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF num_nulls(strava.own_function(take_listing, 'void', 'bigint, jsonb'),
    strava.own_function(take_activity, 'void', 'bigint, bigint, text, jsonb, integer, timestamp with time zone'),
    strava.own_function(take_streams, 'void', 'bigint, jsonb'),
    strava.own_function(end_read, 'void', 'bigint, text, bigint, jsonb')) > 0
  THEN
    RAISE EXCEPTION 'a reader has four functions of the owner of this schema';
  END IF;
END
$$;
