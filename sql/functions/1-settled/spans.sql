-- A length of time, as settings and options take it: 500ms 30s 10m 6h 14d, or as PostgreSQL writes intervals. Null when
-- it is neither, or ends in a number other than zero that has no unit: PostgreSQL would take that for seconds.
-- The result is pure seconds: days and months in an interval would change length with the session's zone.
-- A month counts 30 days and a year 365.25, as extract(epoch) has it.
CREATE OR REPLACE FUNCTION settled.parse_span(span text)
RETURNS interval
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET intervalstyle = 'postgres'
AS $$
DECLARE
  parts text[];
  seconds numeric;
BEGIN
  IF length(span) > 200 OR span ~ '(^|\s)[+-]?[0-9.]*[1-9][0-9.]*(e[+-]?[0-9]*)?\s*$' THEN
    RETURN NULL;
  END IF;
  parts := regexp_match(btrim(span), '^([0-9]{1,15})(ms|s|m|h|d)$');
  IF parts IS NOT NULL THEN
    seconds := parts[1]::numeric * CASE parts[2]
      WHEN 'ms' THEN 0.001 WHEN 's' THEN 1 WHEN 'm' THEN 60 WHEN 'h' THEN 3600 ELSE 86400 END;
  ELSE
    BEGIN
      seconds := extract(epoch FROM span::interval);
    EXCEPTION WHEN data_exception THEN
      RETURN NULL;
    END;
  END IF;
  -- Not a number, infinite (possible from PostgreSQL 17 on), or longer than any rule could mean.
  IF seconds BETWEEN -1e10 AND 1e10 THEN
    RETURN seconds * interval '1 second';
  END IF;
  RETURN NULL;
END
$$;

-- Seconds as operators write them: 30d, 1h, 90m, 0s.
CREATE OR REPLACE FUNCTION settled.span_text(seconds numeric)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE
    WHEN seconds = 0 THEN '0s'
    WHEN seconds % 86400 = 0 THEN div(seconds, 86400) || 'd'
    WHEN seconds % 3600 = 0 THEN div(seconds, 3600) || 'h'
    WHEN seconds % 60 = 0 THEN div(seconds, 60) || 'm'
    WHEN seconds % 1 = 0 THEN seconds || 's'
    ELSE trim_scale(seconds * 1000) || 'ms' END
  FROM trim_scale(span_text.seconds) AS seconds
$$;

-- The texts that parse_span takes, for the refusal of others.
CREATE OR REPLACE FUNCTION settled.span_forms()
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT 'a number with its unit (500ms, 30s, 10m, 6h, 14d) or a PostgreSQL interval (3 days)'
$$;

SELECT settled.declare_callers('settled', daemon => '{parse_span, span_forms}');
