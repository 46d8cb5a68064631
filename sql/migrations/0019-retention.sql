-- Tables of modules with a partition for each month, which the nightly pruning plants and drops: what each module's
-- retention.sql declares. Only the owner writes here, because the functions that read it drop tables.
CREATE TABLE settled.retention (
  schema_name text NOT NULL,
  table_name text NOT NULL,
  -- The key of the partitions: a date.
  column_name text NOT NULL,
  -- How long rows are kept.
  setting text NOT NULL REFERENCES settled.setting (key),
  PRIMARY KEY (schema_name, table_name)
);

DROP FUNCTION IF EXISTS checkins.plant_entries(), checkins.prune_entries();
