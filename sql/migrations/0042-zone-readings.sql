-- When the future of a zone was read from the server's files. A session that is older may still have former data in its
-- cache: what it reads is not compared.
ALTER TABLE settled.zone_future ADD COLUMN read_at timestamptz NOT NULL DEFAULT clock_timestamp();

COMMENT ON COLUMN settled.zone_future.read_at IS
  'When a session read the offsets, by the server''s real clock. Readings of sessions that are older do not count.';
