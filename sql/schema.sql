-- Today's tables: SQL that makes them in an empty database. For readers: only a test runs it.
-- Generated from a migrated database, never edited: sql/README.md has the command. Functions, views: sql/functions.

-- The engine: clock, settings, schedules, failures, events, nodes and audit. Knows no other schema.
CREATE SCHEMA settled;

-- One row for each mutating command; only erasing changes it.
CREATE TABLE settled.audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the commands.
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- The real time of the command.
  node text NOT NULL,    -- The node that ran the command.
  uid bigint NOT NULL,    -- The user id of the caller, from the kernel.
  gid bigint NOT NULL,    -- The group id of the caller, from the kernel.
  pid bigint NOT NULL,    -- The process id of the caller, from the kernel.
  command text NOT NULL,    -- The name of the command, such as race.cancel.
  target text NOT NULL,    -- The thing that the command changed, such as a race id.
  before jsonb NOT NULL,    -- The state before the command.
  after jsonb NOT NULL,    -- The state after the command.
  reason text,    -- The operator's reason. Null: none was given.
  request_id text,    -- The request id of the command. Null: none was given.
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_of_setting ON settled.audit (target COLLATE "C", id) WHERE command = 'set'::text;

-- External calls that all nodes have spent, by length of window.
CREATE TABLE settled.call_window (
  budget text COLLATE "C" NOT NULL,    -- The name of the budget.
  seconds bigint NOT NULL,    -- The length of the window in seconds.
  -- Real time; windows begin at multiples of their length since 1970 UTC.
  started_at timestamp with time zone NOT NULL,
  used bigint NOT NULL DEFAULT 0,    -- Calls spent in the window.
  told_limit bigint,    -- The limit that the provider reported; it overrides the setting.
  used_with_reserve bigint NOT NULL DEFAULT 0,    -- Calls that were allowed to use the window's reserve.
  -- The latest instant at which more calls were wanted than were left. Null: never.
  short_at timestamp with time zone,
  CONSTRAINT call_window_pkey PRIMARY KEY (budget, seconds),
  CONSTRAINT call_window_length CHECK (seconds > 0),
  CONSTRAINT call_window_told CHECK (told_limit >= 0),
  CONSTRAINT call_window_used CHECK (used >= 0),
  CONSTRAINT call_window_used_with_reserve CHECK (used_with_reserve >= 0 AND used_with_reserve <= used)
);

-- One row: the clock differences that operators accepted.
CREATE TABLE settled.clock_acceptance (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  generation bigint NOT NULL DEFAULT 0,    -- How often operators accepted a difference.
  accepted_milliseconds bigint NOT NULL DEFAULT 0,    -- The sum of the accepted differences.
  baselines bigint NOT NULL DEFAULT 0,    -- How many baselines were established.
  CONSTRAINT clock_acceptance_pkey PRIMARY KEY (only_row),
  CONSTRAINT clock_acceptance_only_row CHECK (only_row)
);

-- The database's clock beside each node's boot clock when both were last known to be right.
CREATE TABLE settled.clock_baseline (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  boot_id text NOT NULL,    -- The boot of the node's machine to which the boot clock belongs.
  boot_microseconds bigint NOT NULL,    -- The node's boot clock at the baseline.
  database_at timestamp with time zone NOT NULL,    -- The database's clock at the baseline.
  established bigint NOT NULL DEFAULT 0,    -- The baseline's number among those of all nodes.
  agreed bigint NOT NULL DEFAULT 0,    -- How many baselines were established when the node last saw the clocks agree.
  acceptances bigint NOT NULL DEFAULT 0,    -- The generation of clock_acceptance that the node knows.
  -- The accepted_milliseconds of clock_acceptance that the node knows.
  accepted_milliseconds bigint NOT NULL DEFAULT 0,
  host_milliseconds bigint NOT NULL DEFAULT 0,    -- How far the node's wall clock may lag behind the database.
  CONSTRAINT clock_baseline_pkey PRIMARY KEY (node)
);

-- Nodes that saw the database's clock jump. A row that is neither lifted nor accepted stops all settlement.
CREATE TABLE settled.clock_hold (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  since timestamp with time zone NOT NULL,    -- When the node first saw the jump.
  difference_milliseconds bigint NOT NULL,    -- The jump: how far the database's clock is from the expected time.
  -- The boot of the node's machine in which it saw the jump. Empty: it is not known.
  boot_id text NOT NULL DEFAULT ''::text,
  agreed bigint NOT NULL DEFAULT 0,    -- How many baselines were established when the node last saw the clocks agree.
  lifted boolean NOT NULL,    -- Another node saw the clocks agree: the row stops its own node only.
  accepted boolean NOT NULL,    -- An operator accepted the difference: the row stops no node, and its node deletes it.
  CONSTRAINT clock_hold_pkey PRIMARY KEY (node)
);

-- Events as readers see them, in the order of position.
CREATE TABLE settled.event (
  position bigint NOT NULL,    -- The place of the event in the order: epoch * 10^15 + number.
  topic text NOT NULL,    -- The kind of event, such as race.settled.
  key text NOT NULL,    -- The id, as text, of the thing that the topic names.
  payload jsonb NOT NULL,    -- The data of the event. Its keys are in camelCase.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the change.
  CONSTRAINT event_pkey PRIMARY KEY ("position")
) PARTITION BY RANGE ("position");

-- Closed default partitions of events: kept from closed_at for the retention.
CREATE TABLE settled.event_closing (
  through bigint NOT NULL,    -- The last position in the partition.
  closed_at timestamp with time zone NOT NULL,    -- When the partition was closed.
  CONSTRAINT event_closing_pkey PRIMARY KEY (through)
);

-- One row, whose lock orders the numbering of events.
CREATE TABLE settled.event_counter (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  last_position bigint NOT NULL DEFAULT 0,    -- The latest position. 0: no event has one.
  pruned_through bigint NOT NULL DEFAULT 0,    -- Readers at an older position have missed events.
  CONSTRAINT event_counter_pkey PRIMARY KEY (only_row),
  CONSTRAINT event_counter_only_row CHECK (only_row),
  CONSTRAINT event_counter_order CHECK (pruned_through >= 0 AND pruned_through <= last_position)
);

CREATE TABLE settled.event_default PARTITION OF settled.event DEFAULT;

-- The epochs of the positions of events; the newest is that of the next event.
CREATE TABLE settled.event_epoch (
  epoch bigint NOT NULL,    -- A position is epoch * 10^15 + number.
  -- The number of the first event of the epoch. Numbers continue from one epoch to the next.
  first_number bigint NOT NULL,
  history text,    -- The cluster, the database and the timeline that numbered in the epoch; null until the first event.
  CONSTRAINT event_epoch_pkey PRIMARY KEY (epoch),
  CONSTRAINT event_epoch_number CHECK (first_number >= 1 AND first_number <= '999999999999999'::bigint),
  CONSTRAINT event_epoch_range CHECK (epoch >= 0 AND epoch <= 9222)
);

-- Events without a position: a node numbers them after their commit.
CREATE TABLE settled.event_pending (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order in which the events were written.
  topic text NOT NULL,    -- The kind of event, such as race.settled.
  key text NOT NULL,    -- The id, as text, of the thing that the topic names.
  payload jsonb NOT NULL,    -- The data of the event. Its keys are in camelCase.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the change.
  CONSTRAINT event_pending_pkey PRIMARY KEY (id)
);

-- Items of jobs that failed and have not succeeded since. Times are real.
CREATE TABLE settled.failure (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the failure.
  job text COLLATE "C" NOT NULL,    -- The name of the job.
  key text COLLATE "C" NOT NULL,    -- The item, as its job names it.
  attempts integer NOT NULL,    -- Failed attempts since the last success.
  first_at timestamp with time zone NOT NULL,    -- When the first of these attempts failed.
  last_at timestamp with time zone NOT NULL,    -- When the latest attempt failed.
  next_attempt_at timestamp with time zone NOT NULL,    -- The end of the back-off.
  quarantined boolean NOT NULL,    -- The item waits for an operator.
  dropped_at timestamp with time zone,    -- When an operator dropped the item; null: it was not dropped.
  dropped_reason text,    -- The operator's reason for dropping the item.
  sql_state text,    -- The SQLSTATE of the latest failure. Null: the database reported none.
  error text NOT NULL,    -- The text of the latest failure.
  CONSTRAINT failure_pkey PRIMARY KEY (id),
  CONSTRAINT failure_item UNIQUE (job, key),
  CONSTRAINT failure_attempts CHECK (attempts >= 0),
  CONSTRAINT failure_dropped CHECK ((dropped_at IS NULL) = (dropped_reason IS NULL))
);
CREATE INDEX failure_listed ON settled.failure (quarantined, id);

-- The functions that were applied last, as one script.
CREATE TABLE settled.function_script (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  checksum text NOT NULL,    -- The SHA-256 of the script, in hexadecimal.
  roles text NOT NULL,    -- The product's roles that existed then: a new role needs its grants.
  applied_at timestamp with time zone NOT NULL,    -- When the script was applied. Real time.
  -- The number in sql/functions/0-release.sql; 0: from before releases were numbered.
  release integer NOT NULL DEFAULT 0,
  CONSTRAINT function_script_pkey PRIMARY KEY (only_row),
  CONSTRAINT function_script_only_row_check CHECK (only_row)
);

-- The rights that the last migration granted; doctor compares them with the present ones.
CREATE TABLE settled.granted_right (
  namespace text COLLATE "C" NOT NULL,    -- The schema of the object.
  object text COLLATE "C" NOT NULL,    -- As GRANT names it: TABLE racing.race.
  role text COLLATE "C" NOT NULL,    -- The role that has the right.
  privilege text COLLATE "C" NOT NULL,    -- As GRANT names it, with the column if it has one.
  CONSTRAINT granted_right_pkey PRIMARY KEY (namespace, object, role, privilege)
);

-- One row: the kind and identity of this database.
CREATE TABLE settled.installation (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  simulated boolean NOT NULL,    -- Whether the database has a simulated clock.
  clock_base timestamp with time zone,    -- The simulated time that was set last.
  clock_set_at timestamp with time zone,    -- The real time at which it was set.
  clock_running boolean NOT NULL,    -- Whether the simulated clock runs on from clock_base.
  id uuid NOT NULL DEFAULT gen_random_uuid(),    -- The identity by which nodes recognise the database after a restore.
  home text,    -- The cluster and the database where daemons met it; null before the first.
  CONSTRAINT installation_pkey PRIMARY KEY (only_row),
  CONSTRAINT installation_only_row CHECK (only_row),
  CONSTRAINT installation_real_clock_runs CHECK (simulated OR NOT clock_running),
  CONSTRAINT installation_simulated_clock CHECK (simulated = (clock_base IS NOT NULL AND clock_set_at IS NOT NULL))
);

-- Jobs that operators paused or resumed.
CREATE TABLE settled.job (
  name text COLLATE "C" NOT NULL,    -- The name of the job.
  paused boolean NOT NULL,    -- Whether the job is paused.
  CONSTRAINT job_pkey PRIMARY KEY (name)
);

-- Items of leased jobs that a node works on. A node takes over a lease whose generation it has seen unchanged for long
-- enough.
CREATE TABLE settled.lease (
  job text COLLATE "C" NOT NULL,    -- The name of the job.
  key text COLLATE "C" NOT NULL,    -- The item, as its job names it.
  owner text NOT NULL,    -- One run of a node: after a restart the node is another owner.
  generation bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,    -- Never used twice.
  taken_at timestamp with time zone NOT NULL,    -- Real time.
  CONSTRAINT lease_pkey PRIMARY KEY (job, key)
);

-- The migrations that were applied; written by settled migrate.
CREATE TABLE settled.migration (
  number integer NOT NULL,    -- The number at the start of the file's name.
  name text NOT NULL,    -- The name of the file.
  checksum text NOT NULL,    -- The SHA-256 of the file, in hexadecimal.
  breaking boolean NOT NULL,    -- Programs without this migration cannot work with the database.
  -- When the migration was applied. Real time.
  applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT migration_pkey PRIMARY KEY (number)
);

-- Nodes of the cluster. Times are real.
CREATE TABLE settled.node (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  version text NOT NULL,    -- The version of the node's program.
  started_at timestamp with time zone NOT NULL,    -- When the node's program started.
  last_seen_at timestamp with time zone NOT NULL,    -- The latest heartbeat.
  state text NOT NULL,    -- ready, degraded, draining, stopped or gone.
  -- Writers notify only while a node asks for it, because NOTIFY serialises commits. Formerly asleep.
  needs_notify boolean NOT NULL,
  backend_pid integer,    -- The process of the session that holds the node's name.
  backend_start timestamp with time zone,    -- The start of that session.
  backend_role oid,    -- The role of that session: it decides whether other sessions can see backend_start.
  beats bigint NOT NULL DEFAULT 0,    -- Heartbeats of the node: one that remembers more has lost commits.
  -- Whether the node is configured to call the provider of activities. Null: of a former release's node it is not
  -- known.
  has_provider boolean,
  CONSTRAINT node_pkey PRIMARY KEY (node),
  CONSTRAINT node_backend CHECK ((backend_pid IS NULL) = (backend_start IS NULL) AND (backend_pid IS NULL) =
    (backend_role IS NULL)),
  CONSTRAINT node_state CHECK (state = ANY (ARRAY['ready'::text, 'degraded'::text, 'draining'::text, 'gone'::text,
    'stopped'::text]))
);

-- The ledger of ticks: each tick has one row.
CREATE TABLE settled.occurrence (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order in which the rows were planned.
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  instant timestamp with time zone NOT NULL,    -- The instant of the tick.
  status text NOT NULL,    -- planned, running, ran, skipped, coalesced or failed.
  reason text,    -- Why the tick did not run, or why the run failed.
  backfilled boolean NOT NULL,    -- Whether an operator had the past tick planned.
  planned_at timestamp with time zone NOT NULL,    -- When the row was planned.
  due_at timestamp with time zone NOT NULL,    -- The instant plus the schedule's splay.
  started_at timestamp with time zone,    -- The business time at which the run began. Null: it has not begun.
  -- The business time at which the tick reached its final status. Null: it has not.
  finished_at timestamp with time zone,
  node text,    -- The node that claimed the run last.
  claimed_at timestamp with time zone,    -- Real time of the latest claim.
  rows bigint,    -- The number that the run returned. Null: none.
  attempts integer NOT NULL DEFAULT 0,    -- How often the run was begun.
  CONSTRAINT occurrence_once PRIMARY KEY (schedule, instant),
  CONSTRAINT occurrence_ended CHECK ((finished_at IS NULL) = (status = ANY (ARRAY['planned'::text, 'running'::text]))),
  CONSTRAINT occurrence_reason CHECK (reason IS NOT NULL OR (status = ANY (ARRAY['planned'::text, 'running'::text,
    'ran'::text]))),
  CONSTRAINT occurrence_running CHECK (status <> 'running'::text OR started_at IS NOT NULL AND node IS NOT NULL AND
    claimed_at IS NOT NULL),
  CONSTRAINT occurrence_status CHECK (status = ANY (ARRAY['planned'::text, 'running'::text, 'ran'::text,
    'skipped'::text, 'coalesced'::text, 'failed'::text]))
) PARTITION BY RANGE (instant);
CREATE INDEX occurrence_finished ON settled.occurrence (schedule, finished_at) WHERE started_at IS NOT NULL;
CREATE INDEX occurrence_id ON settled.occurrence (id);
CREATE INDEX occurrence_instant ON settled.occurrence (instant);

