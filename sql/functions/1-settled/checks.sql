-- Checks of arguments. Each returns nothing, or fails with SD400. rule is the name of the argument or of its key as
-- the caller writes it: the message has it so, and settled.rule_of makes the rule of it.

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
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s must not be null', rule));
  ELSIF length(value) > max THEN
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s is longer than %s', rule, settled.characters(max)));
  ELSIF length(value) < min THEN
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s is shorter than %s', rule, settled.characters(min)));
  END IF;
END
$$;

-- A name as people read it: in the normal form NFC, without blanks around it, and without characters that show nothing
-- or turn the direction of others. Joiners and selectors within it are kept, because scripts and emoji need them.
CREATE OR REPLACE FUNCTION settled.plain_name(value text)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT btrim(regexp_replace(normalize(value, NFC) COLLATE "C",
      '[\u0001-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B'
        '\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]', '', 'g'),
    E'\t\n\x0B\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200C\u200D'
      '\u2028\u2029\u202F\u205F\u3000')
$$;

-- A name that people are shown, as settled.plain_name makes it; it has something to see.
CREATE OR REPLACE FUNCTION settled.shown_name(value text, rule text)
RETURNS text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  plain text;
BEGIN
  PERFORM settled.check_text(value, rule, min => 1);
  plain := settled.plain_name(value);
  IF regexp_replace(plain, '[\s\u200C\u200D\uFE00-\uFE0F]', '', 'g') = '' THEN
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s must have at least one visible character', rule));
  END IF;
  PERFORM settled.check_text(plain, rule);
  RETURN plain;
END
$$;

-- A name by which somebody is found: it is plain already, so that no two look alike by what cannot be seen.
CREATE OR REPLACE FUNCTION settled.check_key_name(value text, rule text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_text(value, rule, min => 1);
  IF settled.plain_name(value) <> value COLLATE "C" OR value ~ '[\u200C\u200D\uFE00-\uFE0F]' THEN
    PERFORM settled.fail('SD400', settled.rule_of(rule), format(
      '%s must be in Unicode normal form NFC, without leading or trailing blanks and without invisible characters', rule));
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
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s must not be null', rule));
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
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s must be an instant between 1900 and 2200', rule));
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
    PERFORM settled.fail('SD400', settled.rule_of(rule), format('%s must be a JSON object', rule));
  END IF;
  IF value - allowed <> '{}' THEN
    unknown := (SELECT left(min(k), 100) FROM jsonb_object_keys(value - allowed) AS k);
    PERFORM settled.fail('SD400', 'key', format('%s: unknown key "%s"', rule, unknown),
      jsonb_build_object('key', unknown));
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
    PERFORM settled.fail('SD400', 'isolation', 'this function requires a READ COMMITTED transaction');
  ELSIF current_setting('transaction_read_only') <> 'off' THEN
    PERFORM settled.fail('SD400', 'isolation', 'this function writes data, but the transaction is read-only');
  END IF;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{check_writer}');
