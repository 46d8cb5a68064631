-- The fields of a definition, key by key. An optional key may be null or absent; the rule of a bad one is its name in
-- kebab-case.

CREATE OR REPLACE FUNCTION achievements.text_of(object jsonb, key text, min integer DEFAULT 0)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF jsonb_typeof(object -> key) IS DISTINCT FROM 'string' THEN
    PERFORM settled.fail('SD400', replace(key, '_', '-'), format('%s must be a text', key));
  END IF;
  PERFORM settled.check_text(object ->> key, replace(key, '_', '-'), min => min);
  RETURN object ->> key;
END
$$;

-- The text of an optional key; null where there is none.
CREATE OR REPLACE FUNCTION achievements.optional_text_of(object jsonb, key text)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE WHEN object ->> key IS NOT NULL THEN achievements.text_of(object, key) END;
END
$$;

-- A whole number from low to high; the default where the key is optional and there is none.
CREATE OR REPLACE FUNCTION achievements.whole_of(object jsonb, key text, low bigint, high bigint, otherwise bigint DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  value numeric;
BEGIN
  IF otherwise IS NOT NULL AND object ->> key IS NULL THEN
    RETURN otherwise;
  END IF;
  IF jsonb_typeof(object -> key) = 'number' THEN
    value := (object -> key)::numeric;
  END IF;
  IF value IS NULL OR value NOT BETWEEN low AND high OR value <> trunc(value) THEN
    PERFORM settled.fail('SD400', replace(key, '_', '-'), format('%s must be a whole number from %s to %s', key, low, high));
  END IF;
  RETURN value::bigint;
END
$$;

CREATE OR REPLACE FUNCTION achievements.flag_of(object jsonb, key text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF object ->> key IS NOT NULL AND jsonb_typeof(object -> key) <> 'boolean' THEN
    PERFORM settled.fail('SD400', replace(key, '_', '-'), format('%s must be true or false', key));
  END IF;
  RETURN coalesce((object ->> key)::boolean, false);
END
$$;

CREATE OR REPLACE FUNCTION achievements.icon_of(icon jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_keys(icon, '{type, color, symbol, svg_url}', 'icon');
  RETURN jsonb_build_object('type', achievements.text_of(icon, 'type', min => 1), 'color', achievements.text_of(icon, 'color'),
    'symbol', achievements.text_of(icon, 'symbol'), 'svg_url', achievements.optional_text_of(icon, 'svg_url'));
END
$$;

-- The things to count: for which target, and up to which value.
CREATE OR REPLACE FUNCTION achievements.criterion_of(object jsonb, value_key text)
RETURNS achievements.criterion
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  c achievements.criterion;
BEGIN
  c.metric := achievements.text_of(object, 'metric');
  c.target := achievements.optional_text_of(object, 'target');
  PERFORM achievements.check_metric(c.metric, c.target);
  c.target_key := achievements.key_of(c.target);
  c.value := achievements.whole_of(object, value_key, 0, 1000000000000000);
  c.place := 0;
  c.needs_previous := false;
  RETURN c;
END
$$;

-- The steps of a definition; none where it has none.
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
    PERFORM settled.fail('SD400', 'steps', 'steps must be an array of at most 100');
  END IF;
  FOR step IN SELECT s FROM jsonb_array_elements(steps) AS s LOOP
    PERFORM settled.check_keys(
      step, '{step_order, name, description, metric, target_value, target, requires_previous_step}', 'steps');
    c := achievements.criterion_of(step, 'target_value');
    c.place := achievements.whole_of(step, 'step_order', 0, 1000000)::integer;
    c.name := achievements.text_of(step, 'name', min => 1);
    c.description := achievements.text_of(step, 'description');
    c.needs_previous := achievements.flag_of(step, 'requires_previous_step');
    IF EXISTS (SELECT FROM unnest(criteria) AS k WHERE k.place = c.place) THEN
      PERFORM settled.fail('SD400', 'step-order', 'two steps have the same order');
    END IF;
    criteria := criteria || c;
  END LOOP;
  RETURN criteria;
END
$$;

-- The simple requirement as it is shown, with nothing but what was given; null where steps make it needless.
CREATE OR REPLACE FUNCTION achievements.requirement_of(requirement jsonb, is_optional boolean)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF is_optional AND coalesce(jsonb_typeof(requirement), 'null') = 'null' THEN
    RETURN NULL;
  END IF;
  PERFORM settled.check_keys(requirement, '{metric, value, condition, target}', 'unlock-requirements');
  PERFORM achievements.optional_text_of(requirement, 'condition');
  PERFORM achievements.criterion_of(requirement, 'value');
  RETURN jsonb_strip_nulls(requirement) || jsonb_build_object('value', (requirement ->> 'value')::numeric::bigint);
END
$$;
