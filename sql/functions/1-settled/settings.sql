-- The current value of a setting.
CREATE OR REPLACE FUNCTION settled.setting(key text)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  found_value text;
BEGIN
  SELECT coalesce(s.value, s.default_value) INTO found_value FROM settled.setting AS s WHERE s.key = setting.key;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD400', 'key', 'there is no setting with this name');
  END IF;
  RETURN found_value;
END
$$;

CREATE OR REPLACE FUNCTION settled.setting_span(key text)
RETURNS interval
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN settled.parse_span(settled.setting(key));
END
$$;

-- The value as it is stored, or null if it is invalid for this kind of setting.
CREATE OR REPLACE FUNCTION settled.normal_value(kind text, value text, low numeric, high numeric)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  spans interval[];
  shares integer[];
  number numeric;
BEGIN
  value := btrim(value);
  CASE kind
    WHEN 'span', 'spans', 'retention' THEN
      IF kind = 'retention' AND value = 'forever' THEN
        RETURN value;
      END IF;
      SELECT array_agg(settled.parse_span(part) ORDER BY place) INTO spans
        FROM unnest(CASE kind WHEN 'spans' THEN string_to_array(value, ',') ELSE ARRAY[value] END)
          WITH ORDINALITY AS list (part, place);
      IF spans IS NULL OR EXISTS (
        SELECT FROM (SELECT span, lag(span) OVER (ORDER BY place) AS previous
          FROM unnest(spans) WITH ORDINALITY AS list (span, place)) AS s
        WHERE span IS NULL OR span <= previous OR extract(epoch FROM span) NOT BETWEEN low AND high)
      THEN
        RETURN NULL;
      END IF;
      RETURN value;
    WHEN 'percent' THEN
      number := CASE WHEN value ~ '^[0-9]{1,3}(\.[0-9]{1,2})?$' THEN value::numeric END;
    WHEN 'whole' THEN
      number := CASE WHEN value ~ '^[0-9]{1,18}$' THEN value::numeric END;
    WHEN 'shares' THEN
      IF value ~ '^[0-9]{1,3} *, *[0-9]{1,3} *, *[0-9]{1,3}$' THEN
        shares := string_to_array(value, ',')::integer[];
        IF shares[1] > shares[2] AND shares[2] > shares[3] AND shares[3] > 0
          AND shares[1] + shares[2] + shares[3] = 100
        THEN
          RETURN array_to_string(shares, ',');
        END IF;
      END IF;
    WHEN 'url' THEN
      RETURN CASE WHEN length(value) <= 200 AND value ~ '^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*$' THEN value END;
    WHEN 'switch' THEN
      RETURN CASE WHEN value IN ('on', 'off') THEN value END;
    WHEN 'zone' THEN
      IF EXISTS (SELECT FROM settled.time_zone AS z WHERE z.name = value) THEN
        RETURN value;
      END IF;
  END CASE;
  RETURN CASE WHEN number BETWEEN low AND high THEN trim_scale(number)::text END;
END
$$;

-- The valid values of a setting, for the error message.
CREATE OR REPLACE FUNCTION settled.taken(setting settled.setting)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE setting.kind
    WHEN 'span' THEN format('a duration from %s to %s: %s',
      settled.span_text(setting.low), settled.span_text(setting.high), settled.span_forms())
    WHEN 'retention' THEN format('forever, or a duration from %s to %s: %s',
      settled.span_text(setting.low), settled.span_text(setting.high), settled.span_forms())
    WHEN 'spans' THEN format('increasing durations from %s to %s, separated by commas, such as 24h,48h, each %s',
      settled.span_text(setting.low), settled.span_text(setting.high), settled.span_forms())
    WHEN 'percent' THEN format('a percentage from %s to %s with at most two decimals', setting.low, setting.high)
    WHEN 'whole' THEN format('a whole number from %s to %s', setting.low, setting.high)
    WHEN 'shares' THEN 'three decreasing whole numbers above zero that sum to 100, such as 75,20,5'
    WHEN 'switch' THEN 'on or off'
    WHEN 'url' THEN 'a URL such as https://example.org, without a trailing slash'
    WHEN 'zone' THEN 'the name of a time zone, such as Europe/London' END
$$;

-- Changes a setting and wakes the daemons, because some rules are read live.
CREATE OR REPLACE FUNCTION settled.set(key text, value text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  row settled.setting;
  stored text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(key, 'key');
  PERFORM settled.check_text(value, 'value');
  SELECT s.* INTO row FROM settled.setting AS s WHERE s.key = set.key FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD400', 'key', 'there is no setting with this name');
  END IF;
  stored := settled.normal_value(row.kind, value, row.low, row.high);
  IF stored IS NULL THEN
    PERFORM settled.fail('SD400', 'value', format('%s must be %s', row.key, settled.taken(row)),
      jsonb_build_object('key', row.key, 'kind', row.kind, 'low', row.low, 'high', row.high));
  END IF;
  UPDATE settled.setting AS s SET value = stored WHERE s.key = row.key;
  IF row.kind = 'zone' THEN
    PERFORM settled.meet_zone(stored, settled.clock());
  END IF;
  PERFORM settled.notify('');
END
$$;

-- Declares a setting: a module's settings.sql calls this for each of its settings. A value that was set is kept.
CREATE OR REPLACE FUNCTION settled.declare_setting(
  key text, kind text, default_value text, low numeric, high numeric, meaning text)
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO settled.setting AS s (key, kind, default_value, low, high, meaning)
    VALUES (key, kind, default_value, low, high, meaning)
  ON CONFLICT ON CONSTRAINT setting_pkey DO UPDATE
    SET (kind, default_value, low, high, meaning) = ROW (excluded.kind, excluded.default_value, excluded.low, excluded.high, excluded.meaning)
    WHERE (s.kind, s.default_value, s.low, s.high, s.meaning)
      IS DISTINCT FROM (excluded.kind, excluded.default_value, excluded.low, excluded.high, excluded.meaning)
$$;

SELECT settled.declare_setting('settled.occurrence_retention', 'span', '400 days', 86400, 315360000,
  'How long the schedule history is kept.');
SELECT settled.declare_setting('settled.event_retention', 'span', '90 days', 86400, 315360000,
  'How long events are kept for readers.');

SELECT settled.declare_callers('settled', daemon => '{setting, setting_span, set}', fixed => '{set}');
