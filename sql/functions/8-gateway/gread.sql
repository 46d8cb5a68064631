-- GRead: achievements. Source: Gateway.docc/Systems.md, "Achievements". version: 1 or 2, from the path. reader: the
-- caller, or null.

-- An achievement. Its requirement always includes the condition.
CREATE OR REPLACE FUNCTION gateway.achievement_shape(item jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE WHEN jsonb_typeof(item -> 'unlock_requirements') = 'object' THEN item || jsonb_build_object(
    'unlock_requirements', '{"condition": "simple"}' || (item -> 'unlock_requirements')) ELSE item END;
END
$$;

-- A list for an API version. Version 1 apps cannot read masked achievements, so their lists omit these.
CREATE OR REPLACE FUNCTION gateway.achievement_list(version integer, items jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF version IS NULL OR version NOT IN (1, 2) THEN
    PERFORM settled.fail('SD400', 'version', 'the version must be 1 or 2');
  END IF;
  RETURN (
    SELECT coalesce(jsonb_agg(gateway.achievement_shape(i.item) ORDER BY i.place), '[]')
    FROM jsonb_array_elements(items) WITH ORDINALITY AS i (item, place)
    WHERE version = 2 OR NOT (i.item -> 'is_hidden')::boolean OR (i.item -> 'is_unlocked')::boolean);
END
$$;

-- The caller as a viewer. A reader who is unknown in achievements gets the anonymous view.
CREATE OR REPLACE FUNCTION gateway.known_reader(reader bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (SELECT p.id FROM achievements.person AS p WHERE p.id = reader);
END
$$;

-- GET achievements
CREATE OR REPLACE FUNCTION gateway.gread_achievements(version integer, reader bigint, category text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN gateway.achievement_list(version, achievements.catalogue(gateway.known_reader(reader), category));
END
$$;

-- GET achievements/:id, in both versions.
CREATE OR REPLACE FUNCTION gateway.gread_achievement(reader bigint, achievement_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN gateway.achievement_shape(achievements.by_id(achievement_id, gateway.known_reader(reader)));
END
$$;

-- GET achievements/slug/:slug, in both versions.
CREATE OR REPLACE FUNCTION gateway.gread_achievement_by_slug(reader bigint, slug text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN gateway.achievement_shape(achievements.by_slug(slug, gateway.known_reader(reader)));
END
$$;

-- GET user/:id/achievements. Achievements that version 1 omits are not in its total either.
CREATE OR REPLACE FUNCTION gateway.gread_user_achievements(
  version integer, reader bigint, user_id bigint, category text DEFAULT NULL, filter text DEFAULT 'all')
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  answer jsonb := achievements.of_user(user_id, gateway.known_reader(reader), category, coalesce(filter, 'all'));
  list jsonb := gateway.achievement_list(version, answer -> 'achievements');
BEGIN
  RETURN answer || jsonb_build_object('total', jsonb_array_length(list), 'achievements', list);
END
$$;

-- GET me/achievements
CREATE OR REPLACE FUNCTION gateway.gread_own_achievements(
  version integer, reader bigint, category text DEFAULT NULL, filter text DEFAULT 'all')
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_identity(reader::text);
  RETURN gateway.gread_user_achievements(version, reader, reader, category, filter);
END
$$;

-- POST me/achievements/check: all of the caller's achievements as in a list, and the newly unlocked ones.
CREATE OR REPLACE FUNCTION gateway.gread_check(version integer, reader bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  checked jsonb;
  list jsonb;
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_identity(reader::text);
  checked := achievements.check(reader);
  list := gateway.achievement_list(version, checked -> 'achievements');
  RETURN jsonb_build_object('user_id', reader, 'total', jsonb_array_length(list),
    'unlocked_count', (SELECT count(*) FROM jsonb_array_elements(list) AS i WHERE (i -> 'is_unlocked')::boolean),
    'newly_unlocked', gateway.achievement_list(version, checked -> 'newly_unlocked'), 'achievements', list);
END
$$;

-- GET achievements/stats
CREATE OR REPLACE FUNCTION gateway.gread_stats()
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN achievements.stats();
END
$$;

-- GET achievements/leaderboard. Users have no pictures here.
CREATE OR REPLACE FUNCTION gateway.gread_leaderboard(max integer DEFAULT 10, skip integer DEFAULT 0)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_limit(max);
  IF skip IS NULL OR skip < 0 THEN
    PERFORM settled.fail('SD400', 'offset', 'offset must not be negative');
  END IF;
  RETURN (
    SELECT coalesce(jsonb_agg(r.row || '{"user_avatar_url": ""}' ORDER BY r.place), '[]')
    FROM jsonb_array_elements(achievements.leaderboard(max, skip)) WITH ORDINALITY AS r (row, place));
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{
    gread_achievements, gread_achievement, gread_achievement_by_slug, gread_user_achievements, gread_own_achievements,
    gread_check, gread_stats, gread_leaderboard}');