CREATE TABLE settled.occurrence_default PARTITION OF settled.occurrence DEFAULT;

-- One row: the start of the complete ledger of ticks.
CREATE TABLE settled.occurrence_history (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  -- Moved forward by pruning.
  kept_from timestamp with time zone NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone,
  CONSTRAINT occurrence_history_pkey PRIMARY KEY (only_row),
  CONSTRAINT occurrence_history_only_row CHECK (only_row)
);

-- Problems that stand until they are solved; health and status show them.
CREATE TABLE settled.problem (
  name text COLLATE "C" NOT NULL,    -- The finder: ledger, or schedule NAME.
  problem text NOT NULL,    -- The problem in words.
  since timestamp with time zone NOT NULL,    -- When the problem was found.
  CONSTRAINT problem_pkey PRIMARY KEY (name)
);

-- Answers to commands with a request id, so that a repeated command returns the same answer.
CREATE TABLE settled.request (
  uid bigint NOT NULL,    -- The user id of the caller.
  request_id text COLLATE "C" NOT NULL,    -- The id that the caller gave the command.
  request text NOT NULL,    -- The hash of command and parameters.
  answer jsonb NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- The real time of the command.
  CONSTRAINT request_once PRIMARY KEY (uid, request_id)
);

-- Findings of a database that is older than its nodes remember. Times are real.
CREATE TABLE settled.restoration (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the finding.
  node text COLLATE "C" NOT NULL,    -- The node that noticed.
  found_at timestamp with time zone NOT NULL,    -- When the node noticed.
  timeline bigint NOT NULL,    -- The server's timeline then.
  finding text NOT NULL,    -- The finding in words.
  jobs text[] NOT NULL,    -- Jobs that stop until an operator accepts.
  accepted_at timestamp with time zone,    -- When an operator accepted it. Null: no operator has.
  CONSTRAINT restoration_pkey PRIMARY KEY (id),
  CONSTRAINT restoration_timeline CHECK (timeline > 0)
);
CREATE UNIQUE INDEX restoration_open ON settled.restoration (node) WHERE accepted_at IS NULL;

-- Tables with monthly partitions, which history pruning creates and drops. Written by retention.sql.
CREATE TABLE settled.retention (
  schema_name text COLLATE "C" NOT NULL,    -- The schema of the table.
  table_name text COLLATE "C" NOT NULL,    -- The name of the table.
  column_name text NOT NULL,    -- The partition key: a date or an instant.
  setting text NOT NULL,    -- The setting with the age to which rows are kept.
  CONSTRAINT retention_pkey PRIMARY KEY (schema_name, table_name)
);

-- Occurrences that are planned or run. A claimed row that nobody has locked for 2 seconds is dead.
CREATE TABLE settled.run (
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  instant timestamp with time zone NOT NULL,    -- The instant of the tick.
  due_at timestamp with time zone NOT NULL,    -- The instant plus the schedule's splay.
  is_own boolean NOT NULL,    -- A run of a built-in schedule.
  is_first boolean NOT NULL,    -- The run of its schedule that runs, or is the next to begin.
  started_at timestamp with time zone,    -- Business time.
  claimed_at timestamp with time zone,    -- Real time.
  backend integer,    -- The server process that runs an operator's function.
  CONSTRAINT run_once PRIMARY KEY (schedule, instant),
  CONSTRAINT run_backend CHECK (backend IS NULL OR claimed_at IS NOT NULL),
  CONSTRAINT run_claimed CHECK ((claimed_at IS NULL) = (started_at IS NULL) AND (claimed_at IS NULL OR is_first))
);
CREATE UNIQUE INDEX run_first ON settled.run (schedule) WHERE is_first;
CREATE INDEX run_next ON settled.run (is_own, due_at) WHERE is_first AND claimed_at IS NULL;
CREATE INDEX run_under_way ON settled.run (backend) WHERE claimed_at IS NOT NULL;

-- A schedule as it is now.
CREATE TABLE settled.schedule (
  name text COLLATE "C" NOT NULL,    -- The name of the schedule.
  cron text,    -- The cron expression. Null: the schedule has one tick, at.
  at timestamp with time zone,    -- The only tick. Null: cron has the ticks.
  zone text NOT NULL,    -- The time zone of the cron expression.
  call text,    -- The function to call, schema.function(); null: a built-in schedule.
  missed text NOT NULL,    -- The policy for missed ticks: skip, once or all.
  runs_max integer,    -- With missed = all: the greatest number of missed ticks that run.
  within interval,    -- With missed = all: the greatest age of a missed tick that runs.
  timeout interval NOT NULL,    -- The longest run.
  splay interval NOT NULL,    -- How long after its tick a run is due.
  paused boolean NOT NULL,    -- Whether the schedule is paused.
  cursor_at timestamp with time zone NOT NULL,    -- Every tick up to this instant has its row in occurrence.
  next_tick_at timestamp with time zone,    -- The first tick after cursor_at; null: there is none.
  CONSTRAINT schedule_pkey PRIMARY KEY (name),
  CONSTRAINT schedule_missed CHECK ((missed = ANY (ARRAY['skip'::text, 'once'::text, 'all'::text])) AND (missed =
    'all'::text) = (runs_max IS NOT NULL AND within IS NOT NULL)),
  CONSTRAINT schedule_name CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$'::text),
  CONSTRAINT schedule_next CHECK (next_tick_at > cursor_at),
  CONSTRAINT schedule_spans CHECK (timeout > '00:00:00'::interval AND splay >= '00:00:00'::interval),
  CONSTRAINT schedule_timing CHECK ((cron IS NULL) <> (at IS NULL))
);
CREATE INDEX schedule_next_tick ON settled.schedule (next_tick_at) WHERE NOT paused;

-- The definition of a schedule over time: it applies to ticks after valid_from and up to valid_to.
CREATE TABLE settled.schedule_period (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the period.
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  cron text,    -- The cron expression. Null: the schedule had one tick, at.
  at timestamp with time zone,    -- The only tick. Null: cron had the ticks.
  zone text NOT NULL,    -- The time zone of the cron expression.
  valid_from timestamp with time zone NOT NULL,    -- The period has the ticks after this instant.
  valid_to timestamp with time zone,    -- The last instant of the period. Null: it is the present one.
  offsets jsonb,    -- The zone's offsets from UTC in a period that ended because the tz data changed.
  CONSTRAINT schedule_period_pkey PRIMARY KEY (id),
  CONSTRAINT schedule_period_order CHECK (valid_from <= valid_to)
);
CREATE INDEX schedule_period_of ON settled.schedule_period (schedule, valid_from);
CREATE UNIQUE INDEX schedule_period_open ON settled.schedule_period (schedule) WHERE valid_to IS NULL;

-- Rules that may be changed while the service runs.
CREATE TABLE settled.setting (
  key text COLLATE "C" NOT NULL,    -- The name of the setting.
  kind text NOT NULL,    -- The form of the value: whole, percent, span, spans, retention, shares, switch, url or zone.
  default_value text NOT NULL,    -- The value that applies while value is null.
  value text,    -- Null: default_value applies.
  low numeric,    -- The least value: seconds of a span, else the number.
  high numeric,    -- The greatest value, in the unit of low.
  meaning text NOT NULL,    -- The setting in words.
  CONSTRAINT setting_pkey PRIMARY KEY (key),
  CONSTRAINT setting_kind CHECK (kind = ANY (ARRAY['span'::text, 'spans'::text, 'percent'::text, 'shares'::text,
    'whole'::text, 'zone'::text, 'retention'::text, 'switch'::text, 'url'::text]))
);

-- Zones that people and settings may name; filled by every migration from the server's tz data.
CREATE TABLE settled.time_zone (
  name text COLLATE "C" NOT NULL,    -- An IANA name, such as Europe/London.
  CONSTRAINT time_zone_pkey PRIMARY KEY (name)
);

-- The offsets of each zone in use for the years ahead: a change shows new tz data.
CREATE TABLE settled.zone_future (
  zone text COLLATE "C" NOT NULL,    -- The name of the time zone.
  known_from timestamp with time zone NOT NULL,    -- The instant from which the offsets are known.
  offsets jsonb NOT NULL,    -- [[start, offset], ...] in seconds.
  -- When a session read the offsets, by the server's real clock. Readings of sessions that are older do not count.
  read_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT zone_future_pkey PRIMARY KEY (zone)
);

-- Connections to the provider of activities: tokens, calls and imports.
CREATE SCHEMA strava;

-- Access tokens in clear, which only strava.access_token reads: SQL cannot unseal.
CREATE TABLE strava.access (
  athlete_id bigint NOT NULL,
  token text NOT NULL,
  CONSTRAINT access_pkey PRIMARY KEY (athlete_id)
);

-- Who keeps accounts at the provider: the functions that another module has registered. Only the owner writes here.
CREATE TABLE strava.account_keeper (
  is_it boolean NOT NULL DEFAULT true,
  claim text NOT NULL,    -- Signatures, such as f.g(bigint, bigint): names survive a dump, object ids do not.
  keep_gender text NOT NULL,
  CONSTRAINT account_keeper_pkey PRIMARY KEY (is_it),
  CONSTRAINT account_keeper_one CHECK (is_it)
);

-- Failed calls by class, since the installation.
CREATE TABLE strava.call_error (
  class text COLLATE "C" NOT NULL,    -- The class of the failure.
  count bigint NOT NULL,    -- Failed calls of this class.
  last_at timestamp with time zone NOT NULL,    -- The latest failed call of this class.
  CONSTRAINT call_error_pkey PRIMARY KEY (class)
);

-- An athlete's connection to the provider.
CREATE TABLE strava.connection (
  athlete_id bigint NOT NULL,    -- The athlete in racing.
  status text COLLATE "C" NOT NULL,    -- connecting, active, needs_reauth or revoked.
  missing_scopes text[] NOT NULL DEFAULT '{}'::text[],    -- Required scopes that the athlete has not granted.
  changed_at timestamp with time zone NOT NULL,    -- When the status last changed.
  provider_athlete_id bigint,    -- The athlete's number at the provider.
  reason text,    -- Why the athlete must connect again.
  -- Incremented when the app connects or disconnects, so that a late reply is recognised.
  attempt bigint NOT NULL DEFAULT 1,
  tokens_given bigint NOT NULL DEFAULT 0,    -- How often the provider has issued tokens; kept when they are deleted.
  expires_at timestamp with time zone,    -- The end of the access token, by the provider.
  next_call_at timestamp with time zone,    -- When to exchange the code, refresh or revoke; null: no call is needed.
  -- The latest request for the tokens, which is granted at most every 15 minutes.
  refreshed_at timestamp with time zone,
  is_in_races boolean NOT NULL,    -- Whether the athlete has entries in races that have not ended: see race_period.
  -- The expires_at of the token that the provider refused: reads wait for another token.
  refused_expiry timestamp with time zone,
  refused_attempt bigint,    -- The attempt whose fresh code was refused once, and is tried again.
  -- The latest turns of the athlete's reads in the classes 1 to 3.
  read_turns bigint[] NOT NULL DEFAULT '{0,0,0}'::bigint[],
  listed_at timestamp with time zone,    -- When the latest listing that was answered began.
  -- A hint names the end of the grant: the refresh token of this generation decides, or a later one. Null: there is no
  -- doubt.
  doubted_generation bigint,
  -- Codes that the provider has refused in a row: each doubles the pause before the next one.
  refused_codes integer NOT NULL DEFAULT 0,
  code_refused_at timestamp with time zone,    -- When the latest of them was refused. Null: none was.
  CONSTRAINT connection_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT connection_provider_athlete UNIQUE (provider_athlete_id),
  CONSTRAINT connection_reason CHECK ((reason IS NULL) = (status <> 'needs_reauth'::text)),
  CONSTRAINT connection_status CHECK (status = ANY (ARRAY['connecting'::text, 'active'::text, 'needs_reauth'::text,
    'revoked'::text]))
);
CREATE INDEX connection_by_end ON strava.connection (expires_at) WHERE status = 'active'::text;
CREATE INDEX connection_of_racer ON strava.connection (next_call_at) WHERE status = 'active'::text AND is_in_races;
CREATE INDEX connection_status ON strava.connection (status);
CREATE INDEX connection_to_exchange ON strava.connection (next_call_at) WHERE status = 'connecting'::text;
CREATE INDEX connection_to_exchange_first ON strava.connection (next_call_at) WHERE status = 'connecting'::text AND
  refused_codes = 0;
CREATE INDEX connection_to_refresh ON strava.connection (next_call_at) WHERE status = 'active'::text;
CREATE INDEX connection_to_revoke ON strava.connection (next_call_at) WHERE status = 'revoked'::text;

-- Unused since release 8 of the functions: a former daemon looks here. A later release drops it.
CREATE TABLE strava.found_activity (
  athlete_id bigint NOT NULL,
  activity_id bigint NOT NULL,
  summary jsonb NOT NULL,    -- In the keys of racing.import_activity, without streams.
  found_at timestamp with time zone NOT NULL,
  until_at timestamp with time zone NOT NULL,    -- The activity is imported without streams then.
  CONSTRAINT found_activity_pkey PRIMARY KEY (athlete_id, activity_id)
);
CREATE INDEX found_activity_next ON strava.found_activity (found_at);
CREATE INDEX found_activity_until ON strava.found_activity (until_at);

-- What the provider hinted at: one row for each athlete, kind and thing, for 7 days. Nobody signs hints: each only asks
-- for a read.
CREATE TABLE strava.hint (
  athlete_id bigint NOT NULL,    -- The athlete whom the hint concerns.
  kind text COLLATE "C" NOT NULL,    -- Of an activity: create, update, delete. Of the athlete: revoke.
  object_id bigint NOT NULL,    -- The provider's number of the activity or athlete.
  event_at timestamp with time zone NOT NULL,    -- When it happened by the provider; at the latest when the hint came.
  digest bytea NOT NULL,    -- SHA-256 of the hint: the same one again asks for nothing.
  received_at timestamp with time zone NOT NULL,    -- When the hint came.
  CONSTRAINT hint_pkey PRIMARY KEY (athlete_id, kind, object_id),
  CONSTRAINT hint_kind CHECK (kind = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text, 'revoke'::text]))
);
CREATE INDEX hint_received ON strava.hint (received_at);

-- Who decides about hints: the functions that another module has registered. Only the owner writes here.
CREATE TABLE strava.hint_taker (
  is_it boolean NOT NULL DEFAULT true,
  follows text NOT NULL,    -- Signatures, such as f.g(bigint, bigint): names survive a dump, object ids do not.
  revoke text NOT NULL,
  CONSTRAINT hint_taker_pkey PRIMARY KEY (is_it),
  CONSTRAINT hint_taker_one CHECK (is_it)
);

