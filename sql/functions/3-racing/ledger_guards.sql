-- The ledger, what was settled and what was decided guard themselves: nothing is changed or removed, and every journal
-- is balanced and written by one transaction.

CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.journal FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.posting FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.transaction_end FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.settlement FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.payout FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
-- Erasing a person empties the notes about them and the reviewer's name; nothing replaces either.
CREATE OR REPLACE TRIGGER erased_only BEFORE UPDATE OF note, reviewer ON racing.decision
  FOR EACH ROW WHEN (NEW.note <> OLD.note AND NEW.note <> 'erased' OR NEW.reviewer <> OLD.reviewer AND NEW.reviewer <> 'erased')
  EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only
  BEFORE UPDATE OF id, review_id, activity_id, decision, decided_at, is_overruling, measured_hash, saw_scores
  OR DELETE OR TRUNCATE
  ON racing.decision FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.chain_link FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON racing.journal_double FOR EACH STATEMENT EXECUTE FUNCTION settled.refuse_change();
DROP FUNCTION IF EXISTS racing.refuse_change();

-- Once per statement, over the statement's own rows: a check per row would be quadratic.
-- A refusal here is a bug of the writer, hence the class of a broken constraint.
CREATE OR REPLACE FUNCTION racing.check_postings()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  wrong_journal bigint;
  wrong_sum numeric;
BEGIN
  SELECT p.journal_id, sum(p.amount_pence) INTO wrong_journal, wrong_sum
    FROM new_postings AS p GROUP BY p.journal_id HAVING sum(p.amount_pence) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'posting_zero_sum',
      SCHEMA = 'racing', TABLE = 'posting',
      MESSAGE = format('the postings of journal %s in one statement sum to %s pence instead of zero',
        wrong_journal, wrong_sum);
  END IF;
  SELECT p.journal_id INTO wrong_journal
    FROM (SELECT DISTINCT n.journal_id FROM new_postings AS n) AS p
    LEFT JOIN racing.journal AS j ON j.id = p.journal_id
    WHERE j.written_by IS DISTINCT FROM pg_current_xact_id() LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'posting_same_transaction',
      SCHEMA = 'racing', TABLE = 'posting',
      MESSAGE = format('journal %s was not written by this transaction: it cannot receive postings', wrong_journal);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER balanced AFTER INSERT ON racing.posting
  REFERENCING NEW TABLE AS new_postings FOR EACH STATEMENT EXECUTE FUNCTION racing.check_postings();
