-- A person's progress: the one evaluation used by readers, check and the jobs. It writes nothing.
--
-- All results up to a certain edition are recorded. Later results follow from the latest counter change, evaluated
-- against the editions in force at that time; from each later edition; and from the points that these results give.
-- Source: Achievements.docc/Unlocking.md.

-- The editions in force with a criterion that a counter meets when it changes from one value to another.
CREATE OR REPLACE FUNCTION achievements.in_reach(metric text, target_key text, above bigint, value bigint, edition bigint)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT array_agg(DISTINCT k.edition) FROM achievements.criterion AS k
    JOIN achievements.edition AS e ON e.number = k.edition
    WHERE k.metric = in_reach.metric AND k.target_key = in_reach.target_key AND k.value > above AND k.value <= in_reach.value
      AND e.number <= in_reach.edition AND (e.replaced_by IS NULL OR e.replaced_by > in_reach.edition));
END
$$;

-- The editions in force with a criterion that a new person meets, because it requires nothing.
CREATE OR REPLACE FUNCTION achievements.met_by_all(edition bigint)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT array_agg(DISTINCT k.edition) FROM achievements.criterion AS k
    JOIN achievements.edition AS e ON e.number = k.edition
    WHERE k.value = 0 AND e.number <= met_by_all.edition AND (e.replaced_by IS NULL OR e.replaced_by > met_by_all.edition));
END
$$;

-- Evaluates a person against one edition. A step is completed when its counter has the required value and, if required,
-- the previous step is completed. Completing all steps unlocks the achievement.
CREATE OR REPLACE FUNCTION achievements.judge(
  s achievements.standing, user_id bigint, edition achievements.edition, at timestamptz)
RETURNS achievements.standing
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c record;
  is_met boolean := true;
  are_met boolean := true;
BEGIN
  FOR c IN
    SELECT k.step_id, k.value, k.needs_previous,
      CASE WHEN k.metric = 'points' THEN s.points ELSE coalesce(n.value, 0) END AS current,
      k.step_id IS NOT NULL AND (k.step_id = ANY (s.completed) OR EXISTS (
        SELECT FROM achievements.completion AS f WHERE f.user_id = judge.user_id AND f.step_id = k.step_id)) AS is_completed
    FROM achievements.criterion AS k
    LEFT JOIN achievements.counter AS n
      ON n.user_id = judge.user_id AND n.metric = k.metric AND n.target_key = k.target_key
    WHERE k.edition = judge.edition.number ORDER BY k.place
  LOOP
    is_met := c.is_completed OR (c.current >= c.value AND (is_met OR NOT c.needs_previous));
    are_met := are_met AND is_met;
    IF is_met AND NOT c.is_completed AND c.step_id IS NOT NULL THEN
      s.completed := s.completed || c.step_id;
      s.completed_at := s.completed_at || at;
    END IF;
  END LOOP;
  IF are_met THEN
    s.unlocked := s.unlocked || edition.achievement_id;
    s.rewards := s.rewards || edition.reward;
    s.unlocked_at := s.unlocked_at || at;
  END IF;
  RETURN s;
END
$$;

-- Evaluates a person against some editions, then repeatedly against the editions that the points from rewards bring
-- within reach.
CREATE OR REPLACE FUNCTION achievements.judge_all(
  s achievements.standing, user_id bigint, candidates bigint[], edition bigint, at timestamptz)
RETURNS achievements.standing
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  e achievements.edition;
  known integer;
  gained bigint;
BEGIN
  LOOP
    known := cardinality(s.unlocked);
    FOR e IN
      SELECT x.* FROM achievements.edition AS x
      WHERE x.number = ANY (candidates) AND x.achievement_id <> ALL (s.unlocked) AND NOT EXISTS (
        SELECT FROM achievements.unlock AS u WHERE u.user_id = judge_all.user_id AND u.achievement_id = x.achievement_id)
      ORDER BY x.achievement_id
    LOOP
      s := achievements.judge(s, user_id, e, at);
    END LOOP;
    gained := (SELECT sum(r)::bigint FROM unnest(s.rewards[known + 1:]) AS r);
    EXIT WHEN coalesce(gained, 0) = 0;
    candidates := achievements.in_reach('points', '', s.points, s.points + gained, edition);
    s.points := s.points + gained;
  END LOOP;
  RETURN s;
END
$$;

-- The edition up to which the background evaluation has evaluated everyone without unrecorded changes.
CREATE OR REPLACE FUNCTION achievements.evaluated_through(latest bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (SELECT coalesce(min(v.edition) - 1, latest) FROM achievements.evaluation AS v);
END
$$;

-- A person's progress beyond the recorded results. An unlock caused by a counter change has the time of the change. An
-- unlock caused by an edition has the time of the definition. All callers therefore get the same result, no matter when
-- it is recorded.
CREATE OR REPLACE FUNCTION achievements.reached(p achievements.person)
RETURNS achievements.standing
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  s achievements.standing := ROW (0::bigint, 0::bigint, '{}'::bigint[], '{}'::bigint[], '{}'::timestamptz[],
    '{}'::bigint[], '{}'::timestamptz[]);
  start bigint := p.edition;
  candidates bigint[];
  e record;
BEGIN
  s.through := coalesce((SELECT max(x.number) FROM achievements.edition AS x), 0);
  s.points := coalesce((SELECT n.value FROM achievements.counter AS n
    WHERE n.user_id = p.id AND n.metric = 'points' AND n.target_key = ''), 0);
  IF p.changed_at IS NULL THEN
    start := greatest(start, achievements.evaluated_through(s.through));
  ELSIF p.changed_metric IS NULL THEN
    s := achievements.judge_all(s, p.id, achievements.met_by_all(start), start, p.changed_at);
  ELSE
    candidates := achievements.in_reach(p.changed_metric, p.changed_target_key, p.changed_from,
      (SELECT n.value FROM achievements.counter AS n
        WHERE n.user_id = p.id AND n.metric = p.changed_metric AND n.target_key = p.changed_target_key), start);
    s := achievements.judge_all(s, p.id, candidates, start, p.changed_at);
  END IF;
  -- One statement skips the editions under which the person reaches nothing. There can be thousands of them while the
  -- background evaluation runs. Only evaluated editions change points and steps, so no edition that an earlier one
  -- brings within reach is skipped.
  LOOP
    SELECT x.number, x.defined_at INTO e FROM achievements.edition AS x
    WHERE x.number > start AND x.number <= s.through AND x.achievement_id <> ALL (s.unlocked)
      AND NOT EXISTS (SELECT FROM achievements.unlock AS u WHERE u.user_id = p.id AND u.achievement_id = x.achievement_id)
      AND EXISTS (
        SELECT FROM achievements.criterion AS k
        WHERE k.edition = x.number AND (k.value = 0
          OR k.metric = 'points' AND k.value <= s.points
          OR k.metric <> 'points' AND k.value <= (SELECT n.value FROM achievements.counter AS n
            WHERE n.user_id = p.id AND n.metric = k.metric AND n.target_key = k.target_key)
          OR k.step_id = ANY (s.completed)
          OR EXISTS (SELECT FROM achievements.completion AS f WHERE f.user_id = p.id AND f.step_id = k.step_id)))
    ORDER BY x.number LIMIT 1;
    EXIT WHEN NOT FOUND;
    s := achievements.judge_all(s, p.id, ARRAY[e.number], e.number, e.defined_at);
    start := e.number;
  END LOOP;
  RETURN s;
END
$$;

SELECT settled.declare_callers('achievements',
  daemon => '{reached, judge_all, judge, in_reach, met_by_all, evaluated_through}');
