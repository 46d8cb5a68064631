-- A database that is older than what a node knows of it was restored, or lost commits in a fail-over. What must not be done
-- twice waits then for an operator.
ALTER TABLE settled.installation ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();

-- How often the node said that it lives: a node that remembers more than its row has knows that commits were lost.
ALTER TABLE settled.node ADD COLUMN beats bigint NOT NULL DEFAULT 0;

CREATE TABLE settled.restoration (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node text NOT NULL,                -- the node that noticed
  found_at timestamptz NOT NULL,     -- real time, as accepted_at
  timeline bigint NOT NULL,
  finding text NOT NULL,
  jobs text[] NOT NULL,              -- the jobs that stop until an operator accepts
  accepted_at timestamptz,
  CONSTRAINT restoration_timeline CHECK (timeline > 0)
);
CREATE UNIQUE INDEX restoration_open ON settled.restoration (node) WHERE accepted_at IS NULL;