-- Unused since release 8 of the functions: a former daemon looks here. A later release drops it.
CREATE TABLE strava.import_request (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the request.
  athlete_id bigint NOT NULL,    -- The athlete whose activities were asked for.
  since timestamp with time zone NOT NULL,    -- Activities that started at this instant or later, and
  before timestamp with time zone NOT NULL,    -- before this one.
  until_at timestamp with time zone NOT NULL,    -- The request expires then.
  page integer NOT NULL DEFAULT 1,    -- The page to read next.
  next_call_at timestamp with time zone NOT NULL,    -- When to call the provider.
  CONSTRAINT import_request_pkey PRIMARY KEY (id),
  CONSTRAINT import_request_once UNIQUE (athlete_id, until_at),
  CONSTRAINT import_request_page CHECK (page >= 1 AND page <= 3),
  CONSTRAINT import_request_span CHECK (since < before)
);
CREATE INDEX import_request_next ON strava.import_request (next_call_at);
CREATE INDEX import_request_until ON strava.import_request (until_at);

-- Unused since release 8 of the functions. A later release drops it.
CREATE TABLE strava.importer (
  is_it boolean NOT NULL DEFAULT true,
  wanted text NOT NULL,    -- The signature of the function that chooses activities, such as f.g(jsonb).
  keep text NOT NULL,    -- The signature of the function that imports one.
  CONSTRAINT importer_pkey PRIMARY KEY (is_it),
  CONSTRAINT importer_one CHECK (is_it)
);

-- Calls without a reply that the provider may have carried out, one row for each token or code.
CREATE TABLE strava.lost_reply (
  athlete_id bigint NOT NULL,    -- The athlete whose token or code was used.
  kind text COLLATE "C" NOT NULL,    -- code: an authorization code was used. refresh: a refresh token was used.
  number bigint NOT NULL,    -- The attempt of the code, or the number of the refresh token.
  cause text NOT NULL,    -- wire: the reply was lost. node: the waiting node ended or hung.
  lost_at timestamp with time zone NOT NULL,    -- When the loss was noticed.
  is_lost boolean NOT NULL,    -- The provider has refused the token or code since: the athlete must connect again.
  CONSTRAINT lost_reply_pkey PRIMARY KEY (athlete_id, kind, number),
  CONSTRAINT lost_reply_cause CHECK (cause = ANY (ARRAY['wire'::text, 'node'::text])),
  CONSTRAINT lost_reply_kind CHECK (kind = ANY (ARRAY['code'::text, 'refresh'::text]))
);
CREATE INDEX lost_reply_at ON strava.lost_reply (lost_at);

-- One row: the circuit breaker for the provider.
CREATE TABLE strava.provider (
  is_it boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  failures_in_row bigint NOT NULL DEFAULT 0,    -- Failed calls since the last success.
  open_since timestamp with time zone,    -- When the breaker opened; null: it is closed.
  open_class text,    -- The class of the failure that opened it.
  -- The turns that are being served in the classes 1 to 3 of reads.
  read_turns bigint[] NOT NULL DEFAULT '{0,0,0}'::bigint[],
  CONSTRAINT provider_pkey PRIMARY KEY (is_it),
  CONSTRAINT provider_one CHECK (is_it),
  CONSTRAINT provider_open CHECK ((open_since IS NULL) = (open_class IS NULL))
);

-- The periods in which an athlete's tokens take precedence.
CREATE TABLE strava.race_period (
  athlete_id bigint NOT NULL,    -- The athlete who entered the race.
  starts_at timestamp with time zone NOT NULL,    -- The start of the race.
  ends_at timestamp with time zone NOT NULL,    -- The end of the race.
  CONSTRAINT race_period_pkey PRIMARY KEY (athlete_id, ends_at, starts_at)
);

-- What the daemon is to read at the provider with an athlete's token.
CREATE TABLE strava.read_request (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the request.
  athlete_id bigint NOT NULL,    -- The athlete whose token is used.
  -- A listing of the athlete's activities, one activity by its id, or the streams of one.
  kind text COLLATE "C" NOT NULL,
  activity_id bigint NOT NULL DEFAULT 0,    -- The provider's id. 0: a listing has none.
  -- Who comes first: 0 results that are due, 1 claims of entrants, 2 claims of others, 3 hints.
  class integer NOT NULL,
  -- The order in a class. Of results: a million times the seconds of until_at, and on; of others: the athlete's turn.
  turn bigint NOT NULL,
  asked_at timestamp with time zone NOT NULL,    -- The latest instant at which it was asked for.
  -- It waits until then; infinity: for the athlete's next token. Null: it is in line.
  next_call_at timestamp with time zone,
  until_at timestamp with time zone NOT NULL,    -- The request expires then.
  follows_switch boolean NOT NULL,    -- Whether it is dropped when strava.import is off.
  since timestamp with time zone,    -- Activities that started at this instant or later, and
  before timestamp with time zone,    -- before this one.
  page integer,    -- The page to read next.
  began_at timestamp with time zone,    -- When the first page of this listing was claimed. Null: it has not begun.
  summary jsonb,    -- Of an activity whose streams are read: in the keys of racing.import_activity, without streams.
  -- How often in a row the read has failed, and not because the provider refuses or fails everybody.
  failures integer NOT NULL DEFAULT 0,
  -- The account at the provider that showed the summary. Null: the request has no summary, or its account is not known.
  account bigint,
  was_read boolean NOT NULL,    -- Whether a listing was read and waits for its second look.
  CONSTRAINT read_request_pkey PRIMARY KEY (id),
  CONSTRAINT read_request_activity CHECK ((kind = 'listing'::text) = (activity_id = 0)),
  CONSTRAINT read_request_class CHECK (class >= 0 AND class <= 3),
  CONSTRAINT read_request_kind CHECK (kind = ANY (ARRAY['listing'::text, 'activity'::text, 'streams'::text])),
  CONSTRAINT read_request_page CHECK ( CASE kind WHEN 'listing'::text THEN COALESCE(page >= 1 AND page <= 3, false) ELSE
    page IS NULL END),
  CONSTRAINT read_request_span CHECK ( CASE kind WHEN 'listing'::text THEN COALESCE(since < before, false) ELSE
    num_nonnulls(since, before) = 0 END),
  CONSTRAINT read_request_summary CHECK ((kind = 'streams'::text) = (summary IS NOT NULL))
);
CREATE INDEX read_request_line ON strava.read_request (class, turn, id) WHERE next_call_at IS NULL;
CREATE UNIQUE INDEX read_request_of_activity ON strava.read_request (athlete_id, activity_id, kind) WHERE kind <>
  'listing'::text;
CREATE UNIQUE INDEX read_request_of_athlete ON strava.read_request (athlete_id) WHERE kind = 'listing'::text AND class >
  0;
CREATE INDEX read_request_of_class ON strava.read_request (athlete_id, class, until_at);
CREATE UNIQUE INDEX read_request_of_result ON strava.read_request (athlete_id, until_at) WHERE kind = 'listing'::text
  AND class = 0;
CREATE INDEX read_request_switch ON strava.read_request (asked_at) WHERE follows_switch;
CREATE INDEX read_request_until ON strava.read_request (until_at);
CREATE INDEX read_request_waiting ON strava.read_request (next_call_at) WHERE next_call_at IS NOT NULL;

-- One row: the functions of the module that takes what is read.
CREATE TABLE strava.reader (
  is_it boolean NOT NULL DEFAULT true,
  take_listing text NOT NULL,    -- The signature of the function that takes a page of a listing.
  take_activity text NOT NULL,    -- The signature of the function that takes one activity.
  take_streams text NOT NULL,    -- The signature of the function that takes an activity with its streams.
  end_read text NOT NULL,    -- The signature of the function that learns that a request has expired.
  demand text,    -- The signature of the function that counts the reads of results. Null: none.
  CONSTRAINT reader_pkey PRIMARY KEY (is_it),
  CONSTRAINT reader_one CHECK (is_it)
);

-- Sealing keys by a prefix of their digest. The one that is not retired seals new secrets.
CREATE TABLE strava.sealing_key (
  key_id text COLLATE "C" NOT NULL,
  began_at timestamp with time zone NOT NULL,
  retired_at timestamp with time zone,
  CONSTRAINT sealing_key_pkey PRIMARY KEY (key_id)
);
CREATE UNIQUE INDEX sealing_key_present ON strava.sealing_key ((true)) WHERE retired_at IS NULL;

-- Authorization codes and refresh tokens, sealed.
CREATE TABLE strava.secret (
  kind text COLLATE "C" NOT NULL,
  athlete_id bigint NOT NULL,
  number bigint NOT NULL,    -- The attempt of a code; tokens_given of a refresh token.
  key_id text COLLATE "C",    -- The key that seals it; null: not sealed yet.
  secret bytea NOT NULL,
  written_at timestamp with time zone NOT NULL,
  CONSTRAINT secret_pkey PRIMARY KEY (kind, athlete_id),
  CONSTRAINT secret_kind CHECK (kind = ANY (ARRAY['code'::text, 'refresh'::text]))
);
CREATE INDEX secret_key ON strava.secret (key_id, written_at);
CREATE INDEX secret_to_seal ON strava.secret (written_at) WHERE key_id IS NULL;

-- The subscription to the provider's webhooks: an application has one. Secrets are kept as digests.
CREATE TABLE strava.subscription (
  is_it boolean NOT NULL DEFAULT true,
  callback text NOT NULL,    -- The base under which the provider reaches a gateway.
  path_digest bytea NOT NULL,    -- SHA-256 of the secret in the path that the provider calls.
  verify_digest bytea NOT NULL,    -- SHA-256 of the token with which the provider validates the path.
  asked_at timestamp with time zone NOT NULL,    -- When the subscription was requested.
  subscription_id bigint,    -- The provider's number of the subscription. Null: its answer has not come.
  confirmed_at timestamp with time zone,    -- When the provider confirmed it. Null: it has not.
  CONSTRAINT subscription_pkey PRIMARY KEY (is_it),
  CONSTRAINT subscription_confirmed CHECK ((subscription_id IS NULL) = (confirmed_at IS NULL)),
  CONSTRAINT subscription_digests CHECK (octet_length(path_digest) = 32 AND octet_length(verify_digest) = 32),
  CONSTRAINT subscription_one CHECK (is_it)
);

-- Athletes, races, entries, activities, reviews and the ledger.
CREATE SCHEMA racing;

-- An activity as imported, with its verdict. One flagged before validation may be reviewed without scores.
CREATE TABLE racing.activity (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the activity.
  athlete_id bigint NOT NULL,    -- The athlete who did the activity.
  strava_id bigint,    -- Null: proof gave the id to another athlete.
  name text NOT NULL,    -- The title that the athlete gave it at the provider.
  activity_type text NOT NULL,    -- The provider's type: Canoeing and Kayaking can count.
  started_at timestamp with time zone NOT NULL,    -- When the activity started.
  elapsed_time numeric NOT NULL,    -- Seconds.
  moving_time numeric NOT NULL,    -- Seconds.
  distance numeric NOT NULL,    -- Metres.
  max_speed numeric,    -- Metres per second.
  start_latitude double precision,    -- Degrees. Null: not known.
  start_longitude double precision,    -- Degrees. Null: not known.
  end_latitude double precision,    -- Degrees. Null: not known.
  end_longitude double precision,    -- Degrees. Null: not known.
  polyline text,    -- The track in the provider's encoding. Null: not known.
  content_hash bytea NOT NULL,    -- Of all that was imported: importing the same content again changes nothing.
  imported_at timestamp with time zone NOT NULL,    -- When the present content was imported.
  status text NOT NULL DEFAULT 'pending'::text,    -- pending, verified, rejected, under_review or disqualified.
  reasons text[] NOT NULL DEFAULT '{}'::text[],    -- Why it was rejected: type, gps, uk or provider.
  flag_count integer NOT NULL DEFAULT 0,    -- Open flags that count.
  flagged_at timestamp with time zone,    -- The latest flag that counts.
  scored boolean NOT NULL,    -- Whether the scores of the present content are known.
  top_speed_mm_per_s bigint,    -- Score in millimetres per second. Null: none.
  distance_cm bigint,    -- Score in centimetres. Null: none.
  fastest_1km_ms bigint,    -- Score in milliseconds. Null: none.
  fastest_5km_ms bigint,    -- Score in milliseconds. Null: none.
  -- Who sees it at the provider; only what everyone sees stands in lists of others. Rows from before the column:
  -- everyone.
  visibility text NOT NULL DEFAULT 'everyone'::text,
  provider_flagged boolean NOT NULL,    -- Whether the provider has flagged it.
  uncounted_flags integer NOT NULL DEFAULT 0,    -- Open flags that do not count.
  -- How often what is measured now was approved: each approval doubles the flags that a review needs.
  approvals integer NOT NULL DEFAULT 0,
  is_proved boolean NOT NULL,    -- Whether the provider has shown it as its athlete's.
  displaced_strava_id bigint,    -- The id that proof gave to another athlete.
  -- When the provider first showed it as another athlete's, after it had counted in a settled race.
  disputed_at timestamp with time zone,
  shown_at timestamp with time zone,    -- When the provider last showed it. Null: not since it came.
  -- When it was found that the provider has it no more. It counts only where a settlement had counted it.
  deleted_at timestamp with time zone,
  forgotten_at timestamp with time zone,    -- When its name, places, track and streams went.
  -- SHA-256 of the streams as they were imported; it outlives them. Null: there were none, or it was not reckoned yet.
  streams_digest bytea,
  -- When the provider last showed it after a deletion. It counts in races that were not due then. Null: never.
  shown_again_at timestamp with time zone,
  -- The account at the provider that showed it last. Null: none has since this column; it counts as before.
  proved_by bigint,
  -- The settled races that it was proved too late for, although it was claimed in time: it never counts there.
  late_for bigint[] NOT NULL DEFAULT '{}'::bigint[],
  -- Whether it was proved after the due instant of a race, with other values than were claimed, or without a claim in
  -- time.
  is_changed_late boolean NOT NULL,
  CONSTRAINT activity_pkey PRIMARY KEY (id),
  CONSTRAINT activity_strava_id UNIQUE (strava_id),
  CONSTRAINT activity_approvals CHECK (approvals >= 0),
  CONSTRAINT activity_displaced CHECK (num_nonnulls(strava_id, displaced_strava_id) = 1 AND (strava_id IS NOT NULL OR
    (status = ANY (ARRAY['rejected'::text, 'disqualified'::text])))),
  CONSTRAINT activity_flag_count CHECK (flag_count >= 0 AND (flag_count = 0 OR flagged_at IS NOT NULL) AND (flag_count =
    0 OR status <> 'disqualified'::text)),
  CONSTRAINT activity_locations CHECK ((start_latitude IS NULL) = (start_longitude IS NULL) AND (end_latitude IS NULL) =
    (end_longitude IS NULL)),
  CONSTRAINT activity_reasons CHECK ((status = 'rejected'::text) = (reasons <> '{}'::text[]) AND reasons <@
    '{type,gps,uk,provider}'::text[]),
  CONSTRAINT activity_scored CHECK (scored OR status <> 'verified'::text AND COALESCE(top_speed_mm_per_s, distance_cm,
    fastest_1km_ms, fastest_5km_ms) IS NULL),
  CONSTRAINT activity_status CHECK (status = ANY (ARRAY['pending'::text, 'verified'::text, 'rejected'::text,
    'under_review'::text, 'disqualified'::text])),
  CONSTRAINT activity_uncounted_flags CHECK (uncounted_flags >= 0 AND (uncounted_flags = 0 OR status <>
    'disqualified'::text)),
  CONSTRAINT activity_visibility CHECK (visibility = ANY (ARRAY['everyone'::text, 'followers_only'::text,
    'only_me'::text]))
);
CREATE INDEX activity_flagged ON racing.activity ((- flag_count), id) WHERE (flag_count + uncounted_flags) > 0 AND
  status <> 'under_review'::text;
