-- Racing: athletes, races, entries, activities, and the ledger. Source of the rules: rules/racing.md.
-- Locks are taken in this order everywhere: athlete, activities, races (by id), wallets (by athlete).
CREATE SCHEMA racing;

CREATE TABLE racing.athlete (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  display_name text NOT NULL,
  date_of_birth date,
  gender text,
  user_type text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT athlete_gender CHECK (gender IN ('female', 'male', 'other')),
  CONSTRAINT athlete_user_type CHECK (user_type IN ('racer', 'spectator')),
  CONSTRAINT athlete_display_name CHECK (length(display_name) BETWEEN 1 AND 10000)
);

ALTER TABLE strava.connection
  ADD CONSTRAINT connection_athlete FOREIGN KEY (athlete_id) REFERENCES racing.athlete;

-- A race and the snapshot of the settings it was created with.
CREATE TABLE racing.race (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text NOT NULL,
  duration text NOT NULL,
  category text NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,            -- ends_at + results grace
  entry_fee_pence bigint NOT NULL,
  platform_fee_percent numeric(4, 2) NOT NULL,
  prize_shares integer[] NOT NULL,
  entry_cutoff interval NOT NULL,
  review_hold interval NOT NULL,
  status text NOT NULL DEFAULT 'upcoming',
  entry_count integer NOT NULL DEFAULT 0,
  attend_at timestamptz NOT NULL,         -- when settlement looks at it next: due_at, or while it waits the end of the hold
  waiting_activities bigint[] NOT NULL DEFAULT '{}',
  marked_at timestamptz,                  -- since when something must follow: refunds of disqualified entries, a correction
  created_at timestamptz NOT NULL,
  CONSTRAINT race_key UNIQUE (type, duration, category, starts_at),
  CONSTRAINT race_type CHECK (type IN ('top_speed', 'furthest_distance', 'fastest_1km', 'fastest_5km')),
  CONSTRAINT race_duration CHECK (duration IN ('daily', 'weekly', 'monthly')),
  CONSTRAINT race_category CHECK (category IN ('junior_girls', 'junior_boys', 'women_u23', 'men_u23',
    'senior_women', 'senior_men', 'masters_women', 'masters_men')),
  CONSTRAINT race_status CHECK (status IN ('upcoming', 'active', 'ended', 'settled', 'cancelled')),
  CONSTRAINT race_window CHECK (starts_at < ends_at),
  CONSTRAINT race_due CHECK (due_at >= ends_at AND attend_at >= due_at),
  CONSTRAINT race_fee CHECK (entry_fee_pence > 0),
  CONSTRAINT race_platform_fee CHECK (platform_fee_percent BETWEEN 0 AND 50),
  CONSTRAINT race_shares CHECK ((cardinality(prize_shares) = 3
    AND prize_shares[1] + prize_shares[2] + prize_shares[3] = 100
    AND prize_shares[1] > prize_shares[2] AND prize_shares[2] > prize_shares[3] AND prize_shares[3] > 0) IS TRUE),
  CONSTRAINT race_waiting CHECK (status = 'ended' OR waiting_activities = '{}'),
  CONSTRAINT race_marked CHECK (marked_at IS NULL OR status <> 'cancelled')
);
CREATE INDEX race_to_start ON racing.race (starts_at) WHERE status = 'upcoming';
CREATE INDEX race_to_end ON racing.race (ends_at) WHERE status = 'active';
CREATE INDEX race_to_settle ON racing.race (attend_at, id) WHERE status = 'ended';
CREATE INDEX race_to_follow_up ON racing.race (marked_at) WHERE marked_at IS NOT NULL;

