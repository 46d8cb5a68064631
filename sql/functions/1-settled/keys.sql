-- Reads the keys of jsonb arguments. What does not fit is SD400. The rule is the key in kebab-case: activity-type for
-- activityType and for activity_type. The message begins with the key as the caller writes it.

CREATE OR REPLACE FUNCTION settled.rule_of(key text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT lower(regexp_replace(translate(key, '_', '-'), '([A-Z])', '-\1', 'g') COLLATE "C")
$$;

-- Refuses a key that is absent or has a value of another kind. rule: null for the key's own.
CREATE OR REPLACE FUNCTION settled.refuse_key(key text, needed text, rule text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD400', coalesce(rule, settled.rule_of(key)), format('%s must be %s', key, needed));
END
$$;

-- Whether a key has a value: a null is none.
CREATE OR REPLACE FUNCTION settled.is_given(object jsonb, key text)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN coalesce(jsonb_typeof(object -> key), 'null') <> 'null';
END
$$;

-- A text of min to max characters. Null where the key is optional and has no value.
CREATE OR REPLACE FUNCTION settled.text_of(
  object jsonb, key text, min integer DEFAULT 0, max integer DEFAULT 10000, is_optional boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF is_optional AND NOT settled.is_given(object, key) THEN
    RETURN NULL;
  ELSIF jsonb_typeof(object -> key) IS DISTINCT FROM 'string' THEN
    PERFORM settled.refuse_key(key, 'a string');
  END IF;
  PERFORM settled.check_text(object ->> key, key, max => max, min => min);
  RETURN object ->> key;
END
$$;

-- A number from low to high, exactly as it is written. It is in range before anything is computed with it, so that
-- 1e400 is a bad value and not an overflow. Null where the key is optional and has no value. inside: the key whose
-- object is read, of which the refusal is.
CREATE OR REPLACE FUNCTION settled.number_of(
  object jsonb, key text, low numeric, high numeric, is_whole boolean DEFAULT false, is_optional boolean DEFAULT false,
  inside text DEFAULT NULL)
RETURNS numeric
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  value numeric;
BEGIN
  IF is_optional AND NOT settled.is_given(object, key) THEN
    RETURN NULL;
  ELSIF jsonb_typeof(object -> key) = 'number' THEN
    value := (object -> key)::numeric;
  END IF;
  IF value IS NULL OR value NOT BETWEEN low AND high OR is_whole AND value <> trunc(value) THEN
    PERFORM settled.refuse_key(concat_ws('.', inside, key),
      format('a %s from %s to %s', CASE WHEN is_whole THEN 'whole number' ELSE 'number' END, low, high),
      settled.rule_of(coalesce(inside, key)));
  END IF;
  RETURN value;
END
$$;

-- True or false. Null where the key is optional and has no value.
CREATE OR REPLACE FUNCTION settled.flag_of(object jsonb, key text, is_optional boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF is_optional AND NOT settled.is_given(object, key) THEN
    RETURN NULL;
  ELSIF jsonb_typeof(object -> key) IS DISTINCT FROM 'boolean' THEN
    PERFORM settled.refuse_key(key, 'true or false');
  END IF;
  RETURN (object -> key)::boolean;
END
$$;
