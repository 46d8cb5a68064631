-- Metrics (Achievements.docc/Unlocking.md, "Metrics"): whole numbers. Some metrics can have a target.

-- The index key of a target or a report. A long text would not fit in an index, so its digest is used instead. The
-- prefixes keep the two apart.
CREATE OR REPLACE FUNCTION achievements.key_of(value text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE WHEN value IS NULL THEN ''
    WHEN octet_length(value) <= 500 THEN 'is/' || value
    ELSE 'sha256/' || encode(sha256(convert_to(value, 'UTF8')), 'hex') END
$$;

CREATE OR REPLACE FUNCTION achievements.check_metric(metric text, target text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  targeted CONSTANT text[] := '{author_read_count, tag_read_count, book_read, book_reviewed, book_added}'::text[];
BEGIN
  IF metric IS NULL OR metric <> ALL (targeted || '{points, books_read, pages_read, books_added, approved_reports,
    notes_created, citations_created}'::text[])
  THEN
    PERFORM settled.fail('SD400', 'metric', 'there is no such metric');
  ELSIF target IS NOT NULL THEN
    PERFORM settled.check_text(target, 'target', min => 1);
    IF metric <> ALL (targeted) THEN
      PERFORM settled.fail('SD400', 'target', format('the metric %s does not take a target', metric));
    END IF;
  END IF;
END
$$;
