-- Views of team talks.

-- A call waits for no other. The view has the user's own name.
CREATE OR REPLACE FUNCTION seasons.track_view(
  team_talk_uuid uuid, username text, display_name text, team text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  t seasons.team_talk;
  u seasons.app_user;
  now timestamptz;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(settled.shown_name(display_name, 'display-name'), 'display-name', max => 100);
  IF team IS NOT NULL THEN
    PERFORM seasons.check_team(team);
  END IF;
  t := seasons.find_talk(team_talk_uuid);
  u := seasons.find_user(username);
  now := settled.clock();
  WITH seen AS (
    INSERT INTO seasons.view (talk_id, user_id, display_name, team, viewed_at)
      VALUES (t.id, u.id, u.display_name, track_view.team, now) RETURNING id
  )
  INSERT INTO seasons.uncounted_view (id, talk_id, user_id, display_name, viewed_at)
    SELECT s.id, t.id, u.id, u.display_name, now FROM seen AS s;
END
$$;
COMMENT ON FUNCTION seasons.track_view(uuid, text, text, text) IS
$$Records that a person has viewed a team talk. Each call adds a view.
display_name: 1 to 100 characters, including at least one visible character. The name is validated but not stored.
team: UA or NU; null: none.
Returns nothing.
Refuses: SD400 display-name, isolation, team, team-talk-uuid, username; SD404 team-talk, user.
Example: SELECT seasons.track_view(team_talk_uuid => (seasons.team_talks() #>> '{0,teamTalk,uuid}')::uuid,
    username => 'ann', display_name => 'Ann Lee')$$;

-- The people who viewed a talk, for coaches: those that the roll-up has counted, and those that it has not.
CREATE OR REPLACE FUNCTION seasons.view_summary(talk bigint, is_shown boolean)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  counted seasons.view_total;
BEGIN
  IF NOT is_shown THEN
    RETURN jsonb_build_object('totalViews', 0, 'uniqueViewers', 0, 'recentViews', '[]'::jsonb);
  END IF;
  SELECT v.* INTO counted FROM seasons.view_total AS v WHERE v.talk_id = talk;
  RETURN (
    SELECT jsonb_build_object(
      'totalViews', coalesce(counted.views, 0) + coalesce(sum(n.views), 0),
      'uniqueViewers', coalesce(counted.viewers, 0) + count(*) FILTER (WHERE NOT EXISTS (
        SELECT FROM seasons.viewer AS v WHERE v.talk_id = talk AND v.user_id = n.user_id)))
    FROM (
      SELECT w.user_id, count(*) AS views FROM seasons.uncounted_view AS w WHERE w.talk_id = talk GROUP BY w.user_id
    ) AS n
  ) || jsonb_build_object('recentViews', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'username', u.username, 'displayName', n.display_name, 'viewedAt', seasons.whole_second(n.viewed_at))
      ORDER BY n.viewed_at DESC, n.id DESC), '[]')
    FROM (
      SELECT a.* FROM (
        (SELECT r.viewed_at, r.id, r.user_id, r.display_name FROM seasons.recent_view AS r
          WHERE r.talk_id = talk ORDER BY r.viewed_at DESC, r.id DESC LIMIT 20)
        UNION ALL
        (SELECT w.viewed_at, w.id, w.user_id, w.display_name FROM seasons.uncounted_view AS w
          WHERE w.talk_id = talk ORDER BY w.viewed_at DESC, w.id DESC LIMIT 20)
      ) AS a ORDER BY a.viewed_at DESC, a.id DESC LIMIT 20
    ) AS n JOIN seasons.app_user AS u ON u.id = n.user_id));
END
$$;

SELECT settled.declare_callers('seasons', contract => '{track_view}');