CREATE INDEX activity_of_athlete ON racing.activity (athlete_id, started_at);
CREATE INDEX activity_public ON racing.activity (id) WHERE status = 'verified'::text AND visibility = 'everyone'::text;
CREATE INDEX activity_to_escalate ON racing.activity (flag_count, flagged_at) WHERE (status = ANY
  (ARRAY['pending'::text, 'verified'::text])) AND flag_count > 0;
CREATE INDEX activity_to_validate ON racing.activity (imported_at) WHERE status = 'pending'::text;

-- An activity's streams, apart because they are large.
CREATE TABLE racing.activity_stream (
  activity_id bigint NOT NULL,    -- The activity to which the streams belong.
  times bigint[] NOT NULL,    -- Billionths of a second, truncated.
  distances bigint[] NOT NULL,    -- Billionths of a metre, truncated.
  CONSTRAINT activity_stream_pkey PRIMARY KEY (activity_id),
  CONSTRAINT activity_stream_lengths CHECK (cardinality(times) = cardinality(distances)),
  CONSTRAINT activity_stream_limit CHECK (cardinality(times) <= 200000)
);

-- An athlete's profile.
CREATE TABLE racing.athlete (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the athlete.
  display_name text NOT NULL,    -- The name that others see.
  date_of_birth date,    -- Null: not known.
  gender text,    -- female, male or other. Null: not known.
  user_type text NOT NULL,    -- racer or spectator.
  created_at timestamp with time zone NOT NULL,    -- When the athlete was created.
  updated_at timestamp with time zone,    -- The latest change of the profile; null: never.
  -- When the athlete was erased last: no profile, money, entry or connection follows.
  erased_at timestamp with time zone,
  -- The gender that the provider gave last, while racing.proof was on. Null: none, or before this column.
  provider_gender text,
  CONSTRAINT athlete_pkey PRIMARY KEY (id),
  CONSTRAINT athlete_display_name CHECK (length(display_name) >= 1 AND length(display_name) <= 10000),
  CONSTRAINT athlete_gender CHECK (gender = ANY (ARRAY['female'::text, 'male'::text, 'other'::text])),
  CONSTRAINT athlete_provider_gender CHECK (provider_gender = ANY (ARRAY['female'::text, 'male'::text])),
  CONSTRAINT athlete_user_type CHECK (user_type = ANY (ARRAY['racer'::text, 'spectator'::text]))
);
CREATE INDEX athlete_of_two_genders ON racing.athlete (id) WHERE provider_gender <> gender;

-- One row: the end of the chain. Extensions lock it.
CREATE TABLE racing.chain_head (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  position bigint NOT NULL DEFAULT 0,    -- The position of the last link. 0: the chain is empty.
  hash bytea NOT NULL DEFAULT '\x'::bytea,    -- The hash of the last link. Empty: the chain is empty.
  newest_journal bigint NOT NULL DEFAULT 0,    -- The highest journal id in the chain.
  CONSTRAINT chain_head_pkey PRIMARY KEY (only_row),
  CONSTRAINT chain_head_only_row CHECK (only_row),
  CONSTRAINT chain_head_position CHECK ("position" >= 0 AND ("position" = 0) = (hash = '\x'::bytea))
);

-- The hash chain over the journals, in the order in which they were found committed.
CREATE TABLE racing.chain_link (
  position bigint NOT NULL,    -- The place in the chain, from 1 without gaps.
  journal_id bigint NOT NULL,    -- The journal of the link.
  hash bytea NOT NULL,    -- Of the previous hash, the journal and its postings.
  CONSTRAINT chain_link_pkey PRIMARY KEY ("position"),
  CONSTRAINT chain_link_once UNIQUE (journal_id),
  CONSTRAINT chain_link_hash CHECK (length(hash) = 32),
  CONSTRAINT chain_link_position CHECK ("position" > 0)
);

-- Activities that athletes claim and the provider has not confirmed. Proof replaces the row by an activity of the same
-- id.
CREATE TABLE racing.claim (
  id bigint NOT NULL DEFAULT nextval('racing.activity_id_seq'::regclass),    -- From the sequence of racing.activity.
  athlete_id bigint NOT NULL,    -- The athlete who claims the activity.
  strava_id bigint NOT NULL,    -- The claimed activity at the provider; any number of athletes may claim it.
  -- The start as claimed: the claim is held in races whose window has it.
  started_at timestamp with time zone NOT NULL,
  claimed_at timestamp with time zone NOT NULL,    -- The activity that proof makes counts as imported then.
  until_at timestamp with time zone NOT NULL,    -- The provider is asked until then.
  content jsonb NOT NULL,    -- What was sent, without streams, in the keys of an import. Only its athlete sees it.
  -- Of a rejected claim: why. Of an open one, scope: the connection lacks the scope with which the provider would show
  -- it.
  reason text,
  rejected_at timestamp with time zone,    -- Null: open.
  -- When the provider last showed it as its athlete's and its streams were asked for.
  shown_at timestamp with time zone,
  -- The account at the provider with which its athlete was connected. Null: the provider had named none yet.
  account bigint,
  CONSTRAINT claim_pkey PRIMARY KEY (id),
  CONSTRAINT claim_once UNIQUE (athlete_id, strava_id),
  CONSTRAINT claim_reason CHECK (reason = ANY (ARRAY['provider'::text, 'scope'::text])),
  CONSTRAINT claim_rejected CHECK (rejected_at IS NULL OR reason IS NOT NULL),
  CONSTRAINT claim_strava_id CHECK (strava_id > 0)
);
CREATE INDEX claim_ended ON racing.claim (rejected_at) WHERE rejected_at IS NOT NULL;
CREATE INDEX claim_open ON racing.claim (athlete_id, started_at) WHERE rejected_at IS NULL;
CREATE INDEX claim_strava ON racing.claim (strava_id);

-- The authorization codes that an athlete has sent through the gateway in a day.
CREATE TABLE racing.code_day (
  athlete_id bigint NOT NULL,
  day date NOT NULL,    -- A date of racing.time_zone.
  codes integer NOT NULL,
  CONSTRAINT code_day_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT code_day_codes CHECK (codes > 0)
);

-- Reviewers' decisions, kept for ever: any number of requests and one final decision for each review.
CREATE TABLE racing.decision (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the decisions.
  review_id bigint NOT NULL,    -- The review that the decision belongs to.
  activity_id bigint NOT NULL,    -- The activity that was decided on.
  decision text NOT NULL,    -- approve, disqualify or request_info.
  reviewer text NOT NULL,    -- The reviewer, as the app or the operator named them.
  note text NOT NULL,    -- The reviewer's note. It may be empty.
  decided_at timestamp with time zone NOT NULL,    -- When the decision was made.
  -- Of an approval: the digest of what was measured of the activity. Null: decided by a former release.
  measured_hash bytea,
  saw_scores boolean NOT NULL,    -- Of an approval: whether the activity had its scores.
  -- Whether an administrator overruled: no moderator decides after it while the activity keeps its content.
  is_overruling boolean NOT NULL,
  -- The athlete that the reviewer is; null: an operator, an app without athletes, or a decision before this column.
  reviewer_athlete bigint,
  -- Of a question: whether it took a verified activity out of its races. Such a question judges.
  took_verified boolean NOT NULL,
  CONSTRAINT decision_pkey PRIMARY KEY (id),
  CONSTRAINT decision_decision CHECK (decision = ANY (ARRAY['approve'::text, 'disqualify'::text, 'request_info'::text]))
);
CREATE UNIQUE INDEX decision_final ON racing.decision (review_id) WHERE decision <> 'request_info'::text;
CREATE INDEX decision_of_activity ON racing.decision (activity_id, id);
CREATE INDEX decision_of_reviewer ON racing.decision (reviewer_athlete, activity_id) WHERE reviewer_athlete IS NOT NULL
  AND (decision <> 'request_info'::text OR took_verified);

-- Deleted activities whose name, places, track and streams are still here.
CREATE TABLE racing.deletion (
  activity_id bigint NOT NULL,    -- The deleted activity.
  forget_at timestamp with time zone NOT NULL,    -- When they go.
  CONSTRAINT deletion_pkey PRIMARY KEY (activity_id)
);
CREATE INDEX deletion_due ON racing.deletion (forget_at);

-- Accounts at the provider that have entered a race: no other athlete connects with them. An erased athlete's are
-- deleted.
CREATE TABLE racing.entered_account (
  provider_athlete_id bigint NOT NULL,    -- The athlete's number at the provider.
  athlete_id bigint NOT NULL,    -- The athlete who entered with the account.
  CONSTRAINT entered_account_pkey PRIMARY KEY (provider_athlete_id)
);
CREATE INDEX entered_account_athlete ON racing.entered_account (athlete_id);

-- An athlete's entry in a race, with its latest result.
CREATE TABLE racing.entry (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the entry.
  race_id bigint NOT NULL,    -- The race that was entered.
  athlete_id bigint NOT NULL,    -- The athlete who entered.
  fee_pence bigint NOT NULL,    -- The entry fee in pence.
  status text NOT NULL DEFAULT 'entered'::text,    -- entered, completed, disqualified or refunded.
  entered_at timestamp with time zone NOT NULL,    -- When the athlete entered.
  activity_id bigint,    -- The activity that the settlement counted.
  score bigint,    -- The score that the settlement counted, in the unit of the race's type. Null: none.
  rank integer,    -- The place among all entries. Tied entries share one. Null: none.
  prize_pence bigint NOT NULL DEFAULT 0,    -- The prize in pence, by the latest settlement.
  disqualified_by bigint,    -- The disqualified activity; in a settled race the status follows with the correction.
  is_refunded boolean NOT NULL,    -- Whether the fee was paid back.
  -- How often the fee was taken again after a refund, before the settlement: it numbers the journals of both.
  reinstatement_count integer NOT NULL DEFAULT 0,
  -- When a listing for the athlete's claims was asked for in the line of this race's results: once. Null: never.
  claims_listed_at timestamp with time zone,
  -- The account at the provider with which the athlete entered. Null: there was none, or it was entered before this
  -- column.
  account bigint,
  CONSTRAINT entry_pkey PRIMARY KEY (id),
  CONSTRAINT entry_once UNIQUE (race_id, athlete_id),
  CONSTRAINT entry_disqualified CHECK (disqualified_by IS NULL OR (status = ANY (ARRAY['disqualified'::text,
    'completed'::text]))),
  CONSTRAINT entry_fee CHECK (fee_pence > 0),
  CONSTRAINT entry_prize CHECK (prize_pence >= 0 AND (prize_pence = 0 OR rank IS NOT NULL)),
  CONSTRAINT entry_rank CHECK ((rank IS NULL) = (score IS NULL) AND (rank IS NULL) = (activity_id IS NULL) AND (rank IS
    NULL OR rank > 0 AND status = 'completed'::text)),
  CONSTRAINT entry_refunded CHECK ( CASE status WHEN 'refunded'::text THEN is_refunded WHEN 'disqualified'::text THEN
    true ELSE NOT is_refunded END),
  CONSTRAINT entry_status CHECK (status = ANY (ARRAY['entered'::text, 'completed'::text, 'disqualified'::text,
    'refunded'::text]))
) WITH (fillfactor=45);
CREATE INDEX entry_of_athlete ON racing.entry (athlete_id, id);

-- Users' reports of an activity. A final decision closes them; content that was decided on cannot be flagged again.
CREATE TABLE racing.flag (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the flags.
  activity_id bigint NOT NULL,    -- The activity that was flagged.
  flagged_by bigint NOT NULL,    -- The athlete who flagged it.
  reason text NOT NULL,    -- suspicious_speed, motorized_assistance, impossible_route, fake_activity or other.
  notes text,    -- The athlete's words. Null: none.
  flagged_at timestamp with time zone NOT NULL,    -- When the activity was flagged.
  closed_at timestamp with time zone,    -- When a final decision closed the flag. Null: it is open.
  closed_content bytea,    -- The content_hash that was decided on.
  -- Whether it counts towards a review, which its author decided when it was made.
  counts boolean NOT NULL DEFAULT true,
  -- Of the activity and its author's account at the provider, which flags it once, whoever has it. Null: none.
  account_digest bytea,
  CONSTRAINT flag_pkey PRIMARY KEY (id),
  CONSTRAINT flag_closed CHECK ((closed_at IS NULL) = (closed_content IS NULL)),
  CONSTRAINT flag_reason CHECK (reason = ANY (ARRAY['suspicious_speed'::text, 'motorized_assistance'::text,
    'impossible_route'::text, 'fake_activity'::text, 'other'::text]))
);
CREATE INDEX flag_of_activity ON racing.flag (activity_id, flagged_by);
CREATE UNIQUE INDEX flag_once ON racing.flag (activity_id, flagged_by) WHERE closed_at IS NULL;

-- What each athlete imported through the gateway on the latest day.
CREATE TABLE racing.import_day (
  athlete_id bigint NOT NULL,
  day date NOT NULL,    -- A date of racing.time_zone.
  imports bigint NOT NULL,    -- Imports that changed something.
  bytes bigint NOT NULL,    -- Of the bodies of these imports.
  CONSTRAINT import_day_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT import_day_counts CHECK (imports > 0 AND bytes >= 0)
);

-- The ledger, append-only: a journal and its postings are written by one transaction.
CREATE TABLE racing.journal (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the journal.
  kind text NOT NULL,    -- deposit, withdrawal, entry_fee, prize, refund or correction.
  idempotency_key text COLLATE "C" NOT NULL,    -- The key under which the journal is booked once.
  race_id bigint,    -- The race whose money it moves. Null: none.
  description text NOT NULL,    -- The text that the athlete sees.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the booking.
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),    -- The transaction that wrote it.
  CONSTRAINT journal_pkey PRIMARY KEY (id),
  CONSTRAINT journal_once UNIQUE (idempotency_key),
  CONSTRAINT journal_kind CHECK (kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text, 'entry_fee'::text,
    'prize'::text, 'refund'::text, 'correction'::text]))
);

