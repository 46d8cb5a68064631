-- Achievements: people and their counters, what is asked of them, and what they have reached. Source of the rules:
-- rules/achievements.md. Everything that a person has is written under the lock of the person's row alone.
CREATE SCHEMA achievements;

-- Rows that hold nothing and are locked: definitions follow each other, and one node at a time adds up totals.
CREATE TABLE achievements.latch (name text PRIMARY KEY);
INSERT INTO achievements.latch VALUES ('definitions'), ('totals');

-- What is shown of an achievement; what is asked stands in its editions. None is ever deleted. The slug's index is a hash,
-- because a long text would not fit a tree.
CREATE TABLE achievements.achievement (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  icon jsonb NOT NULL,
  unlock_requirements jsonb,                     -- as it is shown
  reward bigint NOT NULL,
  is_hidden boolean NOT NULL,
  category text,
  display_order integer NOT NULL,
  CONSTRAINT achievement_slug EXCLUDE USING hash (slug WITH =),
  CONSTRAINT achievement_reward CHECK (reward BETWEEN 0 AND 1000000000),
  CONSTRAINT achievement_category
    CHECK (category IN ('authors', 'books_and_series', 'categories', 'contributions', 'career'))
);

-- What an achievement asks from one definition to the next. Editions of all achievements are numbered in the order in which
-- they were committed. A replaced one is kept until everybody was judged by it as long as it was in force.
CREATE TABLE achievements.edition (
  number bigint PRIMARY KEY,
  achievement_id bigint NOT NULL REFERENCES achievements.achievement,
  reward bigint NOT NULL,
  defined_at timestamptz NOT NULL,
  replaced_by bigint,
  CONSTRAINT edition_replaced CHECK (replaced_by > number),
  CONSTRAINT edition_number CHECK (number > 0)
);
CREATE UNIQUE INDEX edition_in_force ON achievements.edition (achievement_id) WHERE replaced_by IS NULL;
CREATE INDEX edition_replaced_by ON achievements.edition (replaced_by) WHERE replaced_by IS NOT NULL;

-- A step keeps this id as long as each edition has one of its order.
CREATE SEQUENCE achievements.step_id;

-- A counter that is to reach a value: the only one of an edition, or one for each of its steps.
CREATE TABLE achievements.criterion (
  edition bigint NOT NULL REFERENCES achievements.edition ON DELETE CASCADE,
  place integer NOT NULL,                        -- the order of the step
  step_id bigint,                                -- null: the only criterion
  metric text COLLATE "C" NOT NULL,
  target text,                                   -- as it is shown
  target_key text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  needs_previous boolean NOT NULL,
  name text,
  description text,
  CONSTRAINT criterion_once PRIMARY KEY (edition, place),
  CONSTRAINT criterion_value CHECK (value BETWEEN 0 AND 1000000000000000),
  CONSTRAINT criterion_step CHECK ((step_id IS NULL) = (name IS NULL) AND (step_id IS NULL) = (description IS NULL))
);
CREATE INDEX criterion_in_reach ON achievements.criterion (metric, target_key, value);
CREATE INDEX criterion_at_zero ON achievements.criterion (edition) WHERE value = 0;

