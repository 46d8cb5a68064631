-- A fresh code that the provider refuses once is tried again: such a refusal is often over two seconds later.
ALTER TABLE strava.connection ADD COLUMN refused_attempt bigint;
COMMENT ON COLUMN strava.connection.refused_attempt IS 'The attempt whose fresh code was refused once, and is tried again.';