-- The later of two journals with one key; settled migrate --mark-doubles lists it.
CREATE TABLE racing.journal_double (
  journal_id bigint NOT NULL,    -- The later journal.
  double_of bigint NOT NULL,    -- The earlier journal with the same key.
  idempotency_key text COLLATE "C" NOT NULL,    -- The key under which both were booked.
  marked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- A real time.
  CONSTRAINT journal_double_pkey PRIMARY KEY (journal_id),
  CONSTRAINT journal_double_later CHECK (double_of < journal_id)
);

-- Activities that revision 1 held and that were verified since: later revisions count them.
CREATE TABLE racing.late_activity (
  race_id bigint NOT NULL,    -- The race that held the activity.
  activity_id bigint NOT NULL,    -- The activity that was held.
  verified_at timestamp with time zone NOT NULL,    -- When the activity was verified.
  CONSTRAINT late_activity_once PRIMARY KEY (race_id, activity_id)
);

-- Differences that the latest audit found, so that each is reported once.
CREATE TABLE racing.ledger_difference (
  finding text COLLATE "C" NOT NULL,    -- Account, athlete and amount.
  difference jsonb NOT NULL,    -- The difference as ledger verify shows it.
  found_at timestamp with time zone NOT NULL,    -- When an audit first found it.
  CONSTRAINT ledger_difference_pkey PRIMARY KEY (finding)
);

-- The payouts of each revision, as decided then.
CREATE TABLE racing.payout (
  race_id bigint NOT NULL,    -- The race that was settled.
  revision integer NOT NULL,    -- The revision of the settlement.
  place integer NOT NULL,    -- The place in the ranking, from 1 to 3.
  entry_id bigint NOT NULL,    -- The entry that wins.
  athlete_id bigint NOT NULL,    -- The athlete who wins.
  amount_pence bigint NOT NULL,    -- The prize in pence.
  CONSTRAINT payout_once PRIMARY KEY (race_id, revision, entry_id),
  CONSTRAINT payout_amount CHECK (amount_pence > 0),
  CONSTRAINT payout_place CHECK (place >= 1 AND place <= 3)
);

-- Double-entry postings: those of one journal sum to zero.
CREATE TABLE racing.posting (
  -- The order of the postings. In a wallet it is the id of the transaction.
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  journal_id bigint NOT NULL,    -- The journal of the posting.
  account text NOT NULL,    -- wallet, pending, receivable, pool, platform or external.
  athlete_id bigint,    -- Of the accounts wallet, pending and receivable.
  race_id bigint,    -- Of the account pool.
  entry_id bigint,    -- The entry for which money moves. Null: none.
  amount_pence bigint NOT NULL,    -- The account's gain; negative for a receivable that grows.
  balance_pence bigint,    -- The wallet's balance just after.
  CONSTRAINT posting_pkey PRIMARY KEY (id),
  CONSTRAINT posting_account CHECK (account = ANY (ARRAY['wallet'::text, 'pending'::text, 'receivable'::text,
    'pool'::text, 'platform'::text, 'external'::text])),
  CONSTRAINT posting_amount CHECK (amount_pence <> 0 OR account = 'wallet'::text),
  CONSTRAINT posting_balance CHECK ((account = 'wallet'::text) = (balance_pence IS NOT NULL) AND balance_pence >= 0),
  CONSTRAINT posting_owner CHECK ((account = ANY (ARRAY['wallet'::text, 'pending'::text, 'receivable'::text])) =
    (athlete_id IS NOT NULL) AND (account = 'pool'::text) = (race_id IS NOT NULL))
);
CREATE INDEX posting_of_athlete ON racing.posting (athlete_id, id) WHERE account = 'wallet'::text;
CREATE INDEX posting_of_entries ON racing.posting (athlete_id, id) WHERE entry_id IS NOT NULL AND athlete_id IS NOT
  NULL;
CREATE INDEX posting_of_journal ON racing.posting (journal_id);
CREATE INDEX posting_of_pool ON racing.posting (race_id) WHERE account = 'pool'::text;

-- A race, with a snapshot of the settings at its creation.
CREATE TABLE racing.race (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the race.
  type text COLLATE "C" NOT NULL,    -- Which figure of an activity decides.
  -- The period that the window covers: a day, a week or a month in the zone of racing.time_zone.
  duration text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,    -- The ages and the gender for whom the race is open.
  starts_at timestamp with time zone NOT NULL,    -- Activities count from here to ends_at.
  ends_at timestamp with time zone NOT NULL,    -- Activities that start at this instant or later do not count.
  due_at timestamp with time zone NOT NULL,    -- ends_at plus the results grace: the earliest settlement.
  entry_fee_pence bigint NOT NULL,    -- The entry fee in pence.
  platform_fee_percent numeric(4,2) NOT NULL,    -- The platform's part of all fees.
  prize_shares integer[] NOT NULL,    -- Percent of the pool for the first three places.
  entry_cutoff interval NOT NULL,    -- Entries close this long before ends_at.
  review_hold interval NOT NULL,    -- The longest that held activities delay the settlement after due_at.
  -- upcoming, active, ended, then settled; cancelled from any of the first three.
  status text NOT NULL DEFAULT 'upcoming'::text,
  entry_count integer NOT NULL DEFAULT 0,    -- All entries of the race, disqualified and refunded ones too.
  -- When settlement next checks an ended race: due_at, or the end of the hold while it waits. Formerly attend_at.
  next_check_at timestamp with time zone NOT NULL,
  -- The held activities and the open claims that the settlement waits for.
  waiting_activities bigint[] NOT NULL DEFAULT '{}'::bigint[],
  -- Since when a follow-up is due: refunds of disqualified entries, or a correction. Formerly marked_at.
  correction_due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,    -- When the race was created.
  -- When the settlement job is due: next_check_at while the race is ended, or correction_due_at if that is earlier.
  -- Generated; formerly settle_at.
  settle_due_at timestamp with time zone GENERATED ALWAYS AS (LEAST( CASE WHEN status = 'ended'::text THEN next_check_at
    ELSE NULL::timestamp with time zone END, correction_due_at)) STORED,
  -- The first date of a regular race's window by the calendar of local_zone; null for a special race.
  local_date date,
  local_zone text COLLATE "C",    -- racing.time_zone when the regular race was made.
  -- Whether the next correction brings entries back: those out by an activity that is not disqualified any more.
  is_reinstating boolean NOT NULL,
  -- Set by a daemon that knows claims, in the statement by which a race waits; a trigger takes it back.
  knows_claims boolean NOT NULL,
  CONSTRAINT race_pkey PRIMARY KEY (id),
  CONSTRAINT race_key UNIQUE (type, duration, category, starts_at),
  CONSTRAINT race_once_a_date UNIQUE (type, duration, category, local_zone, local_date),
  CONSTRAINT race_category CHECK (category = ANY (ARRAY['junior_girls'::text, 'junior_boys'::text, 'women_u23'::text,
    'men_u23'::text, 'senior_women'::text, 'senior_men'::text, 'masters_women'::text, 'masters_men'::text])),
  CONSTRAINT race_correction_due CHECK (correction_due_at IS NULL OR status <> 'cancelled'::text),
  CONSTRAINT race_date CHECK ((local_date IS NULL) = (local_zone IS NULL)),
  CONSTRAINT race_due CHECK (due_at >= ends_at AND next_check_at >= due_at),
  CONSTRAINT race_duration CHECK (duration = ANY (ARRAY['daily'::text, 'weekly'::text, 'monthly'::text])),
  CONSTRAINT race_fee CHECK (entry_fee_pence > 0),
  CONSTRAINT race_platform_fee CHECK (platform_fee_percent >= 0::numeric AND platform_fee_percent <= 50::numeric),
  CONSTRAINT race_reinstating CHECK (NOT is_reinstating OR status = 'settled'::text),
  CONSTRAINT race_shares CHECK ((cardinality(prize_shares) = 3 AND (prize_shares[1] + prize_shares[2] + prize_shares[3])
    = 100 AND prize_shares[1] > prize_shares[2] AND prize_shares[2] > prize_shares[3] AND prize_shares[3] > 0) IS TRUE),
  CONSTRAINT race_status CHECK (status = ANY (ARRAY['upcoming'::text, 'active'::text, 'ended'::text, 'settled'::text,
    'cancelled'::text])),
  CONSTRAINT race_type CHECK (type = ANY (ARRAY['top_speed'::text, 'furthest_distance'::text, 'fastest_1km'::text,
    'fastest_5km'::text])),
  CONSTRAINT race_waiting CHECK (status = 'ended'::text OR waiting_activities = '{}'::bigint[]),
  CONSTRAINT race_window CHECK (starts_at < ends_at)
);
CREATE INDEX race_of_category ON racing.race (category, duration, id);
CREATE INDEX race_of_end ON racing.race (status, ends_at, id);
CREATE INDEX race_of_status ON racing.race (status, id);
CREATE INDEX race_to_end ON racing.race (ends_at) WHERE status = 'active'::text;
CREATE INDEX race_to_end_later ON racing.race (ends_at) WHERE status = 'upcoming'::text;
CREATE INDEX race_to_settle ON racing.race (settle_due_at, id) WHERE settle_due_at IS NOT NULL;
CREATE INDEX race_to_settle_later ON racing.race (next_check_at) WHERE status = ANY (ARRAY['upcoming'::text,
  'active'::text]);
CREATE INDEX race_to_start ON racing.race (starts_at) WHERE status = 'upcoming'::text;

-- What operators ordered about races; the job race-orders carries it out.
CREATE TABLE racing.race_order (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the order.
  race_id bigint NOT NULL,    -- The race that the order is about.
  kind text COLLATE "C" NOT NULL,    -- settle or cancel.
  overrides boolean NOT NULL,    -- Whether grace and hold are skipped.
  expected_hash text COLLATE "C",    -- The hash of the inputs that the operator saw; null for any.
  reason text,    -- The operator's reason, which the event of a cancellation carries.
  ordered_at timestamp with time zone NOT NULL,    -- When the operator gave the order.
  finished_at timestamp with time zone,    -- When it was carried out or refused.
  rule text COLLATE "C",    -- The rule that refused it; null where none did.
  refusal text,    -- The refusal in words.
  answer jsonb,    -- The answer that the operator gets.
  CONSTRAINT race_order_pkey PRIMARY KEY (id),
  CONSTRAINT race_order_finished CHECK ((finished_at IS NOT NULL)::integer = ((rule IS NOT NULL)::integer + (answer IS
    NOT NULL)::integer)),
  CONSTRAINT race_order_kind CHECK (kind = ANY (ARRAY['settle'::text, 'cancel'::text])),
  CONSTRAINT race_order_refusal CHECK ((rule IS NULL) = (refusal IS NULL)),
  CONSTRAINT race_order_settles CHECK (kind = 'settle'::text OR NOT overrides AND expected_hash IS NULL)
);
CREATE INDEX race_order_due ON racing.race_order (ordered_at, race_id) WHERE finished_at IS NULL;
CREATE INDEX race_order_of_race ON racing.race_order (race_id, id);
CREATE UNIQUE INDEX race_order_open ON racing.race_order (race_id) WHERE finished_at IS NULL;

-- A review of a flagged activity: one at a time.
CREATE TABLE racing.review (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the review.
  activity_id bigint NOT NULL,    -- The activity under review.
  state text NOT NULL DEFAULT 'open'::text,    -- open, info_requested or decided.
  level integer NOT NULL DEFAULT 0,    -- How often a reminder escalated it.
  opened_at timestamp with time zone NOT NULL,    -- When the review was opened.
  reasons text[] NOT NULL DEFAULT '{}'::text[],    -- Why the daemon opened it; empty: for its flags, or for a decision.
  -- The bounds that scores exceed: score, value and bound in the unit of the score.
  bounds jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT review_pkey PRIMARY KEY (id),
  CONSTRAINT review_bounds CHECK (jsonb_typeof(bounds) = 'array'::text),
  CONSTRAINT review_level CHECK (level >= 0),
  CONSTRAINT review_reasons CHECK (reasons <@ '{implausible,provider_flag,late_change}'::text[]),
  CONSTRAINT review_state CHECK (state = ANY (ARRAY['open'::text, 'info_requested'::text, 'decided'::text]))
);
CREATE UNIQUE INDEX review_once ON racing.review (activity_id) WHERE state <> 'decided'::text;
CREATE INDEX review_open ON racing.review (opened_at, id) WHERE state <> 'decided'::text;
CREATE INDEX review_to_escalate ON racing.review (level, opened_at) WHERE state <> 'decided'::text;

-- Connections that were revoked: names, places, tracks and streams of the athletes' activities go.
CREATE TABLE racing.revocation (
  athlete_id bigint NOT NULL,    -- The athlete whose connection was revoked.
  -- The account of the connection; 0: it was not known. Who connects with it again ends the revocation.
  provider_athlete_id bigint NOT NULL,
  revoked_at timestamp with time zone NOT NULL,    -- Activities that were imported later stay.
  forget_at timestamp with time zone NOT NULL,    -- When they go.
  CONSTRAINT revocation_pkey PRIMARY KEY (athlete_id, provider_athlete_id)
);
CREATE INDEX revocation_due ON racing.revocation (forget_at);

-- Settlements of a race: revision 1, then its corrections.
CREATE TABLE racing.settlement (
  race_id bigint NOT NULL,    -- The race that was settled.
  revision integer NOT NULL,    -- 1 for the first settlement, then one more for each correction.
  outcome text NOT NULL,    -- paid, or void: no entry had a rank.
  settled_at timestamp with time zone NOT NULL,    -- When the race was settled.
  fees_pence bigint NOT NULL,    -- All fees of entries that took part, in pence.
  platform_fee_pence bigint NOT NULL,    -- The platform's part of the fees, in pence.
  prize_pool_pence bigint NOT NULL,    -- The part of the fees for prizes, in pence.
  journal_id bigint,    -- Null: nothing was booked.
  input_hash text NOT NULL,    -- The hash of the inputs that decided.
  counted_activities bigint[] NOT NULL,    -- The activities that counted.
  -- The activities that were held when the race settled, and the claims that were open.
  held_activities bigint[] NOT NULL,
  CONSTRAINT settlement_once PRIMARY KEY (race_id, revision),
  CONSTRAINT settlement_outcome CHECK (outcome = ANY (ARRAY['paid'::text, 'void'::text])),
  CONSTRAINT settlement_revision CHECK (revision >= 1),
  CONSTRAINT settlement_split CHECK (fees_pence >= 0 AND platform_fee_pence >= 0 AND prize_pool_pence >= 0 AND (outcome
    = 'void'::text AND platform_fee_pence = 0 AND prize_pool_pence = 0 OR outcome = 'paid'::text AND fees_pence =
    (platform_fee_pence + prize_pool_pence)))
);
CREATE INDEX settlement_of_time ON racing.settlement (settled_at);

