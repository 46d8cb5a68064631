-- breaking: columns, constraints and triggers bear plain names from now on. Former ones: attend_at, marked_at, settle_at of
-- racing.race; asleep of settled.node; bell of the triggers that notify the nodes.
ALTER TABLE racing.race RENAME COLUMN attend_at TO next_check_at;
ALTER TABLE racing.race RENAME COLUMN marked_at TO correction_due_at;
ALTER TABLE racing.race RENAME COLUMN settle_at TO settle_due_at;
ALTER TABLE racing.race RENAME CONSTRAINT race_marked TO race_correction_due;
ALTER TABLE settled.node RENAME COLUMN asleep TO needs_notify;

-- With its triggers: functions of this release make them anew.
DROP FUNCTION IF EXISTS settled.ring() CASCADE;
