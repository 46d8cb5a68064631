-- The ledger of points is only added to.
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON seasons.earning FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
