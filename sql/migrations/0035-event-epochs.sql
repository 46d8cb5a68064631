-- Positions of events get an epoch, so that a database that was restored or copied gives none that another history has
-- given (Engine.docc/Events.md). Positions that stand are those of epoch 0.

CREATE TABLE settled.event_epoch (
  epoch bigint PRIMARY KEY,
  first_number bigint NOT NULL,
  history text,
  CONSTRAINT event_epoch_range CHECK (epoch BETWEEN 0 AND 9222),
  CONSTRAINT event_epoch_number CHECK (first_number BETWEEN 1 AND 999999999999999)
);
INSERT INTO settled.event_epoch (epoch, first_number) VALUES (0, 1);
COMMENT ON TABLE settled.event_epoch IS 'The epochs of the positions of events; the newest is that of the next event.';
COMMENT ON COLUMN settled.event_epoch.epoch IS 'A position is epoch * 10^15 + number.';
COMMENT ON COLUMN settled.event_epoch.first_number IS
  'The number of the first event of the epoch. Numbers continue from one epoch to the next.';
COMMENT ON COLUMN settled.event_epoch.history IS
  'The cluster, the database and the timeline that numbered in the epoch; null until the first event.';
