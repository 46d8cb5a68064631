-- Totals over all people. They include the recorded results and those that the longest-due checks will record. Other
-- effects of a definition are added as the background evaluation progresses.

-- The progress of people whose check is due. For a long queue, only the first ones.
CREATE OR REPLACE FUNCTION achievements.unrecorded()
RETURNS TABLE (user_id bigint, unlocked bigint[])
LANGUAGE sql STABLE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT d.id, (achievements.reached(d.person)).unlocked
  FROM (
    SELECT x.id, x AS person FROM achievements.person AS x WHERE x.due_at IS NOT NULL ORDER BY x.due_at, x.id LIMIT 100) AS d
$$;

-- The top of the ranking: by count, then by id.
CREATE OR REPLACE FUNCTION achievements.ranking(max bigint, skip bigint)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH due AS MATERIALIZED (
    SELECT r.user_id, cardinality(r.unlocked) AS more FROM achievements.unrecorded() AS r WHERE r.unlocked <> '{}'
  ), candidate AS (
    (SELECT p.id, p.unlock_count AS count FROM achievements.person AS p
      WHERE p.unlock_count > 0 AND p.id NOT IN (SELECT d.user_id FROM due AS d)
      ORDER BY p.unlock_count DESC, p.id LIMIT max + skip)
    UNION ALL
    SELECT p.id, p.unlock_count + d.more FROM due AS d JOIN achievements.person AS p ON p.id = d.user_id
  ), ranked AS (
    SELECT c.id, c.count, row_number() OVER (ORDER BY c.count DESC, c.id) AS rank FROM candidate AS c
    ORDER BY rank OFFSET skip LIMIT max
  )
  SELECT coalesce(jsonb_agg(jsonb_build_object(
      'rank', r.rank, 'user_id', r.id, 'user_name', p.name, 'achievement_count', r.count) ORDER BY r.rank), '[]')
  FROM ranked AS r JOIN achievements.person AS p ON p.id = r.id
$$;

CREATE OR REPLACE FUNCTION achievements.leaderboard(max integer DEFAULT 10, skip integer DEFAULT 0)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF max IS NULL OR max NOT BETWEEN 1 AND 100 THEN
    PERFORM settled.fail('SD400', 'max', 'max must be between 1 and 100');
  ELSIF skip IS NULL OR skip < 0 THEN
    PERFORM settled.fail('SD400', 'skip', 'skip must not be negative');
  END IF;
  RETURN achievements.ranking(max, skip);
END
$$;
COMMENT ON FUNCTION achievements.leaderboard(integer, integer) IS
$$Ranks users by their number of unlocks, then by id.
max (users): 1 to 100.
skip (users): how many to skip from the top, 0 or greater.
Returns an array of rank, user_id, user_name and achievement_count.
Refuses: SD400 max, skip.
Example: SELECT achievements.leaderboard(max => 5)$$;

CREATE OR REPLACE FUNCTION achievements.stats()
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    WITH more AS (
      SELECT n.id, count(*) AS unlocks FROM (
        SELECT c.achievement_id AS id FROM achievements.uncounted AS c
        UNION ALL SELECT unnest(r.unlocked) FROM achievements.unrecorded() AS r) AS n
      GROUP BY n.id
    ), counted AS (
      SELECT a.id, coalesce(t.unlocks, 0) + coalesce(m.unlocks, 0) AS unlocks, a.slug,
        CASE WHEN a.is_hidden THEN '???' ELSE a.name END AS name
      FROM achievements.achievement AS a
      LEFT JOIN achievements.total AS t ON t.achievement_id = a.id
      LEFT JOIN more AS m ON m.id = a.id
    ), shown AS (
      SELECT c.*, jsonb_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'unlock_count', c.unlocks) AS item FROM counted AS c
    )
    SELECT jsonb_build_object(
      'total_achievements', count(*),
      'total_unlocks', coalesce(sum(s.unlocks), 0),
      'average_unlocks_per_achievement', coalesce(trim_scale(round(sum(s.unlocks) / nullif(count(*), 0), 2)), 0),
      'most_unlocked', (SELECT x.item FROM shown AS x ORDER BY x.unlocks DESC, x.id LIMIT 1),
      'least_unlocked', (SELECT x.item FROM shown AS x ORDER BY x.unlocks, x.id LIMIT 1),
      'top_achievers', achievements.ranking(5, 0))
    FROM shown AS s);
END
$$;
COMMENT ON FUNCTION achievements.stats() IS
$$Counts all users' unlocks.
Returns total_achievements, total_unlocks, average_unlocks_per_achievement, most_unlocked, least_unlocked and
    top_achievers. most_unlocked and least_unlocked have id, name, slug and unlock_count. top_achievers
    contains the first five entries of achievements.leaderboard.
Refuses: nothing.
Example: SELECT achievements.stats()$$;

SELECT settled.declare_callers('achievements', contract => '{stats, leaderboard}');
