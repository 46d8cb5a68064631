-- Where a database lives: one that was copied or restored to another place notices it (Engine.docc/Copies.md).
ALTER TABLE settled.installation ADD COLUMN home text;
COMMENT ON COLUMN settled.installation.home IS 'The cluster and the database where daemons met it; null before the first.';
