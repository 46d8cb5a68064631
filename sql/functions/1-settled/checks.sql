-- Checks of arguments. Each returns nothing, or fails with SD400 and the rule it is given.

CREATE OR REPLACE FUNCTION settled.characters(count integer)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT count || CASE count WHEN 1 THEN ' character' ELSE ' characters' END
$$;

-- A text that is there and no longer than max characters (nor shorter than min).
CREATE OR REPLACE FUNCTION settled.check_text(value text, rule text, max integer DEFAULT 10000, min integer DEFAULT 0)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF value IS NULL THEN
    PERFORM settled.fail('SD400', rule, format('%s must not be null', rule));
  ELSIF length(value) > max THEN
    PERFORM settled.fail('SD400', rule, format('%s is longer than %s', rule, settled.characters(max)));
  ELSIF length(value) < min THEN
    PERFORM settled.fail('SD400', rule, format('%s is shorter than %s', rule, settled.characters(min)));
  END IF;
END
$$;

-- An argument that must be there, such as an id. Whether it exists is another question.
CREATE OR REPLACE FUNCTION settled.check_present(value anyelement, rule text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF value IS NULL THEN
    PERFORM settled.fail('SD400', rule, format('%s must not be null', rule));
  END IF;
END
$$;

-- The size of a page.
CREATE OR REPLACE FUNCTION settled.check_page(max integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF max IS NULL OR max NOT BETWEEN 1 AND 500 THEN
    PERFORM settled.fail('SD400', 'max', 'max must be between 1 and 500');
  END IF;
END
$$;

-- An instant that a calendar can hold.
CREATE OR REPLACE FUNCTION settled.check_instant(value timestamptz, rule text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF value IS NULL OR NOT isfinite(value)
    OR value < timestamptz '1900-01-01 00:00:00+00' OR value > timestamptz '2200-01-01 00:00:00+00'
  THEN
    PERFORM settled.fail('SD400', rule, format('%s must be an instant between 1900 and 2200', rule));
  END IF;
END
$$;

-- A JSON object with no other keys than these. rule is the argument's own; an unknown key has the rule key.
CREATE OR REPLACE FUNCTION settled.check_keys(value jsonb, allowed text[], rule text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  unknown text;
BEGIN
  IF value IS NULL OR jsonb_typeof(value) <> 'object' THEN
    PERFORM settled.fail('SD400', rule, format('%s must be a JSON object', rule));
  END IF;
  SELECT k INTO unknown FROM jsonb_object_keys(value) AS k WHERE k <> ALL (allowed) ORDER BY k LIMIT 1;
  IF FOUND THEN
    PERFORM settled.fail('SD400', 'key', format('unknown key in %s', rule), jsonb_build_object('key', left(unknown, 100)));
  END IF;
END
$$;

-- Functions that write re-read rows after their locks, which works in READ COMMITTED only.
CREATE OR REPLACE FUNCTION settled.check_writer()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM settled.fail('SD400', 'isolation', 'this function needs a READ COMMITTED transaction');
  ELSIF current_setting('transaction_read_only') <> 'off' THEN
    PERFORM settled.fail('SD400', 'isolation', 'this function writes, and the transaction is read-only');
  END IF;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{check_writer}');
