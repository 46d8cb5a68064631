-- Makes the numbers of journals and postings continue behind those of a history that the database has lost, so that no
-- withdrawal gets the number of a lost one. A number far ahead is not believed: it would use the sequence up.
CREATE OR REPLACE FUNCTION racing.skip_numbers(journal bigint, posting bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  far CONSTANT bigint := 1000000000::bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM setval('racing.journal_id_seq', skip_numbers.journal) FROM racing.journal_id_seq AS s
    WHERE skip_numbers.journal - s.last_value BETWEEN 1 AND far;
  PERFORM setval('racing.posting_id_seq', skip_numbers.posting) FROM racing.posting_id_seq AS s
    WHERE skip_numbers.posting - s.last_value BETWEEN 1 AND far;
END
$$;

SELECT settled.declare_callers('racing', daemon => '{skip_numbers}');
