-- The checks of the new columns hold for each row. Nobody waits while the rows are read.
ALTER TABLE racing.activity VALIDATE CONSTRAINT activity_visibility;
ALTER TABLE racing.activity VALIDATE CONSTRAINT activity_uncounted_flags;
ALTER TABLE racing.activity VALIDATE CONSTRAINT activity_approvals;