-- Where the next run of stream-pruning continues.
CREATE TABLE racing.stream_pruning (
  is_it boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  activity_id bigint NOT NULL,    -- The last activity whose streams were looked at; 0: none.
  CONSTRAINT stream_pruning_pkey PRIMARY KEY (is_it),
  CONSTRAINT stream_pruning_one CHECK (is_it)
);

-- The end of a withdrawal, or a charged-back deposit. A withdrawal without a row is pending.
CREATE TABLE racing.transaction_end (
  posting_id bigint NOT NULL,    -- The posting of the withdrawal or deposit in the wallet.
  status text NOT NULL,    -- completed or failed.
  reason text,    -- Why it failed. Null: it was completed.
  ended_at timestamp with time zone NOT NULL,    -- When it ended.
  journal_id bigint NOT NULL,    -- The journal that books the end.
  CONSTRAINT transaction_end_pkey PRIMARY KEY (posting_id),
  CONSTRAINT transaction_end_reason CHECK ((status = 'failed'::text) = (reason IS NOT NULL)),
  CONSTRAINT transaction_end_status CHECK (status = ANY (ARRAY['completed'::text, 'failed'::text]))
);

-- An athlete's balances: each equals the sum of its postings.
CREATE TABLE racing.wallet (
  athlete_id bigint NOT NULL,    -- The athlete who owns the wallet.
  balance_pence bigint NOT NULL DEFAULT 0,    -- The balance in pence.
  pending_pence bigint NOT NULL DEFAULT 0,    -- Withdrawals that the payment provider has not confirmed.
  receivable_pence bigint NOT NULL DEFAULT 0,    -- The athlete's debt after a correction.
  CONSTRAINT wallet_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT wallet_balance CHECK (balance_pence >= 0),
  CONSTRAINT wallet_pending CHECK (pending_pence >= 0),
  CONSTRAINT wallet_receivable CHECK (receivable_pence >= 0)
);
CREATE INDEX wallet_pending ON racing.wallet (athlete_id) INCLUDE (pending_pence) WHERE pending_pence > 0;

-- Check-ins, streaks and the days of each time zone.
CREATE SCHEMA checkins;

-- Days that were closed, each once.
CREATE TABLE checkins.day (
  zone text COLLATE "C" NOT NULL,    -- The time zone of the day.
  date date NOT NULL,    -- The date that was closed.
  checked_in bigint NOT NULL,    -- Check-ins of the day.
  streaks_ended bigint NOT NULL,    -- Streaks that ended with the day.
  closed_at timestamp with time zone NOT NULL,    -- When the day was closed.
  CONSTRAINT day_once PRIMARY KEY (zone, date),
  CONSTRAINT day_totals CHECK (checked_in >= 0 AND streaks_ended >= 0)
);

-- Check-ins: one for each person and date.
CREATE TABLE checkins.entry (
  profile_id bigint NOT NULL,    -- The person who checked in.
  date date NOT NULL,    -- The date of the check-in.
  zone text NOT NULL,    -- The zone in which the date was the person's.
  score numeric(3,1) NOT NULL,    -- The score, from -11 to 9 in halves.
  metrics jsonb NOT NULL,    -- The metrics as they were sent, without date.
  checked_in_at timestamp with time zone NOT NULL,    -- The instant of the check-in.
  CONSTRAINT entry_of_date PRIMARY KEY (profile_id, date),
  CONSTRAINT entry_score CHECK (score >= '-11'::integer::numeric AND score <= 9::numeric AND (score * 2::numeric) =
    trunc(score * 2::numeric))
) PARTITION BY RANGE (date);

CREATE TABLE checkins.entry_default PARTITION OF checkins.entry DEFAULT;

-- A person as the app names them.
CREATE TABLE checkins.profile (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the person.
  user_id text NOT NULL,    -- The app's name of the person.
  time_zone text,    -- As it was sent; null: UTC applies.
  is_onboarded boolean NOT NULL,    -- Whether the onboarding is complete.
  created_at timestamp with time zone NOT NULL,    -- When the profile was created.
  zone_since date NOT NULL,    -- The zone's date when the person began to use it.
  streak_id bigint,    -- The latest streak.
  longest_streak integer NOT NULL DEFAULT 0,    -- The length of the longest streak in days.
  -- Dates after the last entry that a change of zone skipped.
  bridged datemultirange NOT NULL DEFAULT '{}'::datemultirange,
  chronological_age_years numeric,    -- As it was given at the onboarding; null: never.
  delta_years numeric NOT NULL DEFAULT 0,    -- The sum of the deltas of all days, those of pruned entries too.
  rejuvenation_days integer NOT NULL DEFAULT 0,    -- How many days had a delta below 0.
  acceleration_days integer NOT NULL DEFAULT 0,    -- How many days had a delta above 0.
  -- How many consecutive days up to the last entry had a delta of its sign: below 0 for rejuvenation, above 0 for
  -- acceleration.
  trend_days integer NOT NULL DEFAULT 0,
  CONSTRAINT profile_pkey PRIMARY KEY (id),
  CONSTRAINT profile_user EXCLUDE USING hash (user_id WITH =),
  CONSTRAINT profile_chronological_age CHECK (chronological_age_years >= 0::numeric AND chronological_age_years <=
    150::numeric),
  CONSTRAINT profile_longest CHECK (longest_streak >= 0 AND (longest_streak > 0) = (streak_id IS NOT NULL)),
  CONSTRAINT profile_trend CHECK (rejuvenation_days >= 0 AND acceleration_days >= 0 AND trend_days >= (-
    rejuvenation_days) AND trend_days <= acceleration_days),
  CONSTRAINT profile_user_id CHECK (length(user_id) >= 1 AND length(user_id) <= 10000)
) WITH (fillfactor=90);

-- Entries on successive dates.
CREATE TABLE checkins.streak (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the streak.
  profile_id bigint NOT NULL,    -- The person who has the streak.
  zone text COLLATE "C" NOT NULL,    -- The time zone whose days the streak follows.
  started_on date NOT NULL,    -- The date of the first entry.
  last_on date NOT NULL,    -- The date of the latest entry.
  length integer NOT NULL,    -- The number of entries.
  -- The streak ends with this date in its zone, unless there is an entry: the first date after last_on that is not
  -- bridged.
  ends_on date NOT NULL,
  ended_at timestamp with time zone,    -- When the streak was ended. Null: it was not.
  CONSTRAINT streak_pkey PRIMARY KEY (id),
  CONSTRAINT streak_dates CHECK (started_on <= last_on AND last_on < ends_on),
  CONSTRAINT streak_length CHECK (length >= 1 AND length <= (last_on - started_on + 1))
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX streak_to_end ON checkins.streak (zone, ends_on, id) WHERE ended_at IS NULL;

-- Check-ins of a day that is open, in several rows so that callers do not wait for each other.
CREATE TABLE checkins.tally (
  zone text COLLATE "C" NOT NULL,    -- The time zone of the day.
  date date NOT NULL,    -- The open date.
  shard integer NOT NULL,    -- The number of the row among those of one day.
  checked_in bigint NOT NULL,    -- Check-ins that the row has counted.
  CONSTRAINT tally_once PRIMARY KEY (zone, date, shard),
  CONSTRAINT tally_checked_in CHECK (checked_in >= 0)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);

-- Zones with profiles, and the next of their days to close.
CREATE TABLE checkins.zone (
  name text COLLATE "C" NOT NULL,    -- The name of the time zone.
  next_date date NOT NULL,    -- The next date to close.
  next_at timestamp with time zone NOT NULL,    -- The instant at which next_date ends.
  streaks_ended bigint NOT NULL DEFAULT 0,    -- Streaks that the closing of next_date has ended so far.
  ended_on date NOT NULL DEFAULT '-infinity'::date,    -- The ends_on of the last of them; -infinity: none.
  ended_id bigint NOT NULL DEFAULT 0,    -- The id of the last of them; 0: none.
  CONSTRAINT zone_pkey PRIMARY KEY (name),
  CONSTRAINT zone_ended CHECK (ended_on <= next_date AND (ended_on = '-infinity'::date) = (ended_id = 0)),
  CONSTRAINT zone_streaks_ended CHECK (streaks_ended >= 0)
);
CREATE INDEX zone_to_close ON checkins.zone (next_at, name);

-- Runners, points, rewards and team talks.
CREATE SCHEMA seasons;

-- The points of each type of activity.
CREATE TABLE seasons.activity_type (
  name text COLLATE "C" NOT NULL,    -- The name of the type.
  points integer NOT NULL,    -- The points of one activity.
  CONSTRAINT activity_type_pkey PRIMARY KEY (name),
  CONSTRAINT activity_type_points CHECK (points > 0)
);

-- People as the app names them.
CREATE TABLE seasons.app_user (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the person.
  username text NOT NULL,    -- The app's name of the person.
  display_name text NOT NULL,    -- The name that others see.
  role text NOT NULL,    -- coach or runner.
  runner_id bigint,    -- The runner that the person is. Null: none.
  CONSTRAINT app_user_pkey PRIMARY KEY (id),
  CONSTRAINT app_user_username EXCLUDE USING hash (username WITH =),
  CONSTRAINT app_user_names CHECK (length(username) >= 1 AND length(username) <= 10000 AND length(display_name) >= 1 AND
    length(display_name) <= 10000),
  CONSTRAINT app_user_role CHECK (role = ANY (ARRAY['coach'::text, 'runner'::text]))
);

-- Comments on team talks, and replies to them.
CREATE TABLE seasons.comment (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the comments.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),    -- The id by which apps name the comment.
  talk_id bigint NOT NULL,    -- The talk that was commented on.
  user_id bigint NOT NULL,    -- The person who commented.
  message text NOT NULL,    -- The text of the comment.
  parent_id bigint,    -- The comment replied to.
  depth integer NOT NULL,    -- 0: a comment on the talk itself.
  created_at timestamp with time zone NOT NULL,    -- When the comment was written.
  updated_at timestamp with time zone NOT NULL,    -- When the comment was last changed.
  CONSTRAINT comment_pkey PRIMARY KEY (id),
  CONSTRAINT comment_uuid UNIQUE (uuid),
  CONSTRAINT comment_depth CHECK (depth >= 0 AND depth <= 8 AND (depth = 0) = (parent_id IS NULL)),
  CONSTRAINT comment_message CHECK (length(message) >= 1 AND length(message) <= 10000)
);
CREATE INDEX comment_of_talk ON seasons.comment (talk_id, id);

-- Points that were earned; only erasing changes a row.
CREATE TABLE seasons.earning (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the earnings.
  runner_id bigint NOT NULL,    -- The runner who earned the points.
  activity_type text COLLATE "C" NOT NULL,    -- The type of the activity.
  activity_uuid text,    -- The app's id of the activity. Null: none.
  activity_digest bytea,    -- The digest of activity_uuid, which may be too long for an index.
  points integer NOT NULL,    -- The points of the activity.
  season text COLLATE "C",    -- xc or track. Null: the points belong to no season.
  year integer,    -- The year of the season. Null: the points belong to no season.
  description text,    -- The app's text. Null: none.
  occurred_at timestamp with time zone NOT NULL,    -- When the points were earned.
  version bigint,    -- The version whose team total has the points; null: none.
  CONSTRAINT earning_pkey PRIMARY KEY (id),
  CONSTRAINT earning_once UNIQUE (runner_id, activity_type, activity_digest),
  CONSTRAINT earning_digest CHECK ((activity_uuid IS NULL) = (activity_digest IS NULL)),
  CONSTRAINT earning_points CHECK (points > 0),
  CONSTRAINT earning_season CHECK (season = ANY (ARRAY['xc'::text, 'track'::text])),
  CONSTRAINT earning_version CHECK (version IS NULL OR season IS NOT NULL AND year IS NOT NULL),
  CONSTRAINT earning_year CHECK (year >= 0 AND year <= 9999)
);
CREATE INDEX earning_of_team ON seasons.earning (season, year, occurred_at, id) INCLUDE (points, version) WHERE version
  IS NOT NULL;

-- How often each runner earned points for themselves on the latest day, by type of activity.
CREATE TABLE seasons.own_earning_day (
  runner_id bigint NOT NULL,
  activity_type text COLLATE "C" NOT NULL,
  day date NOT NULL,    -- A date of seasons.time_zone.
  earnings bigint NOT NULL,
  CONSTRAINT own_earning_day_pkey PRIMARY KEY (runner_id, activity_type),
  CONSTRAINT own_earning_day_earnings CHECK (earnings > 0)
);

-- Reactions to team talks.
CREATE TABLE seasons.reaction (
  talk_id bigint NOT NULL,    -- The talk that was reacted to.
  emoji text COLLATE "C" NOT NULL,    -- The reaction.
  user_id bigint NOT NULL,    -- The person who reacted.
  reacted_at timestamp with time zone NOT NULL,    -- When the person reacted.
  CONSTRAINT reaction_once PRIMARY KEY (talk_id, emoji, user_id),
  CONSTRAINT reaction_emoji CHECK (length(emoji) >= 1 AND length(emoji) <= 64)
);
CREATE INDEX reaction_of_user ON seasons.reaction (talk_id, user_id);

