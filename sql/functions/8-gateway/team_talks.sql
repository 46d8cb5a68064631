-- Team: talks and their views. Source: Gateway.docc/Systems.md, "Team". The caller's username decides who sees who
-- viewed a talk.

-- The uuid of a path or body; of a text that is none the one that no talk has.
CREATE OR REPLACE FUNCTION gateway.talk_uuid(value text)
RETURNS uuid
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE
    WHEN value IS NULL OR value ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN value::uuid
    ELSE '00000000-0000-0000-0000-000000000000'::uuid END;
END
$$;

-- POST team-talks/views/track; the app gets no body.
CREATE OR REPLACE FUNCTION gateway.team_track_view(username text, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(body, '{teamTalkUuid,username,displayName,team}', 'body');
  PERFORM gateway.check_named(settled.text_of(body, 'username', is_optional => true), username);
  PERFORM seasons.track_view(gateway.talk_uuid(settled.text_of(body, 'teamTalkUuid', is_optional => true)), username,
    settled.text_of(body, 'displayName', min => 1, is_optional => true),
    settled.text_of(body, 'team', is_optional => true));
  RETURN '{}'::jsonb;
END
$$;

-- GET team-talks/:uuid
CREATE OR REPLACE FUNCTION gateway.team_talk(username text, team_talk_uuid text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN seasons.team_talk(gateway.talk_uuid(team_talk_uuid), username);
END
$$;

-- GET team-talks/season, newest first; what is absent filters nothing. before: the uuid
-- of the last talk of the previous page.
CREATE OR REPLACE FUNCTION gateway.team_season_talks(
  username text, season text DEFAULT NULL, year text DEFAULT NULL, team text DEFAULT NULL, before text DEFAULT NULL,
  max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_limit(max);
  RETURN jsonb_build_object('teamTalks',
    seasons.team_talks(username, season, year, team, gateway.talk_uuid(before), max));
END
$$;

-- GET team-talks/all, in the same way.
CREATE OR REPLACE FUNCTION gateway.team_all_talks(username text, before text DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN gateway.team_season_talks(username, before => before, max => max);
END
$$;

SELECT settled.declare_callers('gateway', gateway => '{team_track_view, team_talk, team_season_talks, team_all_talks}');
