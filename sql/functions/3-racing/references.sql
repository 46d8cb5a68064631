-- The rows that postings and payouts name exist and are never deleted: checked once per statement, because a foreign
-- key is checked once per row and column.

-- Scalar subqueries: each is one index lookup, with any plan that the session keeps.
CREATE OR REPLACE FUNCTION racing.check_posting_references()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT p.id INTO wrong FROM new_postings AS p
    WHERE p.athlete_id IS NOT NULL AND (SELECT a.id FROM racing.athlete AS a WHERE a.id = p.athlete_id) IS NULL
      OR p.race_id IS NOT NULL AND (SELECT r.id FROM racing.race AS r WHERE r.id = p.race_id) IS NULL
      OR p.entry_id IS NOT NULL AND (SELECT e.id FROM racing.entry AS e WHERE e.id = p.entry_id
        AND e.athlete_id = coalesce(p.athlete_id, e.athlete_id) AND e.race_id = coalesce(p.race_id, e.race_id)) IS NULL
    LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'posting_references',
      SCHEMA = 'racing', TABLE = 'posting',
      MESSAGE = format('the athlete, race and entry of posting %s do not match', wrong);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION racing.check_payout_references()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT p.race_id INTO wrong FROM new_payouts AS p
    WHERE (SELECT s.revision FROM racing.settlement AS s WHERE s.race_id = p.race_id AND s.revision = p.revision) IS NULL
      OR (SELECT e.id FROM racing.entry AS e
        WHERE e.id = p.entry_id AND e.athlete_id = p.athlete_id AND e.race_id = p.race_id) IS NULL
    LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'payout_references',
      SCHEMA = 'racing', TABLE = 'payout',
      MESSAGE = format('a payout of race %s references a settlement or an entry of another race or athlete', wrong);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER referring AFTER INSERT ON racing.posting
  REFERENCING NEW TABLE AS new_postings FOR EACH STATEMENT EXECUTE FUNCTION racing.check_posting_references();
CREATE OR REPLACE TRIGGER referring AFTER INSERT ON racing.payout
  REFERENCING NEW TABLE AS new_payouts FOR EACH STATEMENT EXECUTE FUNCTION racing.check_payout_references();

CREATE OR REPLACE FUNCTION racing.refuse_removal()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD409', 'append-only',
    format('rows of %I.%I cannot be deleted or renumbered: the ledger references them', TG_TABLE_SCHEMA,
      TG_TABLE_NAME));
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER kept BEFORE DELETE OR TRUNCATE OR UPDATE OF id
  ON racing.athlete FOR EACH STATEMENT EXECUTE FUNCTION racing.refuse_removal();
CREATE OR REPLACE TRIGGER kept BEFORE DELETE OR TRUNCATE OR UPDATE OF id
  ON racing.race FOR EACH STATEMENT EXECUTE FUNCTION racing.refuse_removal();
CREATE OR REPLACE TRIGGER kept BEFORE DELETE OR TRUNCATE OR UPDATE OF id, athlete_id, race_id
  ON racing.entry FOR EACH STATEMENT EXECUTE FUNCTION racing.refuse_removal();
