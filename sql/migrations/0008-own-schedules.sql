-- What the daemon's own schedules keep: standing problems, the ledger's chain and its differences, closed events.

-- What is known to be wrong until it is put right; every node shows it in health and status.
CREATE TABLE settled.problem (
  name text PRIMARY KEY,         -- who found it: `ledger`, `schedule history-pruning`
  problem text NOT NULL,
  since timestamptz NOT NULL
);

-- Events that were numbered before the default partition was closed, up to `through`: kept from then on for the retention.
CREATE TABLE settled.event_closing (
  through bigint PRIMARY KEY,
  closed_at timestamptz NOT NULL
);

-- The chain over the journals, numbered in the order in which they were found committed: ids are given before the commit,
-- so a journal may come after one with a higher id. Each hash covers the one before it and the journal with its postings.
CREATE TABLE racing.chain_link (
  position bigint PRIMARY KEY,
  journal_id bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT chain_link_once UNIQUE (journal_id),
  CONSTRAINT chain_link_position CHECK (position > 0),
  CONSTRAINT chain_link_hash CHECK (length(hash) = 32)
);

-- The chain's end. Extensions lock it, one after the other.
CREATE TABLE racing.chain_head (
  only_row boolean PRIMARY KEY DEFAULT true,
  position bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT '',
  newest_journal bigint NOT NULL DEFAULT 0,      -- the highest id in the chain
  CONSTRAINT chain_head_only_row CHECK (only_row),
  CONSTRAINT chain_head_position CHECK (position >= 0 AND (position = 0) = (hash = ''))
);
INSERT INTO racing.chain_head DEFAULT VALUES;

-- Differences that the last audit found, so that each is told once.
CREATE TABLE racing.ledger_difference (
  finding text PRIMARY KEY,      -- account, athlete, and by how much
  difference jsonb NOT NULL,
  found_at timestamptz NOT NULL
);
