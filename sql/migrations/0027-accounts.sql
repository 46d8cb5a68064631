-- Accounts: who logs in, and whom of the systems they are. Times here are real ones, in a simulated database, too.
CREATE SCHEMA accounts;

-- A setting that is an address on the web.
ALTER TABLE settled.setting
  DROP CONSTRAINT setting_kind,
  ADD CONSTRAINT setting_kind
    CHECK (kind IN ('span', 'spans', 'percent', 'shares', 'whole', 'zone', 'retention', 'switch', 'url'));

-- A person who logs in. Each person of a system belongs to one account.
CREATE TABLE accounts.account (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text COLLATE "C" NOT NULL,
  -- That of seasons.
  username text COLLATE "C",
  display_name text NOT NULL,
  -- With the parameters that it was made with; null until the person has set a password.
  password_hash text,
  athlete_id bigint REFERENCES racing.athlete,
  runner_id bigint REFERENCES seasons.runner,
  reader_id bigint REFERENCES achievements.person,
  checkin_id text COLLATE "C",
  roles text[] NOT NULL DEFAULT '{}',
  -- Raised where all tokens that were given before are to end.
  epoch bigint NOT NULL DEFAULT 1,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT account_email UNIQUE (email),
  CONSTRAINT account_email_form CHECK (octet_length(email) <= 254 AND email
    ~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]{1,64}@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$'),
  -- A letter first: a number is an id, and one with an @ is an address.
  CONSTRAINT account_username_form CHECK (username ~ '^[A-Za-z][A-Za-z0-9._-]{2,49}$'),
  CONSTRAINT account_display_name CHECK (length(display_name) BETWEEN 1 AND 10000),
  CONSTRAINT account_password_hash CHECK (length(password_hash) BETWEEN 20 AND 1000),
  CONSTRAINT account_athlete UNIQUE (athlete_id),
  CONSTRAINT account_runner UNIQUE (runner_id),
  CONSTRAINT account_reader UNIQUE (reader_id),
  CONSTRAINT account_checkin UNIQUE (checkin_id),
  CONSTRAINT account_checkin_form CHECK (length(checkin_id) BETWEEN 1 AND 200),
  CONSTRAINT account_roles CHECK (roles <@ '{moderator,payments}' AND cardinality(roles) <= 2
    AND (cardinality(roles) < 2 OR roles[1] < roles[2])),
  CONSTRAINT account_epoch CHECK (epoch >= 1)
);
-- Names that differ in their case alone would be taken for one another.
CREATE UNIQUE INDEX account_username ON accounts.account (lower(username));

-- Failed log-ins by the name that was given, whether or not there is such an account: so nobody tells one from the other.
CREATE TABLE accounts.attempt (
  -- The SHA-256 of the address or username, as it was given, in lower case.
  name_digest bytea PRIMARY KEY,
  -- Where they came from, and when; oldest first.
  addresses text[] NOT NULL,
  failed_at timestamptz[] NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT attempt_limit CHECK (cardinality(addresses) = cardinality(failed_at) AND cardinality(failed_at) BETWEEN 1 AND 100)
);
CREATE INDEX attempt_by_age ON accounts.attempt (last_at);

-- What lets somebody set a password once; a row is gone when it was used, or some time after its end.
CREATE TABLE accounts.one_time_token (
  -- The token's SHA-256: nobody can use what stands here.
  digest bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts.account,
  -- set-password: made by an operator. reset: by the person, who gets it by mail.
  kind text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT one_time_token_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT one_time_token_kind CHECK (kind IN ('set-password', 'reset'))
);
CREATE INDEX one_time_token_of_account ON accounts.one_time_token (account_id);
CREATE INDEX one_time_token_by_end ON accounts.one_time_token (expires_at);

-- What the gateway calls.
CREATE SCHEMA gateway;

-- Answers to requests with an Idempotency-Key, kept for 30 days of real time; of one caller about 10,000.
CREATE TABLE gateway.answer (
  -- The SHA-256 of scope and key.
  digest bytea PRIMARY KEY,
  caller text NOT NULL,
  -- What the request was, as the gateway tells one from another.
  fingerprint text NOT NULL,
  -- Null until its transaction has one: nobody else sees the row before.
  answer jsonb,
  at timestamptz NOT NULL,
  CONSTRAINT answer_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT answer_caller CHECK (length(caller) BETWEEN 1 AND 200),
  CONSTRAINT answer_fingerprint CHECK (length(fingerprint) BETWEEN 1 AND 200)
);
CREATE INDEX answer_by_age ON gateway.answer (at);
CREATE INDEX answer_of_caller ON gateway.answer (caller, at DESC);