-- An activity as imported, and what validation found. Scores belong to the present content; scored says they are known.
-- One that was flagged before its validation may be under review, or disqualified, without scores.
CREATE TABLE racing.activity (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  athlete_id bigint NOT NULL REFERENCES racing.athlete,
  strava_id bigint NOT NULL,
  name text NOT NULL,
  activity_type text NOT NULL,
  started_at timestamptz NOT NULL,
  elapsed_time numeric NOT NULL,          -- seconds
  moving_time numeric NOT NULL,           -- seconds
  distance numeric NOT NULL,              -- metres
  max_speed numeric,                      -- metres a second
  start_latitude double precision,
  start_longitude double precision,
  end_latitude double precision,
  end_longitude double precision,
  polyline text,
  content_hash bytea NOT NULL,            -- of all that was imported: the same content again changes nothing
  imported_at timestamptz NOT NULL,       -- when the present content came in
  status text NOT NULL DEFAULT 'pending',
  reasons text[] NOT NULL DEFAULT '{}',
  flag_count integer NOT NULL DEFAULT 0,  -- open flags
  flagged_at timestamptz,                 -- the latest flag
  scored boolean NOT NULL DEFAULT false,
  top_speed_mm_per_s bigint,
  distance_cm bigint,
  fastest_1km_ms bigint,
  fastest_5km_ms bigint,
  CONSTRAINT activity_strava_id UNIQUE (strava_id),
  CONSTRAINT activity_status CHECK (status IN ('pending', 'verified', 'rejected', 'under_review', 'disqualified')),
  CONSTRAINT activity_reasons CHECK ((status = 'rejected') = (reasons <> '{}') AND reasons <@ '{type,gps,uk}'),
  CONSTRAINT activity_scored CHECK (scored OR status <> 'verified'
    AND coalesce(top_speed_mm_per_s, distance_cm, fastest_1km_ms, fastest_5km_ms) IS NULL),
  CONSTRAINT activity_locations CHECK ((start_latitude IS NULL) = (start_longitude IS NULL)
    AND (end_latitude IS NULL) = (end_longitude IS NULL)),
  CONSTRAINT activity_flag_count CHECK (flag_count >= 0 AND (flag_count = 0 OR flagged_at IS NOT NULL)
    AND (flag_count = 0 OR status <> 'disqualified'))
);
CREATE INDEX activity_of_athlete ON racing.activity (athlete_id, started_at);
CREATE INDEX activity_to_validate ON racing.activity (imported_at) WHERE status = 'pending';
CREATE INDEX activity_to_escalate ON racing.activity (flag_count, flagged_at)
  WHERE status IN ('pending', 'verified') AND flag_count > 0;
CREATE INDEX activity_flagged ON racing.activity (flag_count, id) WHERE flag_count > 0;

-- What users say is wrong. A final decision closes a flag and keeps the content it was made on: whoever flagged that
-- content does not flag it again.
CREATE TABLE racing.flag (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  activity_id bigint NOT NULL REFERENCES racing.activity,
  flagged_by bigint NOT NULL REFERENCES racing.athlete,
  reason text NOT NULL,
  notes text,
  flagged_at timestamptz NOT NULL,
  closed_at timestamptz,
  closed_content bytea,                   -- the content_hash that was decided on
  CONSTRAINT flag_reason CHECK (reason IN
    ('suspicious_speed', 'motorized_assistance', 'impossible_route', 'fake_activity', 'other')),
  CONSTRAINT flag_closed CHECK ((closed_at IS NULL) = (closed_content IS NULL))
);
CREATE UNIQUE INDEX flag_once ON racing.flag (activity_id, flagged_by) WHERE closed_at IS NULL;
CREATE INDEX flag_of_activity ON racing.flag (activity_id, flagged_by);

-- An activity is reviewed once at a time, and again after new flags.
CREATE TABLE racing.review (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  activity_id bigint NOT NULL REFERENCES racing.activity,
  state text NOT NULL DEFAULT 'open',
  level integer NOT NULL DEFAULT 0,
  opened_at timestamptz NOT NULL,
  CONSTRAINT review_state CHECK (state IN ('open', 'info_requested', 'decided')),
  CONSTRAINT review_level CHECK (level >= 0)
);
CREATE UNIQUE INDEX review_once ON racing.review (activity_id) WHERE state <> 'decided';
CREATE INDEX review_to_escalate ON racing.review (level, opened_at) WHERE state <> 'decided';

-- Who decided what, when and why; kept for ever. A review has any number of requests and one final decision.
CREATE TABLE racing.decision (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  review_id bigint NOT NULL REFERENCES racing.review,
  activity_id bigint NOT NULL REFERENCES racing.activity,
  decision text NOT NULL,
  reviewer text NOT NULL,
  note text NOT NULL,
  decided_at timestamptz NOT NULL,
  CONSTRAINT decision_decision CHECK (decision IN ('approve', 'disqualify', 'request_info'))
);
CREATE UNIQUE INDEX decision_final ON racing.decision (review_id) WHERE decision <> 'request_info';
CREATE INDEX decision_of_activity ON racing.decision (activity_id, id);

