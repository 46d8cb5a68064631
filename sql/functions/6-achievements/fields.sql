-- The fields of a definition, key by key. Optional keys can be null or absent.

-- Functions of earlier releases.
DROP FUNCTION IF EXISTS achievements.text_of(jsonb, text, integer);
DROP FUNCTION IF EXISTS achievements.optional_text_of(jsonb, text);
DROP FUNCTION IF EXISTS achievements.whole_of(jsonb, text, bigint, bigint, bigint);
DROP FUNCTION IF EXISTS achievements.flag_of(jsonb, text);

CREATE OR REPLACE FUNCTION achievements.icon_of(icon jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_keys(icon, '{type, color, symbol, svg_url}', 'icon');
  RETURN jsonb_build_object('type', settled.text_of(icon, 'type', min => 1), 'color', settled.text_of(icon, 'color'),
    'symbol', settled.text_of(icon, 'symbol'), 'svg_url', settled.text_of(icon, 'svg_url', is_optional => true));
END
$$;

-- What to count: the target, if there is one, and the required value.
CREATE OR REPLACE FUNCTION achievements.criterion_of(object jsonb, value_key text)
RETURNS achievements.criterion
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c achievements.criterion;
BEGIN
  c.metric := settled.text_of(object, 'metric');
  c.target := settled.text_of(object, 'target', is_optional => true);
  PERFORM achievements.check_metric(c.metric, c.target);
  c.target_key := achievements.key_of(c.target);
  c.value := settled.number_of(object, value_key, 0, 1000000000000000, is_whole => true)::bigint;
  c.place := 0;
  c.needs_previous := false;
  RETURN c;
END
$$;

-- The steps of a definition. Empty if it has none.
CREATE OR REPLACE FUNCTION achievements.steps_of(steps jsonb)
RETURNS achievements.criterion[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  criteria achievements.criterion[] := '{}'::achievements.criterion[];
  c achievements.criterion;
  step jsonb;
BEGIN
  IF coalesce(jsonb_typeof(steps), 'null') = 'null' THEN
    RETURN criteria;
  ELSIF jsonb_typeof(steps) <> 'array' OR jsonb_array_length(steps) > 100 THEN
    PERFORM settled.fail('SD400', 'steps', 'steps must be an array of at most 100 objects');
  END IF;
  FOR step IN SELECT s FROM jsonb_array_elements(steps) AS s LOOP
    PERFORM settled.check_keys(
      step, '{step_order, name, description, metric, target_value, target, requires_previous_step}', 'steps');
    c := achievements.criterion_of(step, 'target_value');
    c.place := settled.number_of(step, 'step_order', 0, 1000000, is_whole => true)::integer;
    c.name := settled.text_of(step, 'name', min => 1);
    c.description := settled.text_of(step, 'description');
    c.needs_previous := coalesce(settled.flag_of(step, 'requires_previous_step', is_optional => true), false);
    IF EXISTS (SELECT FROM unnest(criteria) AS k WHERE k.place = c.place) THEN
      PERFORM settled.fail('SD400', 'step-order', 'two steps have the same order');
    END IF;
    criteria := criteria || c;
  END LOOP;
  RETURN criteria;
END
$$;

-- The simple requirement as displayed, with only the given values. Null if the definition has steps instead.
CREATE OR REPLACE FUNCTION achievements.requirement_of(requirement jsonb, is_optional boolean)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF is_optional AND coalesce(jsonb_typeof(requirement), 'null') = 'null' THEN
    RETURN NULL;
  END IF;
  PERFORM settled.check_keys(requirement, '{metric, value, condition, target}', 'unlock_requirements');
  PERFORM settled.text_of(requirement, 'condition', is_optional => true);
  PERFORM achievements.criterion_of(requirement, 'value');
  RETURN jsonb_strip_nulls(requirement) || jsonb_build_object('value', (requirement ->> 'value')::numeric::bigint);
END
$$;
