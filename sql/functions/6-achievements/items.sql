-- The public format of achievements, and masking. Source: Achievements.docc/Masking.md.

CREATE OR REPLACE FUNCTION achievements.check_category(category text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF category <> ALL ('{authors, books_and_series, categories, contributions, career}') THEN
    PERFORM settled.fail('SD400', 'category', 'there is no such category');
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION achievements.check_hidden(hidden text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF hidden IS NULL OR hidden NOT IN ('masked', 'absent') THEN
    PERFORM settled.fail('SD400', 'hidden', 'hidden must be masked or absent');
  END IF;
END
$$;

-- A null viewer is anonymous.
CREATE OR REPLACE FUNCTION achievements.check_viewer(viewer bigint)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF viewer IS NOT NULL AND NOT EXISTS (SELECT FROM achievements.person AS p WHERE p.id = viewer) THEN
    PERFORM settled.fail('SD404', 'user', 'there is no such user');
  END IF;
END
$$;

-- A person's progress. The percentage has two decimal places, rounded down.
CREATE OR REPLACE FUNCTION achievements.progress_json(is_unlocked boolean, current bigint, required bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'current', CASE WHEN is_unlocked THEN greatest(current, required) ELSE current END,
    'required', required,
    'percentage', CASE WHEN is_unlocked OR current >= required THEN 100
      ELSE trim_scale(trunc(current * 100.0 / required, 2)) END);
END
$$;

-- A step. If a person has unlocked the achievement, all of its current steps are completed.
CREATE OR REPLACE FUNCTION achievements.step_json(c achievements.criterion, current bigint, is_completed boolean)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'step_order', c.place, 'name', c.name, 'description', c.description, 'metric', c.metric, 'target_value', c.value,
    'target', c.target, 'requires_previous_step', c.needs_previous,
    'current', CASE WHEN is_completed THEN greatest(current, c.value) ELSE current END, 'is_completed', is_completed);
END
$$;

CREATE OR REPLACE FUNCTION achievements.item_json(
  a achievements.achievement, is_masked boolean, progress jsonb, steps jsonb, unlocked_at timestamptz)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
      'id', a.id, 'slug', a.slug, 'category', a.category, 'display_order', a.display_order, 'is_hidden', a.is_hidden,
      'is_multistep', steps IS NOT NULL, 'is_unlocked', unlocked_at IS NOT NULL,
      'date_unlocked', to_char(unlocked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
    || CASE WHEN is_masked THEN jsonb_build_object(
      'name', '???', 'description', '???', 'reward', NULL, 'unlock_requirements', NULL, 'progress', NULL, 'steps', '[]'::jsonb,
      'icon', jsonb_build_object('type', 'question', 'color', '#999999', 'symbol', '?', 'svg_url', NULL))
    ELSE jsonb_build_object(
      'name', a.name, 'description', a.description, 'reward', a.reward, 'unlock_requirements', a.unlock_requirements,
      'progress', progress, 'steps', coalesce(steps, '[]'), 'icon', a.icon) END;
END
$$;

-- One or all achievements as a viewer sees them. The order of a list depends only on displayed values, so it does not
-- reveal masked values.
CREATE OR REPLACE FUNCTION achievements.items(viewer bigint, achievement_id bigint DEFAULT NULL)
RETURNS TABLE (id bigint, category text, is_hidden boolean, is_unlocked boolean, place bigint, item jsonb)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  p achievements.person;
  s achievements.standing;
BEGIN
  SELECT x.* INTO p FROM achievements.person AS x WHERE x.id = viewer;
  IF FOUND THEN
    s := achievements.reached(p);
  END IF;
  RETURN QUERY
    WITH unlocked AS MATERIALIZED (
      SELECT u.achievement_id AS id, u.unlocked_at AS at FROM achievements.unlock AS u WHERE u.user_id = viewer
      UNION ALL SELECT n.id, n.at FROM unnest(s.unlocked, s.unlocked_at) AS n (id, at)
    ), asked AS (
      SELECT a AS achievement, u.at, a.is_hidden AND u.at IS NULL AS is_masked, c.current, c.required, c.completed, c.steps
      FROM achievements.achievement AS a
      JOIN achievements.edition AS e ON e.achievement_id = a.id AND e.replaced_by IS NULL
      LEFT JOIN unlocked AS u ON u.id = a.id
      CROSS JOIN LATERAL (
        SELECT max(k.current) AS current, max(k.value) AS required, count(*) FILTER (WHERE k.is_completed) AS completed,
          jsonb_agg(achievements.step_json(k.criterion, k.current, k.is_completed) ORDER BY k.place)
            FILTER (WHERE k.step_id IS NOT NULL) AS steps
        FROM (
          SELECT k AS criterion, k.place, k.step_id, k.value,
            CASE WHEN k.metric = 'points' THEN coalesce(s.points, 0) ELSE coalesce(n.value, 0) END AS current,
            u.at IS NOT NULL OR f.step_id IS NOT NULL OR coalesce(k.step_id = ANY (s.completed), false) AS is_completed
          FROM achievements.criterion AS k
          LEFT JOIN achievements.counter AS n
            ON n.user_id = viewer AND n.metric = k.metric AND n.target_key = k.target_key
          LEFT JOIN achievements.completion AS f ON f.user_id = viewer AND f.step_id = k.step_id
          WHERE k.edition = e.number
        ) AS k
      ) AS c
      WHERE items.achievement_id IS NULL OR a.id = items.achievement_id
    )
    SELECT (q.achievement).id, (q.achievement).category, (q.achievement).is_hidden, q.at IS NOT NULL,
      row_number() OVER (ORDER BY (q.achievement).display_order,
        CASE WHEN q.is_masked THEN '???' ELSE (q.achievement).name END COLLATE "C", (q.achievement).id),
      achievements.item_json(q.achievement, q.is_masked,
        CASE WHEN p.id IS NULL THEN NULL
          WHEN q.steps IS NULL THEN achievements.progress_json(q.at IS NOT NULL, q.current, q.required)
          ELSE achievements.progress_json(q.at IS NOT NULL, q.completed, jsonb_array_length(q.steps)) END,
        q.steps, q.at)
    FROM asked AS q;
END
$$;
