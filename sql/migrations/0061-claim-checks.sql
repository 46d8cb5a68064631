-- The checks that claims and displaced activities need hold for each row. Nobody waits while the rows are read.
ALTER TABLE racing.activity VALIDATE CONSTRAINT activity_displaced;
ALTER TABLE racing.activity VALIDATE CONSTRAINT activity_reasons;
