-- Definitions: the requirements that apply from now on, and the people to evaluate against them in the background.

-- Whether an edition's requirements, displayed steps or reward differ from the given ones.
CREATE OR REPLACE FUNCTION achievements.differs(edition bigint, criteria achievements.criterion[], reward bigint)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT NOT EXISTS (SELECT FROM achievements.edition AS e WHERE e.number = edition AND e.reward = differs.reward)
    OR EXISTS (
      SELECT FROM (SELECT * FROM achievements.criterion AS x WHERE x.edition = differs.edition) AS o
      FULL JOIN unnest(criteria) AS n ON n.place = o.place
      WHERE (o.metric, o.target, o.value, o.needs_previous, o.name, o.description)
        IS DISTINCT FROM (n.metric, n.target, n.value, n.needs_previous, n.name, n.description))
$$;

-- Selects the people who might reach something under an edition but not under the previous one. For a new or lower
-- criterion: people whose counters have the required value. For removed steps: people who completed one of the
-- remaining steps.
CREATE OR REPLACE FUNCTION achievements.evaluate(edition bigint, earlier bigint, now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  WITH numbered AS (
    SELECT k.*, lag(k.step_id) OVER (PARTITION BY k.edition ORDER BY k.place) AS previous
    FROM achievements.criterion AS k WHERE k.edition IN (evaluate.edition, evaluate.earlier)
  )
  INSERT INTO achievements.evaluation (edition, created_at, metric, target_key, last_value)
    SELECT evaluate.edition, now, CASE WHEN n.value > 0 THEN n.metric END, CASE WHEN n.value > 0 THEN n.target_key END, n.value
    FROM numbered AS n
    LEFT JOIN numbered AS o ON o.edition = evaluate.earlier AND o.step_id IS NOT DISTINCT FROM n.step_id
    WHERE n.edition = evaluate.edition AND (o.edition IS NULL OR (o.metric, o.target_key) <> (n.metric, n.target_key)
      OR n.value < o.value OR (o.needs_previous AND NOT n.needs_previous)
      OR (n.needs_previous AND n.previous IS DISTINCT FROM o.previous))
    ORDER BY n.place;
  INSERT INTO achievements.evaluation (edition, created_at, step_id, last_value)
    SELECT evaluate.edition, now, k.step_id, 0 FROM achievements.criterion AS k
    WHERE k.edition = evaluate.edition
      AND EXISTS (SELECT FROM achievements.criterion AS o WHERE o.edition = evaluate.earlier AND o.step_id = k.step_id)
      AND EXISTS (SELECT FROM achievements.criterion AS o WHERE o.edition = evaluate.earlier AND o.step_id NOT IN (
        SELECT s.step_id FROM achievements.criterion AS s WHERE s.edition = evaluate.edition))
    ORDER BY k.place LIMIT 1;
END
$$;

-- Creates an edition of an achievement. The caller holds the lock for definitions, so numbers increase in commit order.
CREATE OR REPLACE FUNCTION achievements.edit(achievement_id bigint, criteria achievements.criterion[], reward bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now CONSTANT timestamptz := settled.clock();
  new_number CONSTANT bigint := 1 + coalesce((SELECT max(e.number) FROM achievements.edition AS e), 0);
  earlier CONSTANT bigint :=
    (SELECT e.number FROM achievements.edition AS e WHERE e.achievement_id = edit.achievement_id AND e.replaced_by IS NULL);
BEGIN
  IF NOT achievements.differs(earlier, criteria, reward) THEN
    RETURN;
  END IF;
  UPDATE achievements.edition AS e SET replaced_by = new_number WHERE e.number = earlier;
  INSERT INTO achievements.edition (number, achievement_id, reward, defined_at)
    VALUES (new_number, achievement_id, reward, now);
  INSERT INTO achievements.criterion
    (edition, place, step_id, metric, target, target_key, value, needs_previous, name, description)
    SELECT new_number, c.place, CASE WHEN c.name IS NOT NULL THEN coalesce(o.step_id, nextval('achievements.step_id')) END,
      c.metric, c.target, c.target_key, c.value, c.needs_previous, c.name, c.description
    FROM unnest(criteria) AS c
    LEFT JOIN achievements.criterion AS o ON o.edition = earlier AND o.place = c.place;
  PERFORM achievements.evaluate(new_number, earlier, now);
END
$$;

CREATE OR REPLACE FUNCTION achievements.define(achievement jsonb)
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a achievements.achievement;
  criteria achievements.criterion[];
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(achievement, '{slug, name, description, icon, unlock_requirements, steps, reward, is_hidden,
    category, display_order}', 'achievement');
  a.slug := settled.text_of(achievement, 'slug', min => 1);
  a.name := settled.text_of(achievement, 'name', min => 1);
  a.description := settled.text_of(achievement, 'description');
  a.icon := achievements.icon_of(achievement -> 'icon');
  criteria := achievements.steps_of(achievement -> 'steps');
  a.unlock_requirements := achievements.requirement_of(achievement -> 'unlock_requirements', cardinality(criteria) > 0);
  IF cardinality(criteria) = 0 THEN
    criteria := ARRAY[achievements.criterion_of(a.unlock_requirements, 'value')];
  END IF;
  a.reward := coalesce(
    settled.number_of(achievement, 'reward', 0, 1000000000, is_whole => true, is_optional => true), 0)::bigint;
  a.is_hidden := coalesce(settled.flag_of(achievement, 'is_hidden', is_optional => true), false);
  a.category := settled.text_of(achievement, 'category', is_optional => true);
  PERFORM achievements.check_category(a.category);
  a.display_order := coalesce(
    settled.number_of(achievement, 'display_order', -1000000000, 1000000000, is_whole => true, is_optional => true), 0)::integer;

  PERFORM FROM achievements.latch AS l WHERE l.name = 'definitions' FOR NO KEY UPDATE;
  UPDATE achievements.achievement AS x SET (name, description, icon, unlock_requirements, reward, is_hidden, category, display_order)
      = ROW (a.name, a.description, a.icon, a.unlock_requirements, a.reward, a.is_hidden, a.category, a.display_order)
    WHERE x.slug = a.slug RETURNING x.id INTO a.id;
  IF NOT FOUND THEN
    INSERT INTO achievements.achievement AS x
        (slug, name, description, icon, unlock_requirements, reward, is_hidden, category, display_order)
      VALUES (a.slug, a.name, a.description, a.icon, a.unlock_requirements, a.reward, a.is_hidden, a.category, a.display_order)
      RETURNING x.id INTO a.id;
  END IF;
  PERFORM achievements.edit(a.id, criteria, a.reward);
  RETURN a.id;
END
$$;
COMMENT ON FUNCTION achievements.define(jsonb) IS
$$Defines an achievement. A later call with the same slug replaces the entire achievement.
achievement: a JSON object.
  slug (text): 1 to 10,000 characters.
  name (text): 1 to 10,000 characters.
  description (text): at most 10,000 characters.
  icon (object): type (at least 1 character), color, symbol and optionally svg_url, all text.
  unlock_requirements (object, optional with steps): metric, value from 0 to 1,000,000,000,000,000, and optionally
      condition and target. metric and target are as in achievements.report_metric.
  steps (array, optional): at most 100 objects, each with step_order (0 to 1,000,000), name, description, metric,
      target_value, and optionally target and requires_previous_step.
  reward (points, optional): a whole number from 0 to 1,000,000,000.
  is_hidden (boolean, optional): whether the achievement is masked until it is unlocked.
  category (text, optional): authors, books_and_series, categories, contributions or career.
  display_order (whole number, optional): -1,000,000,000 to 1,000,000,000.
Returns the achievement's id.
Refuses: SD400 achievement, category, color, condition, description, display-order, icon, is-hidden, isolation, key,
    metric, name, requires-previous-step, reward, slug, step-order, steps, svg-url, symbol, target, target-value, type,
    unlock-requirements, value.
Example: SELECT achievements.define(achievement => '{"slug": "bookworm", "name": "Bookworm",
    "description": "Reads fifty books", "icon": {"type": "book", "color": "#335577", "symbol": "B"},
    "unlock_requirements": {"metric": "books_read", "value": 50}, "reward": 100, "category": "career"}')$$;

SELECT settled.declare_callers('achievements', contract => '{define}');
