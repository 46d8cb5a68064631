-- breaking
-- A stop binds all until its own node, or another one whose baseline is older than the jump, sees the clocks agree, or an
-- operator accepts the difference. "Older" is told by how many baselines had been established, never by a clock.
ALTER TABLE settled.clock_hold
  ADD COLUMN boot_id text NOT NULL DEFAULT '',
  ADD COLUMN agreed bigint NOT NULL DEFAULT 0,            -- baselines there were when its node last saw the clocks agree
  ADD COLUMN lifted boolean NOT NULL DEFAULT false,       -- another node saw them agree: it binds its own node only
  ADD COLUMN accepted boolean NOT NULL DEFAULT false;     -- by an operator: it binds nobody, and its node deletes it

ALTER TABLE settled.clock_acceptance
  ADD COLUMN accepted_milliseconds bigint NOT NULL DEFAULT 0,   -- the sum of all differences that were accepted
  ADD COLUMN baselines bigint NOT NULL DEFAULT 0;               -- how many baselines were established

ALTER TABLE settled.clock_baseline
  ADD COLUMN established bigint NOT NULL DEFAULT 0,             -- its number among them
  ADD COLUMN agreed bigint NOT NULL DEFAULT 0,
  ADD COLUMN acceptances bigint NOT NULL DEFAULT 0,             -- what its node knew of clock_acceptance
  ADD COLUMN accepted_milliseconds bigint NOT NULL DEFAULT 0,
  ADD COLUMN host_milliseconds bigint NOT NULL DEFAULT 0;       -- how far the node's wall clock may be behind
UPDATE settled.clock_baseline SET acceptances = (SELECT generation FROM settled.clock_acceptance);
