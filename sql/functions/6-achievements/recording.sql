-- A person's progress becomes rows. The caller has locked the person.

-- Records it, and pays the rewards of what this very call unlocked. Returns the person as they are then, judged through
-- the latest edition; the row has it only where something was written.
CREATE OR REPLACE FUNCTION achievements.record(p achievements.person)
RETURNS achievements.person
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  s achievements.standing := achievements.reached(p);
  won integer;
  paid bigint;
BEGIN
  IF p.changed_at IS NULL AND s.unlocked = '{}' AND s.completed = '{}' THEN
    p.edition := s.through;
    RETURN p;
  END IF;
  INSERT INTO achievements.completion (user_id, step_id, completed_at)
    SELECT p.id, c.step_id, c.at FROM unnest(s.completed, s.completed_at) AS c (step_id, at)
  ON CONFLICT ON CONSTRAINT completion_once DO NOTHING;
  WITH unlocked AS (
    INSERT INTO achievements.unlock (user_id, achievement_id, unlocked_at, reward)
      SELECT p.id, u.id, u.at, u.reward FROM unnest(s.unlocked, s.unlocked_at, s.rewards) AS u (id, at, reward)
    ON CONFLICT ON CONSTRAINT unlock_once DO NOTHING RETURNING achievement_id, reward
  ), counted AS (
    INSERT INTO achievements.uncounted (achievement_id) SELECT u.achievement_id FROM unlocked AS u
  )
  SELECT count(*)::integer, coalesce(sum(u.reward), 0)::bigint INTO won, paid FROM unlocked AS u;
  IF paid > 0 THEN
    INSERT INTO achievements.counter AS n (user_id, metric, target_key, value) VALUES (p.id, 'points', '', paid)
    ON CONFLICT ON CONSTRAINT counter_once DO UPDATE SET value = n.value + paid;
  END IF;
  UPDATE achievements.person AS x SET earned_points = x.earned_points + paid, unlock_count = x.unlock_count + won,
      edition = s.through, changed_at = NULL, changed_metric = NULL, changed_target_key = NULL, changed_from = NULL,
      due_at = coalesce(x.due_at, CASE WHEN won > 0 THEN settled.clock() END)
    WHERE x.id = p.id RETURNING x.* INTO p;
  RETURN p;
END
$$;

-- Records it, writes an event for each unlock that has none, and returns the ids of those achievements.
CREATE OR REPLACE FUNCTION achievements.settle(p achievements.person)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  announced bigint[];
BEGIN
  p := achievements.record(p);
  WITH announced AS (
    UPDATE achievements.unlock AS u SET is_announced = true WHERE u.user_id = p.id AND NOT u.is_announced
    RETURNING u.achievement_id, u.unlocked_at, u.reward
  ), told AS (
    INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
      SELECT 'achievement.unlocked', p.id::text, jsonb_build_object(
        'userId', p.id, 'achievementId', u.achievement_id, 'slug', a.slug, 'reward', u.reward), u.unlocked_at
      FROM announced AS u JOIN achievements.achievement AS a ON a.id = u.achievement_id
      ORDER BY u.unlocked_at, u.achievement_id
  )
  SELECT coalesce(array_agg(u.achievement_id), '{}') INTO announced FROM announced AS u;
  UPDATE achievements.person AS x SET due_at = NULL WHERE x.id = p.id AND x.due_at IS NOT NULL;
  RETURN announced;
END
$$;

-- The same for some people; returns how many.
CREATE OR REPLACE FUNCTION achievements.settle_all(users bigint[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p achievements.person;
  settled bigint := 0::bigint;
BEGIN
  FOR p IN SELECT x.* FROM achievements.person AS x WHERE x.id = ANY (users) ORDER BY x.id FOR NO KEY UPDATE LOOP
    PERFORM achievements.settle(p);
    settled := settled + 1;
  END LOOP;
  RETURN settled;
END
$$;

-- Adds up unlocks that are not counted yet; nothing where another node does.
CREATE OR REPLACE FUNCTION achievements.add_totals()
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM FROM achievements.latch AS l WHERE l.name = 'totals' FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  WITH counted AS (
    DELETE FROM achievements.uncounted AS c
    WHERE c.id = ANY (ARRAY(SELECT x.id FROM achievements.uncounted AS x ORDER BY x.id LIMIT 10000)) RETURNING c.achievement_id
  )
  INSERT INTO achievements.total AS t (achievement_id, unlocks)
    SELECT c.achievement_id, count(*) FROM counted AS c GROUP BY c.achievement_id
  ON CONFLICT ON CONSTRAINT total_pkey DO UPDATE SET unlocks = t.unlocks + excluded.unlocks;
END
$$;

SELECT settled.declare_callers('achievements', daemon => '{settle_all, settle, record, add_totals}');