-- The latest twenty counted views of a talk.
CREATE TABLE seasons.recent_view (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  viewed_at timestamp with time zone NOT NULL,    -- When the talk was viewed.
  id bigint NOT NULL,    -- The number of the view.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The name of the person at the view.
  CONSTRAINT recent_view_once PRIMARY KEY (talk_id, viewed_at, id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

-- Rewards that a team reaches together.
CREATE TABLE seasons.reward (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the reward.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  description text NOT NULL,    -- The reward in words.
  point_threshold bigint NOT NULL,    -- The points that the team must reach.
  display_order integer NOT NULL,    -- The place in lists, once in a season.
  achieved_date timestamp with time zone,    -- Set once, by reward-check.
  created_by text,    -- The person who created it, as the app named them. Null: none was named.
  created_at timestamp with time zone NOT NULL,    -- When the reward was created.
  updated_at timestamp with time zone NOT NULL,    -- When the reward was last changed.
  CONSTRAINT reward_pkey PRIMARY KEY (id),
  CONSTRAINT reward_display_order UNIQUE (season, year, display_order),
  CONSTRAINT reward_point_threshold CHECK (point_threshold > 0),
  CONSTRAINT reward_season CHECK (season = ANY (ARRAY['xc'::text, 'track'::text])),
  CONSTRAINT reward_year CHECK (year >= 0 AND year <= 9999)
);

-- Runners of the teams. The row's lock orders the calls for one runner.
CREATE TABLE seasons.runner (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the runner.
  name text NOT NULL,    -- The name of the runner.
  graduating_class integer NOT NULL,    -- The year of graduation.
  team text NOT NULL,    -- UA or NU.
  does_xc boolean NOT NULL,    -- Whether the runner belongs to the xc season.
  does_track boolean NOT NULL,    -- Whether the runner belongs to the track season.
  is_active boolean NOT NULL DEFAULT true,    -- Whether the runner is on the rosters.
  points bigint NOT NULL DEFAULT 0,    -- All points ever earned.
  created_at timestamp with time zone NOT NULL,    -- When the runner was created.
  CONSTRAINT runner_pkey PRIMARY KEY (id),
  CONSTRAINT runner_graduating_class CHECK (graduating_class >= 1900 AND graduating_class <= 2200),
  CONSTRAINT runner_name CHECK (length(name) >= 1 AND length(name) <= 10000),
  CONSTRAINT runner_points CHECK (points >= 0),
  CONSTRAINT runner_team CHECK (team = ANY (ARRAY['UA'::text, 'NU'::text]))
) WITH (fillfactor=80);
CREATE INDEX runner_by_points ON seasons.runner (points DESC, id) WHERE is_active AND team = 'UA'::text;
CREATE INDEX runner_on_roster ON seasons.runner (graduating_class) INCLUDE (does_xc, does_track) WHERE is_active AND
  team = 'UA'::text;

-- A runner's points in a season.
CREATE TABLE seasons.seasonal_total (
  runner_id bigint NOT NULL,    -- The runner who earned the points.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  points bigint NOT NULL,    -- The points of the runner in the season.
  CONSTRAINT seasonal_total_once PRIMARY KEY (runner_id, season, year),
  CONSTRAINT seasonal_total_points CHECK (points > 0)
) WITH (fillfactor=80);

-- Additions to team_total that reward-check has not made yet.
CREATE TABLE seasons.team_change (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the additions.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  version bigint NOT NULL,    -- The version to whose total the addition belongs.
  moved bigint NOT NULL DEFAULT 0,    -- Points that a change of the roster adds or removes.
  earned bigint NOT NULL DEFAULT 0,    -- Points that were earned.
  at timestamp with time zone NOT NULL,    -- When the addition was written.
  CONSTRAINT team_change_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX team_change_of_season ON seasons.team_change (season, year);
CREATE INDEX team_change_to_check ON seasons.team_change (at, id);

-- Team talks.
CREATE TABLE seasons.team_talk (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the talks.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),    -- The id by which apps name the talk.
  author text NOT NULL,    -- The author, as the app named them.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  title text NOT NULL,    -- The title of the talk.
  content text NOT NULL,    -- The text of the talk.
  team text NOT NULL,    -- UA or NU.
  created_at timestamp with time zone NOT NULL,    -- When the talk was created.
  updated_at timestamp with time zone NOT NULL,    -- When the talk was last changed.
  CONSTRAINT team_talk_pkey PRIMARY KEY (id),
  CONSTRAINT team_talk_uuid UNIQUE (uuid),
  CONSTRAINT team_talk_season CHECK (season = ANY (ARRAY['xc'::text, 'track'::text])),
  CONSTRAINT team_talk_team CHECK (team = ANY (ARRAY['UA'::text, 'NU'::text])),
  CONSTRAINT team_talk_year CHECK (year >= 0 AND year <= 9999)
);
CREATE INDEX team_talk_of_season ON seasons.team_talk (season, year, id);

-- What each version adds to a team's total.
CREATE TABLE seasons.team_total (
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  version bigint NOT NULL,    -- The version that adds the points.
  moved bigint NOT NULL,    -- What the version's change of the roster added or removed.
  earned bigint NOT NULL,    -- What was earned in the version.
  CONSTRAINT team_total_once PRIMARY KEY (season, year, version),
  CONSTRAINT team_total_earned CHECK (earned >= 0)
) WITH (fillfactor=80);

-- The threshold of a reward from a version on.
CREATE TABLE seasons.threshold (
  reward_id bigint NOT NULL,    -- The reward that has the threshold.
  version bigint NOT NULL,    -- The version from which the threshold applies.
  points bigint NOT NULL,    -- The threshold in points.
  CONSTRAINT threshold_once PRIMARY KEY (reward_id, version),
  CONSTRAINT threshold_points CHECK (points > 0)
);

-- Views that view-rollup has not counted yet.
CREATE TABLE seasons.uncounted_view (
  id bigint NOT NULL,    -- The number of the view.
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The name of the person at the view.
  viewed_at timestamp with time zone NOT NULL,    -- When the talk was viewed.
  CONSTRAINT uncounted_view_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX uncounted_view_at ON seasons.uncounted_view (viewed_at, id);
CREATE INDEX uncounted_view_of_talk ON seasons.uncounted_view (talk_id, viewed_at, id);

-- Changes of rosters and thresholds, in order. The lock of row 0 serialises them.
CREATE TABLE seasons.version (
  number bigint NOT NULL,    -- The number of the version.
  at timestamp with time zone NOT NULL,    -- When the version began.
  CONSTRAINT version_pkey PRIMARY KEY (number)
);

-- Every view of a team talk, in monthly partitions, until seasons.view_retention.
CREATE TABLE seasons.view (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the view.
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The name of the person at the view.
  team text,    -- UA or NU, as the app sent it. Null: none.
  viewed_at timestamp with time zone NOT NULL    -- When the talk was viewed.
) PARTITION BY RANGE (viewed_at);

CREATE TABLE seasons.view_default PARTITION OF seasons.view DEFAULT;

-- Counted views of a talk.
CREATE TABLE seasons.view_total (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  views bigint NOT NULL,    -- Counted views.
  viewers bigint NOT NULL,    -- Counted people who viewed the talk.
  CONSTRAINT view_total_pkey PRIMARY KEY (talk_id),
  CONSTRAINT view_total_counts CHECK (viewers >= 0 AND viewers <= views)
) WITH (fillfactor=50);

-- Counted viewers of a talk.
CREATE TABLE seasons.viewer (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  CONSTRAINT viewer_once PRIMARY KEY (talk_id, user_id)
);

-- People, their counters, and the achievements that they unlock.
CREATE SCHEMA achievements;

CREATE SEQUENCE achievements.step_id;

-- A person's results that are not recorded yet, and their points with them.
CREATE TYPE achievements.standing AS (
  through bigint,    -- The latest edition included.
  points bigint,
  unlocked bigint[],
  rewards bigint[],
  unlocked_at timestamp with time zone[],
  completed bigint[],
  completed_at timestamp with time zone[]
);

-- An achievement as it is shown; its requirements are in its editions.
CREATE TABLE achievements.achievement (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the achievement.
  slug text NOT NULL,    -- The name by which apps find it.
  name text NOT NULL,    -- The name that people see.
  description text NOT NULL,    -- The text that people see.
  icon jsonb NOT NULL,    -- type, color, symbol and svg_url.
  unlock_requirements jsonb,    -- The requirements as they are shown. Null: the steps have them.
  reward bigint NOT NULL,    -- Points that unlocking adds.
  is_hidden boolean NOT NULL,    -- Whether it is masked until it is unlocked.
  category text,    -- authors, books_and_series, categories, contributions or career. Null: none.
  display_order integer NOT NULL,    -- The place in lists.
  CONSTRAINT achievement_pkey PRIMARY KEY (id),
  CONSTRAINT achievement_slug EXCLUDE USING hash (slug WITH =),
  CONSTRAINT achievement_category CHECK (category = ANY (ARRAY['authors'::text, 'books_and_series'::text,
    'categories'::text, 'contributions'::text, 'career'::text])),
  CONSTRAINT achievement_reward CHECK (reward >= 0 AND reward <= 1000000000)
);

-- Steps that a person has completed for good.
CREATE TABLE achievements.completion (
  user_id bigint NOT NULL,    -- The person who completed the step.
  step_id bigint NOT NULL,    -- The step that was completed.
  completed_at timestamp with time zone NOT NULL,    -- The time of the report or definition that completed it.
  CONSTRAINT completion_once PRIMARY KEY (user_id, step_id)
);
CREATE INDEX completion_of_step ON achievements.completion (step_id, user_id);

-- A person's count by metric and target.
CREATE TABLE achievements.counter (
  user_id bigint NOT NULL,    -- The person who is counted.
  metric text COLLATE "C" NOT NULL,    -- The metric that is counted.
  target_key text COLLATE "C" NOT NULL,    -- The key of the target. Empty: no target.
  value bigint NOT NULL,    -- The count.
  CONSTRAINT counter_once PRIMARY KEY (user_id, metric, target_key),
  CONSTRAINT counter_value CHECK (value >= 0)
) WITH (fillfactor=80);
CREATE INDEX counter_by_value ON achievements.counter (metric, target_key, value, user_id);

-- A counter and the value that it must reach: one for an edition, or one for each of its steps.
CREATE TABLE achievements.criterion (
  edition bigint NOT NULL,    -- The edition that has the criterion.
  place integer NOT NULL,    -- The order of the step.
  step_id bigint,    -- Null: the only criterion. Kept while each edition has a step at the place.
  metric text COLLATE "C" NOT NULL,    -- The metric that is compared.
  target text,    -- As it is shown.
  target_key text COLLATE "C" NOT NULL,    -- The key of the target. Empty: no target.
  value bigint NOT NULL,    -- The count that must be reached.
  needs_previous boolean NOT NULL,    -- Whether the step before must be completed first.
  name text,    -- The name of the step. Null: the only criterion.
  description text,    -- The text of the step. Null: the only criterion.
  CONSTRAINT criterion_once PRIMARY KEY (edition, place),
  CONSTRAINT criterion_step CHECK ((step_id IS NULL) = (name IS NULL) AND (step_id IS NULL) = (description IS NULL)),
  CONSTRAINT criterion_value CHECK (value >= 0 AND value <= '1000000000000000'::bigint)
);
CREATE INDEX criterion_at_zero ON achievements.criterion (edition) WHERE value = 0;
CREATE INDEX criterion_in_reach ON achievements.criterion (metric, target_key, value);

-- The requirements of an achievement from one definition to the next, numbered in the order of commits.
CREATE TABLE achievements.edition (
  number bigint NOT NULL,    -- The number of the edition.
  achievement_id bigint NOT NULL,    -- The achievement that the edition belongs to.
  reward bigint NOT NULL,    -- Points that unlocking by this edition adds.
  defined_at timestamp with time zone NOT NULL,    -- When the achievement was defined so.
  replaced_by bigint,    -- The number of the edition that replaced it; null: in force.
  CONSTRAINT edition_pkey PRIMARY KEY (number),
  CONSTRAINT edition_number CHECK (number > 0),
  CONSTRAINT edition_replaced CHECK (replaced_by > number)
);
CREATE UNIQUE INDEX edition_in_force ON achievements.edition (achievement_id) WHERE replaced_by IS NULL;
CREATE INDEX edition_replaced_by ON achievements.edition (replaced_by) WHERE replaced_by IS NOT NULL;

-- People to judge by a new edition: by counter, by step, or everybody. Deleted when all were judged.
CREATE TABLE achievements.evaluation (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the evaluations.
  edition bigint NOT NULL,    -- The new edition.
  created_at timestamp with time zone NOT NULL,    -- When the edition was defined.
  metric text COLLATE "C",    -- The counter's metric, where people are judged by a counter.
  target_key text COLLATE "C",    -- The counter's target, where people are judged by a counter.
  step_id bigint,    -- The step, where people are judged by a step.
  last_value bigint NOT NULL,    -- The value of the last person judged, in the order of values and ids.
  last_user bigint NOT NULL DEFAULT 0,    -- The id of the last person judged.
  done bigint NOT NULL DEFAULT 0,    -- People who were judged so far.
  total bigint,    -- Counted when the evaluation begins.
  left_users bigint[] NOT NULL DEFAULT '{}'::bigint[],    -- People whose rows were locked.
  CONSTRAINT evaluation_pkey PRIMARY KEY (id),
  CONSTRAINT evaluation_counts CHECK (done >= 0 AND total >= 0),
  CONSTRAINT evaluation_of CHECK ((metric IS NULL) = (target_key IS NULL) AND (metric IS NULL OR step_id IS NULL))
);
CREATE INDEX evaluation_by_edition ON achievements.evaluation (edition);
CREATE INDEX evaluation_to_begin ON achievements.evaluation (created_at, id);

-- Rows that only serve as locks.
CREATE TABLE achievements.latch (
  name text COLLATE "C" NOT NULL,    -- The name of the lock.
  CONSTRAINT latch_pkey PRIMARY KEY (name)
);

-- A person, and their latest change whose results are not recorded yet.
CREATE TABLE achievements.person (
  id bigint NOT NULL,    -- The app's id.
  name text NOT NULL,    -- The name of the person.
  created_at timestamp with time zone NOT NULL,    -- When the person was created.
  earned_points bigint NOT NULL DEFAULT 0,    -- Rewards; the counter of points includes them.
  unlock_count integer NOT NULL DEFAULT 0,    -- Achievements that the person has unlocked.
  edition bigint NOT NULL,    -- The latest edition when the counters last changed or were judged.
  due_at timestamp with time zone,    -- Since when a check is due.
  changed_at timestamp with time zone,    -- Null: all results are recorded.
  changed_metric text,    -- Null: the person is new.
  changed_target_key text,    -- The target of the latest change's counter.
  changed_from bigint,    -- The value of that counter before the latest change.
  CONSTRAINT person_pkey PRIMARY KEY (id),
  CONSTRAINT person_changed CHECK ((due_at IS NOT NULL OR changed_at IS NULL) AND (changed_at IS NOT NULL OR
    changed_metric IS NULL) AND (changed_metric IS NULL) = (changed_from IS NULL) AND (changed_metric IS NULL) =
    (changed_target_key IS NULL)),
  CONSTRAINT person_id CHECK (id > 0),
  CONSTRAINT person_name CHECK (length(name) >= 1 AND length(name) <= 10000),
  CONSTRAINT person_sums CHECK (earned_points >= 0 AND unlock_count >= 0)
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX person_by_unlocks ON achievements.person (unlock_count DESC, id) WHERE unlock_count > 0;
CREATE INDEX person_due ON achievements.person (due_at, id) WHERE due_at IS NOT NULL;

-- Reports by idempotency key, in monthly partitions.
CREATE TABLE achievements.report (
  user_id bigint NOT NULL,    -- The person whose counter was reported.
  idempotency_key text COLLATE "C" NOT NULL,    -- The key of the report.
  reported_on date NOT NULL,    -- The date of the report in UTC.
  metric text NOT NULL,    -- The metric that was reported.
  target_key text NOT NULL,    -- The key of the target. Empty: no target.
  value bigint NOT NULL,    -- The value that was reported.
  mode text NOT NULL,    -- set or add.
  CONSTRAINT report_once PRIMARY KEY (user_id, idempotency_key, reported_on),
  CONSTRAINT report_mode CHECK (mode = ANY (ARRAY['set'::text, 'add'::text]))
) PARTITION BY RANGE (reported_on);

CREATE TABLE achievements.report_default PARTITION OF achievements.report DEFAULT;

-- Unlocks of each achievement, without the uncounted ones.
CREATE TABLE achievements.total (
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  unlocks bigint NOT NULL,    -- Counted unlocks.
  CONSTRAINT total_pkey PRIMARY KEY (achievement_id),
  CONSTRAINT total_unlocks CHECK (unlocks > 0)
) WITH (fillfactor=50);

-- Unlocks that are not in total yet.
CREATE TABLE achievements.uncounted (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the unlocks.
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  CONSTRAINT uncounted_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

-- Achievements that a person has for good.
CREATE TABLE achievements.unlock (
  user_id bigint NOT NULL,    -- The person who unlocked the achievement.
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  unlocked_at timestamp with time zone NOT NULL,    -- The time of the report or definition that unlocked it.
  reward bigint NOT NULL,    -- Points that the unlock added.
  is_announced boolean NOT NULL,    -- Whether its event was written.
  CONSTRAINT unlock_once PRIMARY KEY (user_id, achievement_id),
  CONSTRAINT unlock_reward CHECK (reward >= 0)
);
CREATE INDEX unlock_to_announce ON achievements.unlock (user_id) WHERE NOT is_announced;

-- Log-ins of people, linked to their identities in the other schemas. Times are real.
CREATE SCHEMA accounts;

-- A person who logs in.
CREATE TABLE accounts.account (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text COLLATE "C" NOT NULL,
  username text COLLATE "C",    -- The person's name in seasons.
  display_name text NOT NULL,
  password_hash text,    -- With its parameters; null: no password was set.
  athlete_id bigint,
  runner_id bigint,
  reader_id bigint,
  checkin_id text COLLATE "C",    -- The person's name in checkins.
  roles text[] NOT NULL DEFAULT '{}'::text[],
  epoch bigint NOT NULL DEFAULT 1,    -- Incremented to expire all tokens issued before.
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  -- When a one-time link of this account was used first: until then nobody knows whose address it is.
  verified_at timestamp with time zone,
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_athlete UNIQUE (athlete_id),
  CONSTRAINT account_checkin UNIQUE (checkin_id),
  CONSTRAINT account_email UNIQUE (email),
  CONSTRAINT account_reader UNIQUE (reader_id),
  CONSTRAINT account_runner UNIQUE (runner_id),
  CONSTRAINT account_checkin_form CHECK (length(checkin_id) >= 1 AND length(checkin_id) <= 200),
  CONSTRAINT account_display_name CHECK (length(display_name) >= 1 AND length(display_name) <= 10000),
  CONSTRAINT account_email_form CHECK (octet_length(email) <= 254 AND email ~
    '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]{1,64}@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$'::text),
  CONSTRAINT account_epoch CHECK (epoch >= 1),
  CONSTRAINT account_password_hash CHECK (length(password_hash) >= 20 AND length(password_hash) <= 1000),
  CONSTRAINT account_roles CHECK (roles <@ '{moderator,payments}'::text[] AND cardinality(roles) <= 2 AND
    (cardinality(roles) < 2 OR roles[1] < roles[2])),
  CONSTRAINT account_username_form CHECK (username ~ '^[A-Za-z][A-Za-z0-9._-]{2,49}$'::text)
);
CREATE UNIQUE INDEX account_username ON accounts.account (lower(username));

-- Failed log-ins by name, whether or not such an account exists.
CREATE TABLE accounts.attempt (
  name_digest bytea NOT NULL,    -- The SHA-256 of the address or username in lower case.
  addresses text[] NOT NULL,    -- The callers' addresses, oldest first; failed_at has their instants.
  failed_at timestamp with time zone[] NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT attempt_pkey PRIMARY KEY (name_digest),
  CONSTRAINT attempt_limit CHECK (cardinality(addresses) = cardinality(failed_at) AND cardinality(failed_at) >= 1 AND
    cardinality(failed_at) <= 100)
);
CREATE INDEX attempt_by_age ON accounts.attempt (last_at);

-- Addresses from which a name logged in within the last 30 days, five at most.
CREATE TABLE accounts.known_address (
  name_digest bytea NOT NULL,    -- The SHA-256 of the address or username in lower case.
  address text COLLATE "C" NOT NULL,    -- An IPv4 address, or the /64 of an IPv6 address.
  logged_in_at timestamp with time zone NOT NULL,    -- A real time.
  CONSTRAINT known_address_pkey PRIMARY KEY (name_digest, address)
);
CREATE INDEX known_address_by_age ON accounts.known_address (logged_in_at);

-- Tokens that let a person set a password once.
CREATE TABLE accounts.one_time_token (
  digest bytea NOT NULL,    -- The token's SHA-256.
  account_id bigint NOT NULL,
  kind text NOT NULL,    -- set-password: created by an operator. reset: requested by the person.
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT one_time_token_pkey PRIMARY KEY (digest),
  CONSTRAINT one_time_token_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT one_time_token_kind CHECK (kind = ANY (ARRAY['set-password'::text, 'reset'::text]))
);
CREATE INDEX one_time_token_by_end ON accounts.one_time_token (expires_at);
CREATE INDEX one_time_token_of_account ON accounts.one_time_token (account_id);

-- The functions that the gateway calls, and its kept answers.
CREATE SCHEMA gateway;

-- Answers to requests with an Idempotency-Key, kept for 30 days.
CREATE TABLE gateway.answer (
  digest bytea NOT NULL,    -- The SHA-256 of scope and key.
  caller text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,    -- Distinguishes one request from another.
  answer jsonb,    -- Null until its transaction has one: no other transaction sees the row before.
  at timestamp with time zone NOT NULL,
  -- Of the value that the request writes: members by name, numbers by value; null: of a former release.
  value_fingerprint text,
  CONSTRAINT answer_pkey PRIMARY KEY (digest),
  CONSTRAINT answer_caller CHECK (length(caller) >= 1 AND length(caller) <= 200),
  CONSTRAINT answer_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT answer_fingerprint CHECK (length(fingerprint) >= 1 AND length(fingerprint) <= 200),
  CONSTRAINT answer_value_fingerprint CHECK (length(value_fingerprint) >= 1 AND length(value_fingerprint) <= 200)
);
CREATE INDEX answer_by_age ON gateway.answer (at);
CREATE INDEX answer_of_caller ON gateway.answer (caller, at DESC);

-- The persons that callers with kept answers are; one that has none any more is deleted after a month.
CREATE TABLE gateway.caller_person (
  person text COLLATE "C" NOT NULL,    -- As account:17, athlete:42 or username:coach.
  caller text COLLATE "C" NOT NULL,    -- As in gateway.answer.
  seen_at timestamp with time zone NOT NULL,    -- A real time, at most a day before the latest answer that was kept.
  CONSTRAINT caller_person_pkey PRIMARY KEY (person, caller),
  CONSTRAINT caller_person_caller CHECK (length(caller) >= 1 AND length(caller) <= 200),
  CONSTRAINT caller_person_person CHECK (person ~ '^(account|athlete|runner|username|reader|checkin):.{1,200}$'::text)
);

-- Foreign keys.
ALTER TABLE settled.retention ADD CONSTRAINT retention_setting_fkey FOREIGN KEY (setting) REFERENCES settled.setting
  (key);
ALTER TABLE settled.schedule ADD CONSTRAINT schedule_zone_fkey FOREIGN KEY (zone) REFERENCES settled.time_zone (name);
ALTER TABLE strava.access ADD CONSTRAINT access_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES strava.connection
  (athlete_id);
ALTER TABLE strava.connection ADD CONSTRAINT connection_athlete FOREIGN KEY (athlete_id) REFERENCES racing.athlete (id);
ALTER TABLE strava.found_activity ADD CONSTRAINT found_activity_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  strava.connection (athlete_id);
ALTER TABLE strava.hint ADD CONSTRAINT hint_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES strava.connection
  (athlete_id);
ALTER TABLE strava.import_request ADD CONSTRAINT import_request_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  strava.connection (athlete_id);
ALTER TABLE strava.lost_reply ADD CONSTRAINT lost_reply_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  strava.connection (athlete_id);
ALTER TABLE strava.race_period ADD CONSTRAINT race_period_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  strava.connection (athlete_id);
ALTER TABLE strava.read_request ADD CONSTRAINT read_request_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  strava.connection (athlete_id);
ALTER TABLE strava.secret ADD CONSTRAINT secret_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES strava.connection
  (athlete_id);
ALTER TABLE racing.activity ADD CONSTRAINT activity_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES racing.athlete
  (id);
ALTER TABLE racing.activity_stream ADD CONSTRAINT activity_stream_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES
  racing.activity (id);
ALTER TABLE racing.claim ADD CONSTRAINT claim_athlete FOREIGN KEY (athlete_id) REFERENCES racing.athlete (id);
ALTER TABLE racing.code_day ADD CONSTRAINT code_day_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES racing.athlete
  (id);
ALTER TABLE racing.decision ADD CONSTRAINT decision_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES
  racing.activity (id);
ALTER TABLE racing.decision ADD CONSTRAINT decision_review_id_fkey FOREIGN KEY (review_id) REFERENCES racing.review
  (id);
ALTER TABLE racing.deletion ADD CONSTRAINT deletion_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES
  racing.activity (id);
ALTER TABLE racing.entered_account ADD CONSTRAINT entered_account_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  racing.athlete (id);
ALTER TABLE racing.entry ADD CONSTRAINT entry_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES racing.athlete (id);
ALTER TABLE racing.entry ADD CONSTRAINT entry_disqualified_by_fkey FOREIGN KEY (disqualified_by) REFERENCES
  racing.activity (id);
ALTER TABLE racing.entry ADD CONSTRAINT entry_race_id_fkey FOREIGN KEY (race_id) REFERENCES racing.race (id);
ALTER TABLE racing.flag ADD CONSTRAINT flag_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES racing.activity (id);
ALTER TABLE racing.flag ADD CONSTRAINT flag_flagged_by_fkey FOREIGN KEY (flagged_by) REFERENCES racing.athlete (id);
ALTER TABLE racing.import_day ADD CONSTRAINT import_day_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  racing.athlete (id);
ALTER TABLE racing.journal ADD CONSTRAINT journal_race_id_fkey FOREIGN KEY (race_id) REFERENCES racing.race (id);
ALTER TABLE racing.journal_double ADD CONSTRAINT journal_double_double_of_fkey FOREIGN KEY (double_of) REFERENCES
  racing.journal (id);
ALTER TABLE racing.journal_double ADD CONSTRAINT journal_double_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES
  racing.journal (id);
ALTER TABLE racing.late_activity ADD CONSTRAINT late_activity_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES
  racing.activity (id);
ALTER TABLE racing.late_activity ADD CONSTRAINT late_activity_race_id_fkey FOREIGN KEY (race_id) REFERENCES racing.race
  (id);
ALTER TABLE racing.race_order ADD CONSTRAINT race_order_race FOREIGN KEY (race_id) REFERENCES racing.race (id);
ALTER TABLE racing.review ADD CONSTRAINT review_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES racing.activity
  (id);
ALTER TABLE racing.revocation ADD CONSTRAINT revocation_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES
  racing.athlete (id);
ALTER TABLE racing.settlement ADD CONSTRAINT settlement_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES
  racing.journal (id);
ALTER TABLE racing.settlement ADD CONSTRAINT settlement_race_id_fkey FOREIGN KEY (race_id) REFERENCES racing.race (id);
ALTER TABLE racing.transaction_end ADD CONSTRAINT transaction_end_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES
  racing.journal (id);
ALTER TABLE racing.transaction_end ADD CONSTRAINT transaction_end_posting_id_fkey FOREIGN KEY (posting_id) REFERENCES
  racing.posting (id);
ALTER TABLE racing.wallet ADD CONSTRAINT wallet_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES racing.athlete (id);
ALTER TABLE checkins.day ADD CONSTRAINT day_zone_fkey FOREIGN KEY (zone) REFERENCES checkins.zone (name);
ALTER TABLE checkins.entry ADD CONSTRAINT entry_profile_id_fkey1 FOREIGN KEY (profile_id) REFERENCES checkins.profile
  (id);
ALTER TABLE checkins.profile ADD CONSTRAINT profile_streak FOREIGN KEY (streak_id) REFERENCES checkins.streak (id);
ALTER TABLE checkins.profile ADD CONSTRAINT profile_time_zone_fkey FOREIGN KEY (time_zone) REFERENCES settled.time_zone
  (name);
ALTER TABLE checkins.streak ADD CONSTRAINT streak_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES checkins.profile
  (id);
ALTER TABLE checkins.zone ADD CONSTRAINT zone_name_fkey FOREIGN KEY (name) REFERENCES settled.time_zone (name);
ALTER TABLE seasons.app_user ADD CONSTRAINT app_user_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES seasons.runner
  (id);
ALTER TABLE seasons.earning ADD CONSTRAINT earning_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES seasons.runner
  (id);
ALTER TABLE seasons.own_earning_day ADD CONSTRAINT own_earning_day_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES
  seasons.runner (id);
ALTER TABLE seasons.seasonal_total ADD CONSTRAINT seasonal_total_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES
  seasons.runner (id);
ALTER TABLE seasons.threshold ADD CONSTRAINT threshold_reward_id_fkey FOREIGN KEY (reward_id) REFERENCES seasons.reward
  (id) ON DELETE CASCADE;
ALTER TABLE seasons.threshold ADD CONSTRAINT threshold_version_fkey FOREIGN KEY (version) REFERENCES seasons.version
  (number);
ALTER TABLE achievements.completion ADD CONSTRAINT completion_user_id_fkey FOREIGN KEY (user_id) REFERENCES
  achievements.person (id);
ALTER TABLE achievements.counter ADD CONSTRAINT counter_user_id_fkey FOREIGN KEY (user_id) REFERENCES
  achievements.person (id);
ALTER TABLE achievements.criterion ADD CONSTRAINT criterion_edition_fkey FOREIGN KEY (edition) REFERENCES
  achievements.edition (number) ON DELETE CASCADE;
ALTER TABLE achievements.edition ADD CONSTRAINT edition_achievement_id_fkey FOREIGN KEY (achievement_id) REFERENCES
  achievements.achievement (id);
ALTER TABLE achievements.evaluation ADD CONSTRAINT evaluation_edition_fkey FOREIGN KEY (edition) REFERENCES
  achievements.edition (number);
ALTER TABLE achievements.total ADD CONSTRAINT total_achievement_id_fkey FOREIGN KEY (achievement_id) REFERENCES
  achievements.achievement (id);
ALTER TABLE achievements.unlock ADD CONSTRAINT unlock_achievement_id_fkey FOREIGN KEY (achievement_id) REFERENCES
  achievements.achievement (id);
ALTER TABLE achievements.unlock ADD CONSTRAINT unlock_user_id_fkey FOREIGN KEY (user_id) REFERENCES achievements.person
  (id);
ALTER TABLE accounts.account ADD CONSTRAINT account_athlete_id_fkey FOREIGN KEY (athlete_id) REFERENCES racing.athlete
  (id);
ALTER TABLE accounts.account ADD CONSTRAINT account_reader_id_fkey FOREIGN KEY (reader_id) REFERENCES
  achievements.person (id);
ALTER TABLE accounts.account ADD CONSTRAINT account_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES seasons.runner
  (id);
ALTER TABLE accounts.one_time_token ADD CONSTRAINT one_time_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES
  accounts.account (id);
