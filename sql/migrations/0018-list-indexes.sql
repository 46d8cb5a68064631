-- Indexes for what operators list.

-- What falls due next: of races that have not begun or ended yet.
CREATE INDEX race_to_end_later ON racing.race (ends_at) WHERE status = 'upcoming';
CREATE INDEX race_to_settle_later ON racing.race (attend_at) WHERE status IN ('upcoming', 'active');

-- The failures: quarantined ones first.
CREATE INDEX failure_listed ON settled.failure (quarantined, id);