-- Streams, apart because they are large. Billionths of a second and of a metre, cut: exact for scores in thousandths.
CREATE TABLE racing.activity_stream (
  activity_id bigint PRIMARY KEY REFERENCES racing.activity,
  times bigint[] NOT NULL,
  distances bigint[] NOT NULL,
  CONSTRAINT activity_stream_lengths CHECK (cardinality(times) = cardinality(distances)),
  CONSTRAINT activity_stream_limit CHECK (cardinality(times) <= 200000)
);

CREATE TABLE racing.entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  race_id bigint NOT NULL REFERENCES racing.race,
  athlete_id bigint NOT NULL REFERENCES racing.athlete,
  fee_pence bigint NOT NULL,
  status text NOT NULL DEFAULT 'entered',
  entered_at timestamptz NOT NULL,
  activity_id bigint,                     -- what the settlement counted; read in the transaction that writes it, never deleted
  score bigint,
  rank integer,
  prize_pence bigint NOT NULL DEFAULT 0,
  disqualified_by bigint REFERENCES racing.activity,   -- in a settled race the status follows with the correction
  is_refunded boolean NOT NULL DEFAULT false,          -- whether the fee has been given back
  CONSTRAINT entry_once UNIQUE (race_id, athlete_id),
  CONSTRAINT entry_status CHECK (status IN ('entered', 'completed', 'disqualified', 'refunded')),
  CONSTRAINT entry_fee CHECK (fee_pence > 0),
  CONSTRAINT entry_refunded CHECK (CASE status WHEN 'refunded' THEN is_refunded WHEN 'disqualified' THEN true
    ELSE NOT is_refunded END),
  CONSTRAINT entry_disqualified CHECK (disqualified_by IS NULL OR status IN ('disqualified', 'completed')),
  CONSTRAINT entry_prize CHECK (prize_pence >= 0 AND (prize_pence = 0 OR rank IS NOT NULL)),
  CONSTRAINT entry_rank CHECK ((rank IS NULL) = (score IS NULL) AND (rank IS NULL) = (activity_id IS NULL)
    AND (rank IS NULL OR (rank > 0 AND status = 'completed')))
-- Room for the result on the same page, and no index on status (a predicate counts too): settling touches no index.
) WITH (fillfactor = 45);
CREATE INDEX entry_of_athlete ON racing.entry (athlete_id, id);

-- What each athlete holds, in pence. Always equal to the sum of that account's postings.
CREATE TABLE racing.wallet (
  athlete_id bigint PRIMARY KEY REFERENCES racing.athlete,
  balance_pence bigint NOT NULL DEFAULT 0,
  pending_pence bigint NOT NULL DEFAULT 0,         -- withdrawals that the payment provider has not confirmed
  receivable_pence bigint NOT NULL DEFAULT 0,      -- what the athlete owes after a correction
  CONSTRAINT wallet_balance CHECK (balance_pence >= 0),
  CONSTRAINT wallet_pending CHECK (pending_pence >= 0),
  CONSTRAINT wallet_receivable CHECK (receivable_pence >= 0)
);

-- The ledger: double entry, append-only. A journal and all its postings are written by one transaction.
CREATE TABLE racing.journal (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  idempotency_key text NOT NULL,
  race_id bigint REFERENCES racing.race,
  description text NOT NULL,
  occurred_at timestamptz NOT NULL,
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT journal_once UNIQUE (idempotency_key),
  CONSTRAINT journal_kind CHECK (kind IN ('deposit', 'withdrawal', 'entry_fee', 'prize', 'refund', 'correction'))
);

