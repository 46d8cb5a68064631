-- What operators steer: paused jobs, the audit of their commands, requests that may be repeated, and the clock guard.

CREATE TABLE settled.job (
  name text PRIMARY KEY,
  paused boolean NOT NULL
);

-- One row for each mutating command; never changed.
CREATE TABLE settled.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  node text NOT NULL,
  uid bigint NOT NULL,
  gid bigint NOT NULL,
  pid bigint NOT NULL,
  command text NOT NULL,
  target text NOT NULL,
  before jsonb NOT NULL,
  after jsonb NOT NULL,
  reason text,
  request_id text
);

-- Answers that may be asked for again: the same request answers as the first time, another one under its id conflicts.
CREATE TABLE settled.request (
  uid bigint NOT NULL,
  request_id text NOT NULL,
  request text NOT NULL,           -- command and parameters, hashed
  answer jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT request_once PRIMARY KEY (uid, request_id)
);

-- What each node knows of the database's clock: how it stood to the node's own boot clock.
CREATE TABLE settled.clock_baseline (
  node text PRIMARY KEY,
  boot_id text NOT NULL,
  boot_microseconds bigint NOT NULL,
  database_at timestamptz NOT NULL
);

-- Nodes that saw the database's clock jump. While there is a row nothing is settled, by any node.
CREATE TABLE settled.clock_hold (
  node text PRIMARY KEY,
  since timestamptz NOT NULL,
  difference_milliseconds bigint NOT NULL
);

-- Raised when an operator accepts the present difference: every node then starts from a new baseline.
CREATE TABLE settled.clock_acceptance (
  only_row boolean PRIMARY KEY DEFAULT true,
  generation bigint NOT NULL DEFAULT 0,
  CONSTRAINT clock_acceptance_only_row CHECK (only_row)
);
INSERT INTO settled.clock_acceptance DEFAULT VALUES;