-- A person, and the one change of theirs of which it is not yet recorded what it reached. The next change records that first,
-- so that what somebody has reached follows from their counters as they are.
CREATE TABLE achievements.person (
  id bigint PRIMARY KEY,                         -- the app's
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  earned_points bigint NOT NULL DEFAULT 0,       -- rewards; the counter of points holds them, too
  unlock_count integer NOT NULL DEFAULT 0,
  edition bigint NOT NULL,                       -- the latest one when the counters last changed, or were judged
  due_at timestamptz,                            -- since when a check is due
  changed_at timestamptz,                        -- null: all that was reached is recorded
  changed_metric text,                           -- null: the person is new
  changed_target_key text,
  changed_from bigint,
  CONSTRAINT person_id CHECK (id > 0),
  CONSTRAINT person_name CHECK (length(name) BETWEEN 1 AND 10000),
  CONSTRAINT person_sums CHECK (earned_points >= 0 AND unlock_count >= 0),
  CONSTRAINT person_changed CHECK ((due_at IS NOT NULL OR changed_at IS NULL) AND (changed_at IS NOT NULL OR changed_metric IS NULL)
    AND (changed_metric IS NULL) = (changed_from IS NULL) AND (changed_metric IS NULL) = (changed_target_key IS NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX person_due ON achievements.person (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX person_by_unlocks ON achievements.person (unlock_count DESC, id) WHERE unlock_count > 0;

-- How far a person has come by a metric, for each target of it.
CREATE TABLE achievements.counter (
  user_id bigint NOT NULL REFERENCES achievements.person,
  metric text COLLATE "C" NOT NULL,
  target_key text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  CONSTRAINT counter_once PRIMARY KEY (user_id, metric, target_key),
  CONSTRAINT counter_value CHECK (value >= 0)
) WITH (fillfactor = 80);
CREATE INDEX counter_by_value ON achievements.counter (metric, target_key, value, user_id);

-- A repeated report is known by its key. It refers to no other table, so that planting a partition locks none.
CREATE TABLE achievements.report (
  user_id bigint NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  reported_on date NOT NULL,
  metric text NOT NULL,
  target_key text NOT NULL,
  value bigint NOT NULL,
  mode text NOT NULL,
  CONSTRAINT report_once PRIMARY KEY (user_id, idempotency_key, reported_on),
  CONSTRAINT report_mode CHECK (mode IN ('set', 'add'))
) PARTITION BY RANGE (reported_on);
CREATE TABLE achievements.report_default PARTITION OF achievements.report DEFAULT;

-- An achievement that a person has for good. The reward was paid by the transaction that inserted the row.
CREATE TABLE achievements.unlock (
  user_id bigint NOT NULL REFERENCES achievements.person,
  achievement_id bigint NOT NULL REFERENCES achievements.achievement,
  unlocked_at timestamptz NOT NULL,              -- the report or definition that reached it
  reward bigint NOT NULL,
  is_announced boolean NOT NULL DEFAULT false,   -- whether its event was written
  CONSTRAINT unlock_once PRIMARY KEY (user_id, achievement_id),
  CONSTRAINT unlock_reward CHECK (reward >= 0)
);
CREATE INDEX unlock_to_announce ON achievements.unlock (user_id) WHERE NOT is_announced;

-- A step that a person has completed for good.
CREATE TABLE achievements.completion (
  user_id bigint NOT NULL REFERENCES achievements.person,
  step_id bigint NOT NULL,
  completed_at timestamptz NOT NULL,
  CONSTRAINT completion_once PRIMARY KEY (user_id, step_id)
);
CREATE INDEX completion_of_step ON achievements.completion (step_id, user_id);

-- How often each achievement was unlocked: what is added up, and a row for each unlock that is not. So no app's transaction
-- holds a row that another one needs.
CREATE TABLE achievements.total (
  achievement_id bigint PRIMARY KEY REFERENCES achievements.achievement,
  unlocks bigint NOT NULL,
  CONSTRAINT total_unlocks CHECK (unlocks > 0)
) WITH (fillfactor = 50);
CREATE TABLE achievements.uncounted (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  achievement_id bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- People who may have reached something by a new edition: those whose counter has the value, or who completed the step; where
-- neither is named, everybody. The row is gone when all of them were judged.
CREATE TABLE achievements.evaluation (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  edition bigint NOT NULL REFERENCES achievements.edition,
  created_at timestamptz NOT NULL,
  metric text COLLATE "C",
  target_key text COLLATE "C",
  step_id bigint,
  last_value bigint NOT NULL,                    -- who was judged last, in the order of values and ids
  last_user bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  total bigint,                                  -- counted when it begins
  left_users bigint[] NOT NULL DEFAULT '{}',     -- whose rows others held
  CONSTRAINT evaluation_of CHECK ((metric IS NULL) = (target_key IS NULL) AND (metric IS NULL OR step_id IS NULL)),
  CONSTRAINT evaluation_counts CHECK (done >= 0 AND total >= 0)
);
CREATE INDEX evaluation_by_edition ON achievements.evaluation (edition);
CREATE INDEX evaluation_to_begin ON achievements.evaluation (created_at, id);

-- What a person has reached and nobody has recorded, and the points that they have with it.
CREATE TYPE achievements.standing AS (
  through bigint,                                -- the latest edition that it counts
  points bigint,
  unlocked bigint[],
  rewards bigint[],
  unlocked_at timestamptz[],
  completed bigint[],
  completed_at timestamptz[]
);
