-- The apps' view of team talks.

-- An instant in whole seconds, cut.
CREATE OR REPLACE FUNCTION seasons.whole_second(at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
END
$$;

-- Reactions, the most frequent first; of each emoji those who reacted first come first.
CREATE OR REPLACE FUNCTION seasons.reactions_json(talk bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('emoji', g.emoji, 'count', g.count, 'usernames', g.usernames)
      ORDER BY g.count DESC, g.emoji), '[]')
    FROM (
      SELECT r.emoji COLLATE "C" AS emoji, count(*) AS count,
        jsonb_agg(u.username ORDER BY r.reacted_at, u.id) AS usernames
      FROM seasons.reaction AS r JOIN seasons.app_user AS u ON u.id = r.user_id
      WHERE r.talk_id = talk GROUP BY r.emoji
    ) AS g);
END
$$;

-- A comment with its replies, which `replies` has by the id of what they reply to.
CREATE OR REPLACE FUNCTION seasons.comment_json(
  c seasons.comment, u seasons.app_user, talk_uuid uuid, replies jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'uuid', c.uuid, 'teamTalkUuid', talk_uuid, 'username', u.username, 'displayName', u.display_name,
    'message', c.message, 'createdAt', settled.iso(c.created_at), 'updatedAt', settled.iso(c.updated_at),
    'replies', coalesce(replies -> c.id::text, '[]'));
END
$$;

-- The latest 500 comments of a talk, oldest first. A reply whose parent is older than these stands alone. The
-- deepest replies are collected first, so that each comment is read once.
CREATE OR REPLACE FUNCTION seasons.comments_json(t seasons.team_talk)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  oldest bigint;
  deepest integer;
  replies jsonb := '{}'::jsonb;
BEGIN
  SELECT min(l.id), max(l.depth) INTO oldest, deepest FROM (
    SELECT c.id, c.depth FROM seasons.comment AS c WHERE c.talk_id = t.id ORDER BY c.id DESC LIMIT 500) AS l;
  FOR level IN REVERSE coalesce(deepest, 0)..1 LOOP
    SELECT replies || coalesce(jsonb_object_agg(p.parent_id, p.comments), '{}') INTO replies
    FROM (
      SELECT c.parent_id, jsonb_agg(seasons.comment_json(c, u, t.uuid, replies) ORDER BY c.id) AS comments
      FROM seasons.comment AS c JOIN seasons.app_user AS u ON u.id = c.user_id
      WHERE c.talk_id = t.id AND c.id >= oldest AND c.depth = level AND c.parent_id >= oldest GROUP BY c.parent_id
    ) AS p;
  END LOOP;
  RETURN (
    SELECT coalesce(jsonb_agg(seasons.comment_json(c, u, t.uuid, replies) ORDER BY c.id), '[]')
    FROM seasons.comment AS c JOIN seasons.app_user AS u ON u.id = c.user_id
    WHERE c.talk_id = t.id AND c.id >= oldest AND (c.parent_id IS NULL OR c.parent_id < oldest));
END
$$;

CREATE OR REPLACE FUNCTION seasons.talk_json(t seasons.team_talk, is_coach boolean)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'teamTalk', jsonb_build_object(
      'uuid', t.uuid, 'author', t.author, 'season', t.season, 'year', seasons.year_text(t.year), 'title', t.title,
      'content', t.content, 'team', t.team, 'createdAt', seasons.whole_second(t.created_at),
      'updatedAt', seasons.whole_second(t.updated_at)),
    'reactions', seasons.reactions_json(t.id),
    'comments', seasons.comments_json(t),
    'totalCommentCount', (SELECT count(*) FROM seasons.comment AS c WHERE c.talk_id = t.id),
    'viewSummary', seasons.view_summary(t.id, is_coach));
END
$$;

-- Whether a viewer sees who viewed a talk: nobody but a coach does.
CREATE OR REPLACE FUNCTION seasons.is_coach(viewer text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF viewer IS NOT NULL THEN
    PERFORM settled.check_text(viewer, 'viewer');
  END IF;
  RETURN EXISTS (SELECT FROM seasons.app_user AS u WHERE u.username = viewer AND u.role = 'coach');
END
$$;

CREATE OR REPLACE FUNCTION seasons.team_talk(team_talk_uuid uuid, viewer text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN seasons.talk_json(seasons.find_talk(team_talk_uuid), seasons.is_coach(viewer));
END
$$;
COMMENT ON FUNCTION seasons.team_talk(uuid, text) IS
$$Retrieves a team talk with its reactions, comments and views.
viewer: a username of at most 10,000 characters. Only coaches see the views. A null or unknown viewer is treated
    as a runner.
Returns teamTalk, reactions, comments, totalCommentCount and viewSummary. comments contains the latest 500
    comments with their replies, oldest first. viewSummary has totalViews, uniqueViewers and recentViews.
Refuses: SD400 team-talk-uuid, viewer; SD404 team-talk.
Example: SELECT seasons.team_talk(team_talk_uuid => (seasons.team_talks() #>> '{0,teamTalk,uuid}')::uuid,
    viewer => 'coach')$$;

-- A page ends early because PostgreSQL has no JSON above 256 MiB, and a talk's comments alone can have 60 MB.
CREATE OR REPLACE FUNCTION seasons.team_talks(
  viewer text DEFAULT NULL, season text DEFAULT NULL, year text DEFAULT NULL, team text DEFAULT NULL,
  before uuid DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  is_coach boolean := seasons.is_coach(viewer);
  number integer := CASE WHEN year IS NOT NULL THEN seasons.parse_year(year) END;
  last bigint;
  talk seasons.team_talk;
  shown jsonb;
  bytes bigint := 0::bigint;
  page jsonb[] := '{}'::jsonb[];
BEGIN
  PERFORM settled.check_page(max);
  IF season IS NOT NULL THEN
    PERFORM seasons.check_season(season);
  END IF;
  IF team IS NOT NULL THEN
    PERFORM seasons.check_team(team);
  END IF;
  IF before IS NOT NULL THEN
    last := (seasons.find_talk(before)).id;
  END IF;
  FOR talk IN
    SELECT t.* FROM seasons.team_talk AS t
    WHERE (team_talks.season IS NULL OR t.season = team_talks.season) AND (number IS NULL OR t.year = number)
      AND (team_talks.team IS NULL OR t.team = team_talks.team) AND (last IS NULL OR t.id < last)
    ORDER BY t.id DESC LIMIT max
  LOOP
    shown := seasons.talk_json(talk, is_coach);
    bytes := bytes + pg_column_size(shown);
    EXIT WHEN bytes > 64 * 1024 * 1024 AND page <> '{}';
    page := page || shown;
  END LOOP;
  RETURN to_jsonb(page);
END
$$;
COMMENT ON FUNCTION seasons.team_talks(text, text, text, text, uuid, integer) IS
$$Lists team talks, newest first.
viewer: a username of at most 10,000 characters. Only coaches see the views. A null or unknown viewer is treated
    as a runner.
season: xc or track; null: both.
year: four digits; null: all years.
team: UA or NU; null: both.
before: the uuid of the last talk on the previous page; null: start at the newest talk.
max (talks): 1 to 500. A page ends early when it reaches 64 MiB.
Returns an array of talks in the format of seasons.team_talk.
Refuses: SD400 max, season, team, viewer, year; SD404 team-talk.
Example: SELECT seasons.team_talks(viewer => 'coach', season => 'xc', year => '2031', max => 10)$$;

SELECT settled.declare_callers('seasons', contract => '{team_talk, team_talks}');
