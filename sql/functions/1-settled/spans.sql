-- A length of time, written as PostgreSQL does or as 500ms 30s 10m 6h 14d. Null when it is neither.
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
  IF length(span) > 200 THEN
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