-- amount_pence is what the account gains. athlete wallet, pending and receivable name the athlete, pool the race.
-- A receivable's postings are negative while the athlete owes: the accounts of one journal sum to zero. A wallet's may
-- be zero: what went to or came from the receivable alone is a transaction all the same.
CREATE TABLE racing.posting (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  journal_id bigint NOT NULL REFERENCES racing.journal,
  account text NOT NULL,
  athlete_id bigint REFERENCES racing.athlete,
  race_id bigint REFERENCES racing.race,
  entry_id bigint REFERENCES racing.entry,
  amount_pence bigint NOT NULL,
  balance_pence bigint,                            -- of the wallet, just after
  CONSTRAINT posting_account CHECK (account IN ('wallet', 'pending', 'receivable', 'pool', 'platform', 'external')),
  CONSTRAINT posting_owner CHECK ((account IN ('wallet', 'pending', 'receivable')) = (athlete_id IS NOT NULL)
    AND (account = 'pool') = (race_id IS NOT NULL)),
  CONSTRAINT posting_amount CHECK (amount_pence <> 0 OR account = 'wallet'),
  CONSTRAINT posting_balance CHECK ((account = 'wallet') = (balance_pence IS NOT NULL) AND balance_pence >= 0)
);
CREATE INDEX posting_of_athlete ON racing.posting (athlete_id, id) WHERE account = 'wallet';
CREATE INDEX posting_of_journal ON racing.posting (journal_id);
CREATE INDEX posting_of_pool ON racing.posting (race_id) WHERE account = 'pool';

-- How a withdrawal ended, or that a deposit was charged back. A withdrawal without a row is pending.
CREATE TABLE racing.transaction_end (
  posting_id bigint PRIMARY KEY REFERENCES racing.posting,
  status text NOT NULL,
  reason text,
  ended_at timestamptz NOT NULL,
  journal_id bigint NOT NULL REFERENCES racing.journal,
  CONSTRAINT transaction_end_status CHECK (status IN ('completed', 'failed')),
  CONSTRAINT transaction_end_reason CHECK ((status = 'failed') = (reason IS NOT NULL))
);

-- What was paid: one row for each (race, revision), at most once by this key.
CREATE TABLE racing.settlement (
  race_id bigint NOT NULL REFERENCES racing.race,
  revision integer NOT NULL,
  outcome text NOT NULL,
  settled_at timestamptz NOT NULL,
  fees_pence bigint NOT NULL,
  platform_fee_pence bigint NOT NULL,
  prize_pool_pence bigint NOT NULL,
  journal_id bigint REFERENCES racing.journal,     -- null where nothing was booked
  input_hash text NOT NULL,
  counted_activities bigint[] NOT NULL,
  held_activities bigint[] NOT NULL,
  CONSTRAINT settlement_once PRIMARY KEY (race_id, revision),
  CONSTRAINT settlement_revision CHECK (revision >= 1),
  CONSTRAINT settlement_outcome CHECK (outcome IN ('paid', 'void')),
  CONSTRAINT settlement_split CHECK (fees_pence >= 0 AND platform_fee_pence >= 0 AND prize_pool_pence >= 0
    AND (outcome = 'void' AND platform_fee_pence = 0 AND prize_pool_pence = 0
      OR outcome = 'paid' AND fees_pence = platform_fee_pence + prize_pool_pence))
);

-- Payouts of each revision, as it was decided (an entry's own row shows the latest).
CREATE TABLE racing.payout (
  race_id bigint NOT NULL,
  revision integer NOT NULL,
  place integer NOT NULL,
  entry_id bigint NOT NULL REFERENCES racing.entry,
  athlete_id bigint NOT NULL REFERENCES racing.athlete,
  amount_pence bigint NOT NULL,
  CONSTRAINT payout_once PRIMARY KEY (race_id, revision, entry_id),
  CONSTRAINT payout_settlement FOREIGN KEY (race_id, revision) REFERENCES racing.settlement,
  CONSTRAINT payout_place CHECK (place BETWEEN 1 AND 3),
  CONSTRAINT payout_amount CHECK (amount_pence > 0)
);

-- Activities that revision 1 held and that were verified since, by approval or validation: later revisions count them.
CREATE TABLE racing.late_activity (
  race_id bigint NOT NULL REFERENCES racing.race,
  activity_id bigint NOT NULL REFERENCES racing.activity,
  verified_at timestamptz NOT NULL,
  CONSTRAINT late_activity_once PRIMARY KEY (race_id, activity_id)
);
