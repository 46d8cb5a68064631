-- The ledger of points is only added to. A description may be erased with the person
-- whom it names, and not replaced.
CREATE OR REPLACE TRIGGER erased_only BEFORE UPDATE OF description ON seasons.earning
  FOR EACH ROW WHEN (NEW.description IS NOT NULL) EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only
  BEFORE UPDATE OF id, runner_id, activity_type, activity_uuid, activity_digest, points, season, year, occurred_at, version
    OR DELETE OR TRUNCATE
  ON seasons.earning FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
