-- Planning asks which runs of a schedule ended after its cursor: without this, one that ticks each second reads its day.
CREATE INDEX occurrence_finished ON settled.occurrence (schedule, finished_at) WHERE started_at IS NOT NULL;

-- How often a run was begun: an operator's function that ends its own server process is not begun for ever.
ALTER TABLE settled.occurrence ADD COLUMN attempts integer NOT NULL DEFAULT 0;
