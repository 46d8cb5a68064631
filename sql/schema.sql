-- Today's tables: SQL that makes them in an empty database. For readers: only a test runs it.
-- Generated from a migrated database, never edited: sql/README.md has the command. Functions, views: sql/functions.

-- The engine: clock, settings, schedules, failures, events, nodes and audit. It depends on no other schema.
CREATE SCHEMA settled;

-- One row for each mutating command. Only erasing a person changes a row.
CREATE TABLE settled.audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the commands.
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- The real time of the command.
  node text NOT NULL,    -- The node that ran the command.
  uid bigint NOT NULL,    -- The user id of the caller, from the kernel.
  gid bigint NOT NULL,    -- The group id of the caller, from the kernel.
  pid bigint NOT NULL,    -- The process id of the caller, from the kernel.
  command text NOT NULL,    -- The name of the command, such as race.cancel.
  target text NOT NULL,    -- The object that the command changed, such as a race id.
  before jsonb NOT NULL,    -- The state before the command.
  after jsonb NOT NULL,    -- The state after the command.
  reason text,    -- The operator's reason. Null if none was given.
  request_id text,    -- The request id of the command. Null if none was given.
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_of_setting ON settled.audit (target COLLATE "C", id) WHERE command = 'set'::text;

-- External calls that all nodes have used, for each budget and length of window.
CREATE TABLE settled.call_window (
  budget text COLLATE "C" NOT NULL,    -- The name of the budget.
  seconds bigint NOT NULL,    -- The length of the window in seconds.
  -- The start of the window, by the wall clock. Windows begin at multiples of their length since 1970 UTC.
  started_at timestamp with time zone NOT NULL,
  used bigint NOT NULL DEFAULT 0,    -- The number of calls used in the window.
  told_limit bigint,    -- The limit that the provider reported; it overrides the setting. Null if it reported none.
  used_with_reserve bigint NOT NULL DEFAULT 0,    -- The number of calls that were allowed to use the window's reserve.
  -- The latest instant at which more calls were requested than were left. Null if never.
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
  baselines bigint NOT NULL DEFAULT 0,    -- The number of baselines established.
  CONSTRAINT clock_acceptance_pkey PRIMARY KEY (only_row),
  CONSTRAINT clock_acceptance_only_row CHECK (only_row)
);

-- The database's clock and each node's boot clock, read when both were last known to be right.
CREATE TABLE settled.clock_baseline (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  boot_id text NOT NULL,    -- The boot of the node's machine to which the boot clock belongs.
  boot_microseconds bigint NOT NULL,    -- The node's boot clock at the baseline, in microseconds.
  database_at timestamp with time zone NOT NULL,    -- The database's clock at the baseline.
  established bigint NOT NULL DEFAULT 0,    -- The baseline's number among those of all nodes.
  agreed bigint NOT NULL DEFAULT 0,    -- The number of baselines that existed when the node last saw the clocks agree.
  acceptances bigint NOT NULL DEFAULT 0,    -- The generation of clock_acceptance that the node last read.
  -- The accepted_milliseconds of clock_acceptance that the node last read.
  accepted_milliseconds bigint NOT NULL DEFAULT 0,
  -- How far the node's wall clock may lag behind the database, in milliseconds.
  host_milliseconds bigint NOT NULL DEFAULT 0,
  CONSTRAINT clock_baseline_pkey PRIMARY KEY (node)
);

-- Nodes that saw the database's clock jump. A row that is neither lifted nor accepted stops all settlement.
CREATE TABLE settled.clock_hold (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  since timestamp with time zone NOT NULL,    -- When the node first saw the jump.
  -- The jump in milliseconds: the difference between the database's clock and the expected time.
  difference_milliseconds bigint NOT NULL,
  -- The boot of the node's machine in which it saw the jump. Empty if it is unknown.
  boot_id text NOT NULL DEFAULT ''::text,
  agreed bigint NOT NULL DEFAULT 0,    -- The number of baselines that existed when the node last saw the clocks agree.
  lifted boolean NOT NULL,    -- Whether another node saw the clocks agree. The row then stops only its own node.
  -- Whether an operator accepted the difference. The row then stops no node, and its node deletes it.
  accepted boolean NOT NULL,
  CONSTRAINT clock_hold_pkey PRIMARY KEY (node)
);

-- Events as readers see them, ordered by position.
CREATE TABLE settled.event (
  position bigint NOT NULL,    -- The place of the event in the order: epoch * 10^15 + number.
  topic text NOT NULL,    -- The kind of event, such as race.settled.
  key text NOT NULL,    -- The id, as text, of the object that the topic names.
  payload jsonb NOT NULL,    -- The data of the event. Its keys are in camelCase.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the change.
  CONSTRAINT event_pkey PRIMARY KEY ("position")
) PARTITION BY RANGE ("position");

-- Closed default partitions of events. Each is kept for the retention period after closed_at.
CREATE TABLE settled.event_closing (
  through bigint NOT NULL,    -- The last position in the partition.
  closed_at timestamp with time zone NOT NULL,    -- When the partition was closed.
  CONSTRAINT event_closing_pkey PRIMARY KEY (through)
);

-- One row, whose lock orders the numbering of events.
CREATE TABLE settled.event_counter (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  last_position bigint NOT NULL DEFAULT 0,    -- The latest position. 0 if no event has one.
  -- The last position that was pruned. A reader at an older position has missed events.
  pruned_through bigint NOT NULL DEFAULT 0,
  CONSTRAINT event_counter_pkey PRIMARY KEY (only_row),
  CONSTRAINT event_counter_only_row CHECK (only_row),
  CONSTRAINT event_counter_order CHECK (pruned_through >= 0 AND pruned_through <= last_position)
);

CREATE TABLE settled.event_default PARTITION OF settled.event DEFAULT;

-- The epochs of event positions. The newest one applies to the next event.
CREATE TABLE settled.event_epoch (
  epoch bigint NOT NULL,    -- The number of the epoch. A position is epoch * 10^15 + number.
  -- The number of the first event of the epoch. Numbers continue from one epoch to the next.
  first_number bigint NOT NULL,
  -- The cluster, database and timeline that numbered the events of the epoch. Null until the first event.
  history text,
  CONSTRAINT event_epoch_pkey PRIMARY KEY (epoch),
  CONSTRAINT event_epoch_number CHECK (first_number >= 1 AND first_number <= '999999999999999'::bigint),
  CONSTRAINT event_epoch_range CHECK (epoch >= 0 AND epoch <= 9222)
);

-- Events without a position. A node numbers them after they are committed.
CREATE TABLE settled.event_pending (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order in which the events were written.
  topic text NOT NULL,    -- The kind of event, such as race.settled.
  key text NOT NULL,    -- The id, as text, of the object that the topic names.
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
  next_attempt_at timestamp with time zone NOT NULL,    -- The end of the backoff.
  quarantined boolean NOT NULL,    -- Whether the item is quarantined and waits for an operator.
  dropped_at timestamp with time zone,    -- When an operator dropped the item. Null if it was not dropped.
  dropped_reason text,    -- The operator's reason for dropping the item. Null if it was not dropped.
  sql_state text,    -- The SQLSTATE of the latest failure. Null if the database reported none.
  error text NOT NULL,    -- The text of the latest failure.
  CONSTRAINT failure_pkey PRIMARY KEY (id),
  CONSTRAINT failure_item UNIQUE (job, key),
  CONSTRAINT failure_attempts CHECK (attempts >= 0),
  CONSTRAINT failure_dropped CHECK ((dropped_at IS NULL) = (dropped_reason IS NULL))
);
CREATE INDEX failure_listed ON settled.failure (quarantined, id);

-- The functions that were last applied, as one script.
CREATE TABLE settled.function_script (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  checksum text NOT NULL,    -- The SHA-256 of the script, in hexadecimal.
  roles text NOT NULL,    -- The product's roles that existed at that time. A new role needs its grants.
  applied_at timestamp with time zone NOT NULL,    -- When the script was applied, by the wall clock.
  -- The number in sql/functions/0-release.sql. 0 if the functions are older than the numbering.
  release integer NOT NULL DEFAULT 0,
  CONSTRAINT function_script_pkey PRIMARY KEY (only_row),
  CONSTRAINT function_script_only_row_check CHECK (only_row)
);

-- The rights that the last migration granted. doctor compares them with the current ones.
CREATE TABLE settled.granted_right (
  namespace text COLLATE "C" NOT NULL,    -- The schema of the object.
  object text COLLATE "C" NOT NULL,    -- The object in the form that GRANT uses, such as TABLE racing.race.
  role text COLLATE "C" NOT NULL,    -- The role that has the right.
  privilege text COLLATE "C" NOT NULL,    -- The privilege in the form that GRANT uses, with the column if it has one.
  CONSTRAINT granted_right_pkey PRIMARY KEY (namespace, object, role, privilege)
);

-- One row: the kind and identity of this database.
CREATE TABLE settled.installation (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  simulated boolean NOT NULL,    -- Whether the database has a simulated clock.
  clock_base timestamp with time zone,    -- The simulated time that was last set. Null if the clock is real.
  clock_set_at timestamp with time zone,    -- The real time at which clock_base was set. Null if the clock is real.
  clock_running boolean NOT NULL,    -- Whether the simulated clock runs from clock_base. If not, it is stopped.
  id uuid NOT NULL DEFAULT gen_random_uuid(),    -- The identity by which nodes recognise the database after a restore.
  home text,    -- The cluster and database in which the installation lives. Null until the first daemon starts.
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

-- Items of leased jobs that a node is processing. A node takes over a lease whose generation it has seen unchanged for
-- long enough.
CREATE TABLE settled.lease (
  job text COLLATE "C" NOT NULL,    -- The name of the job.
  key text COLLATE "C" NOT NULL,    -- The item, as its job names it.
  owner text NOT NULL,    -- The run of a node that owns the lease. A restarted node is another owner.
  generation bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,    -- The number of the lease. No number is used twice.
  taken_at timestamp with time zone NOT NULL,    -- When the lease was taken, by the wall clock.
  CONSTRAINT lease_pkey PRIMARY KEY (job, key)
);

-- The applied migrations. settled migrate writes them.
CREATE TABLE settled.migration (
  number integer NOT NULL,    -- The number at the start of the file's name.
  name text NOT NULL,    -- The name of the file.
  checksum text NOT NULL,    -- The SHA-256 of the file, in hexadecimal.
  breaking boolean NOT NULL,    -- Whether programs without this migration cannot work with the database.
  -- When the migration was applied, by the wall clock.
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
  -- Whether the node requests notifications. Writers send them only on request, because NOTIFY serialises commits.
  -- Formerly named asleep.
  needs_notify boolean NOT NULL,
  backend_pid integer,    -- The process ID of the session that owns the node's name. Null if there is no such session.
  backend_start timestamp with time zone,    -- The start of that session. Null if there is none.
  -- The role of that session. It determines whether other sessions can see backend_start. Null if there is no session.
  backend_role oid,
  -- The node's heartbeats. If the node remembers more of them, the database has lost commits.
  beats bigint NOT NULL DEFAULT 0,
  -- Whether the node is configured to call the provider of activities. Null if the node runs an earlier release.
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
  reason text,    -- Why the tick did not run, or why the run failed. Null if neither applies.
  backfilled boolean NOT NULL,    -- Whether an operator backfilled the tick.
  planned_at timestamp with time zone NOT NULL,    -- When the row was planned.
  due_at timestamp with time zone NOT NULL,    -- The instant plus the schedule's splay.
  started_at timestamp with time zone,    -- The business time at which the run began. Null if it has not begun.
  -- The business time at which the tick reached its final status. Null if it has not.
  finished_at timestamp with time zone,
  node text,    -- The node that last claimed the run. Null if none has.
  claimed_at timestamp with time zone,    -- The real time of the latest claim. Null if there is none.
  rows bigint,    -- The number that the run returned. Null if it returned none.
  attempts integer NOT NULL DEFAULT 0,    -- How often the run was started.
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

-- One row: the instant from which the ledger of ticks is complete.
CREATE TABLE settled.occurrence_history (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  -- The instant from which the ledger is complete. Pruning moves it forward.
  kept_from timestamp with time zone NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone,
  CONSTRAINT occurrence_history_pkey PRIMARY KEY (only_row),
  CONSTRAINT occurrence_history_only_row CHECK (only_row)
);

-- Open problems. health and status show them until they are solved.
CREATE TABLE settled.problem (
  name text COLLATE "C" NOT NULL,    -- The source of the problem: ledger, or schedule NAME.
  problem text NOT NULL,    -- The problem in words.
  since timestamp with time zone NOT NULL,    -- When the problem was found.
  CONSTRAINT problem_pkey PRIMARY KEY (name)
);

-- Responses to commands with a request id, so that a repeated command returns the same response.
CREATE TABLE settled.request (
  uid bigint NOT NULL,    -- The user id of the caller.
  request_id text COLLATE "C" NOT NULL,    -- The id that the caller gave the command.
  request text NOT NULL,    -- The hash of the command and its parameters.
  answer jsonb NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- The real time of the command.
  CONSTRAINT request_once PRIMARY KEY (uid, request_id)
);

-- Findings that the database is older than a node remembers. Times are real.
CREATE TABLE settled.restoration (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the finding.
  node text COLLATE "C" NOT NULL,    -- The node that detected it.
  found_at timestamp with time zone NOT NULL,    -- When the node detected it.
  timeline bigint NOT NULL,    -- The server's timeline at that time.
  finding text NOT NULL,    -- The finding in words.
  jobs text[] NOT NULL,    -- The jobs that stop until an operator accepts the finding.
  accepted_at timestamp with time zone,    -- When an operator accepted the finding. Null if none has.
  CONSTRAINT restoration_pkey PRIMARY KEY (id),
  CONSTRAINT restoration_timeline CHECK (timeline > 0)
);
CREATE UNIQUE INDEX restoration_open ON settled.restoration (node) WHERE accepted_at IS NULL;

-- Tables with monthly partitions, which history pruning creates and drops. retention.sql of each module writes the
-- rows.
CREATE TABLE settled.retention (
  schema_name text COLLATE "C" NOT NULL,    -- The schema of the table.
  table_name text COLLATE "C" NOT NULL,    -- The name of the table.
  column_name text NOT NULL,    -- The partition key: a date or an instant.
  setting text NOT NULL,    -- The setting that contains the age up to which rows are kept.
  CONSTRAINT retention_pkey PRIMARY KEY (schema_name, table_name)
);

-- Occurrences that are planned or running. A claimed row that has been without a lock for 2 seconds belongs to a dead
-- run.
CREATE TABLE settled.run (
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  instant timestamp with time zone NOT NULL,    -- The instant of the tick.
  due_at timestamp with time zone NOT NULL,    -- The instant plus the schedule's splay.
  is_own boolean NOT NULL,    -- Whether it is a run of a built-in schedule.
  is_first boolean NOT NULL,    -- Whether this run of its schedule is running, or is the next to begin.
  started_at timestamp with time zone,    -- When the run began, in business time. Null if it has not begun.
  claimed_at timestamp with time zone,    -- When the run was claimed, by the wall clock. Null if it has not been.
  backend integer,    -- The server process that runs an operator's function. Null if there is none.
  CONSTRAINT run_once PRIMARY KEY (schedule, instant),
  CONSTRAINT run_backend CHECK (backend IS NULL OR claimed_at IS NOT NULL),
  CONSTRAINT run_claimed CHECK ((claimed_at IS NULL) = (started_at IS NULL) AND (claimed_at IS NULL OR is_first))
);
CREATE UNIQUE INDEX run_first ON settled.run (schedule) WHERE is_first;
CREATE INDEX run_next ON settled.run (is_own, due_at) WHERE is_first AND claimed_at IS NULL;
CREATE INDEX run_under_way ON settled.run (backend) WHERE claimed_at IS NOT NULL;

-- Schedules in their current form.
CREATE TABLE settled.schedule (
  name text COLLATE "C" NOT NULL,    -- The name of the schedule.
  cron text,    -- The cron expression. Null if the schedule has a single tick, at.
  at timestamp with time zone,    -- The only tick. Null if the schedule has a cron expression.
  zone text NOT NULL,    -- The time zone of the cron expression.
  call text,    -- The function to call, as schema.function(). Null for a built-in schedule.
  missed text NOT NULL,    -- The policy for missed ticks: skip, once or all.
  runs_max integer,    -- The greatest number of missed ticks that run if missed is all. Null otherwise.
  within interval,    -- The greatest age of a missed tick that runs if missed is all. Null otherwise.
  timeout interval NOT NULL,    -- The longest time that a run may take.
  splay interval NOT NULL,    -- The delay between a tick and the due time of its run.
  paused boolean NOT NULL,    -- Whether the schedule is paused.
  cursor_at timestamp with time zone NOT NULL,    -- The instant up to which every tick has its row in occurrence.
  next_tick_at timestamp with time zone,    -- The first tick after cursor_at. Null if there is none.
  CONSTRAINT schedule_pkey PRIMARY KEY (name),
  CONSTRAINT schedule_missed CHECK ((missed = ANY (ARRAY['skip'::text, 'once'::text, 'all'::text])) AND (missed =
    'all'::text) = (runs_max IS NOT NULL AND within IS NOT NULL)),
  CONSTRAINT schedule_name CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$'::text),
  CONSTRAINT schedule_next CHECK (next_tick_at > cursor_at),
  CONSTRAINT schedule_spans CHECK (timeout > '00:00:00'::interval AND splay >= '00:00:00'::interval),
  CONSTRAINT schedule_timing CHECK ((cron IS NULL) <> (at IS NULL))
);
CREATE INDEX schedule_next_tick ON settled.schedule (next_tick_at) WHERE NOT paused;

-- The definitions of a schedule over time. Each applies to ticks after valid_from and up to valid_to.
CREATE TABLE settled.schedule_period (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the period.
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  cron text,    -- The cron expression. Null if the schedule had a single tick, at.
  at timestamp with time zone,    -- The only tick. Null if the schedule had a cron expression.
  zone text NOT NULL,    -- The time zone of the cron expression.
  valid_from timestamp with time zone NOT NULL,    -- The instant after which the definition applies.
  -- The last instant at which the definition applies. Null if it is the current one.
  valid_to timestamp with time zone,
  offsets jsonb,    -- The zone's offsets from UTC, if the period ended because the tz data changed. Null otherwise.
  CONSTRAINT schedule_period_pkey PRIMARY KEY (id),
  CONSTRAINT schedule_period_order CHECK (valid_from <= valid_to)
);
CREATE INDEX schedule_period_of ON settled.schedule_period (schedule, valid_from);
CREATE UNIQUE INDEX schedule_period_open ON settled.schedule_period (schedule) WHERE valid_to IS NULL;

-- Settings that can be changed while the service runs.
CREATE TABLE settled.setting (
  key text COLLATE "C" NOT NULL,    -- The name of the setting.
  kind text NOT NULL,    -- The form of the value: whole, percent, span, spans, retention, shares, switch, url or zone.
  default_value text NOT NULL,    -- The value that applies while value is null.
  value text,    -- The value that was set. Null if default_value applies.
  low numeric,    -- The lowest value: in seconds for a span, otherwise the number. Null if there is none.
  high numeric,    -- The highest value, in the unit of low. Null if there is none.
  meaning text NOT NULL,    -- The setting in words.
  CONSTRAINT setting_pkey PRIMARY KEY (key),
  CONSTRAINT setting_kind CHECK (kind = ANY (ARRAY['span'::text, 'spans'::text, 'percent'::text, 'shares'::text,
    'whole'::text, 'zone'::text, 'retention'::text, 'switch'::text, 'url'::text]))
);

-- Zones that people and settings may name. Every migration fills the table from the server's tz data.
CREATE TABLE settled.time_zone (
  name text COLLATE "C" NOT NULL,    -- An IANA name, such as Europe/London.
  CONSTRAINT time_zone_pkey PRIMARY KEY (name)
);

-- The UTC offsets of each zone in use for the years ahead. A difference reveals new tz data.
CREATE TABLE settled.zone_future (
  zone text COLLATE "C" NOT NULL,    -- The name of the time zone.
  known_from timestamp with time zone NOT NULL,    -- The instant from which the offsets are known.
  -- The spans of constant offset as [[start, offset], ...]. start is in seconds since 1970 UTC, offset in seconds.
  offsets jsonb NOT NULL,
  -- When a session read the offsets, by the server's real clock. Readings of older sessions are ignored.
  read_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT zone_future_pkey PRIMARY KEY (zone)
);

-- Connections to the provider of activities: tokens, calls and imports.
CREATE SCHEMA strava;

-- Access tokens in plaintext, because SQL cannot unseal. Only strava.access_token reads them.
CREATE TABLE strava.access (
  athlete_id bigint NOT NULL,
  token text NOT NULL,
  CONSTRAINT access_pkey PRIMARY KEY (athlete_id)
);

-- One row: the functions that another module has registered to manage accounts at the provider. Only the owner writes
-- here.
CREATE TABLE strava.account_keeper (
  is_it boolean NOT NULL DEFAULT true,
  -- The signature of the function, such as f.g(bigint, bigint). Names survive a dump, and object ids do not.
  claim text NOT NULL,
  keep_gender text NOT NULL,
  CONSTRAINT account_keeper_pkey PRIMARY KEY (is_it),
  CONSTRAINT account_keeper_one CHECK (is_it)
);

-- Failed calls by class since the installation.
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
  provider_athlete_id bigint,    -- The athlete's number at the provider. Null if it is not known.
  reason text,    -- Why the athlete must connect again. Null unless the status is needs_reauth.
  -- Incremented when the app connects or disconnects, so that a late reply is recognised.
  attempt bigint NOT NULL DEFAULT 1,
  -- How often the provider has issued tokens. The count is kept when the tokens are deleted.
  tokens_given bigint NOT NULL DEFAULT 0,
  -- When the access token expires, according to the provider. Null if there is none.
  expires_at timestamp with time zone,
  next_call_at timestamp with time zone,    -- When to exchange the code, refresh or revoke. Null if no call is needed.
  -- The latest token request. One is allowed at most every 15 minutes. Null if there was none.
  refreshed_at timestamp with time zone,
  -- Whether the athlete has entries in races that have not ended. race_period lists these races.
  is_in_races boolean NOT NULL,
  -- The expires_at of the token that the provider refused. Reads wait for another token. Null if none was refused.
  refused_expiry timestamp with time zone,
  refused_attempt bigint,    -- The attempt whose new code was refused once and is being retried. Null if there is none.
  -- The latest turns of the athlete's reads in the classes 1 to 3.
  read_turns bigint[] NOT NULL DEFAULT '{0,0,0}'::bigint[],
  listed_at timestamp with time zone,    -- When the latest completed listing began. Null if there is none.
  -- A hint reports the end of the grant. The refresh token of this generation, or a later one, decides. Null if there
  -- is no such hint.
  doubted_generation bigint,
  -- The number of codes that the provider has refused in a row. Each doubles the pause before the next one.
  refused_codes integer NOT NULL DEFAULT 0,
  code_refused_at timestamp with time zone,    -- When the latest code was refused. Null if none was.
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

-- Unused since release 8 of the functions, except by daemons of earlier releases. A later release drops it.
CREATE TABLE strava.found_activity (
  athlete_id bigint NOT NULL,
  activity_id bigint NOT NULL,
  summary jsonb NOT NULL,    -- The activity in the keys of racing.import_activity, without streams.
  found_at timestamp with time zone NOT NULL,
  until_at timestamp with time zone NOT NULL,    -- When the activity is imported without streams.
  CONSTRAINT found_activity_pkey PRIMARY KEY (athlete_id, activity_id)
);
CREATE INDEX found_activity_next ON strava.found_activity (found_at);
CREATE INDEX found_activity_until ON strava.found_activity (until_at);

-- The provider's hints: one row for each athlete, kind and object, for 7 days. Hints are not signed, so each one only
-- requests a read.
CREATE TABLE strava.hint (
  athlete_id bigint NOT NULL,    -- The athlete to whom the hint refers.
  kind text COLLATE "C" NOT NULL,    -- create, update or delete for an activity; revoke for the athlete.
  object_id bigint NOT NULL,    -- The provider's number of the activity or athlete.
  -- When the event happened, according to the provider. Never later than the arrival of the hint.
  event_at timestamp with time zone NOT NULL,
  digest bytea NOT NULL,    -- The SHA-256 of the hint. A repetition of the hint requests nothing.
  received_at timestamp with time zone NOT NULL,    -- When the hint arrived.
  CONSTRAINT hint_pkey PRIMARY KEY (athlete_id, kind, object_id),
  CONSTRAINT hint_kind CHECK (kind = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text, 'revoke'::text]))
);
CREATE INDEX hint_received ON strava.hint (received_at);

-- One row: the functions that another module has registered to decide about hints. Only the owner writes here.
CREATE TABLE strava.hint_taker (
  is_it boolean NOT NULL DEFAULT true,
  -- The signature of the function, such as f.g(bigint, bigint). Names survive a dump, and object ids do not.
  follows text NOT NULL,
  revoke text NOT NULL,
  CONSTRAINT hint_taker_pkey PRIMARY KEY (is_it),
  CONSTRAINT hint_taker_one CHECK (is_it)
);

-- Unused since release 8 of the functions, except by daemons of earlier releases. A later release drops it.
CREATE TABLE strava.import_request (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the request.
  athlete_id bigint NOT NULL,    -- The athlete whose activities were requested.
  -- The start of the listing's span. Activities that started earlier are not listed.
  since timestamp with time zone NOT NULL,
  -- The end of the listing's span. Activities that started at this instant or later are not listed.
  before timestamp with time zone NOT NULL,
  until_at timestamp with time zone NOT NULL,    -- When the request expires.
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

-- Calls without a reply that the provider may have carried out: one row for each token or code.
CREATE TABLE strava.lost_reply (
  athlete_id bigint NOT NULL,    -- The athlete whose token or code was used.
  kind text COLLATE "C" NOT NULL,    -- code if an authorization code was used, or refresh if a refresh token was used.
  number bigint NOT NULL,    -- The attempt of the code, or the generation of the refresh token.
  cause text NOT NULL,    -- wire if the reply was lost, or node if the waiting node stopped or hung.
  lost_at timestamp with time zone NOT NULL,    -- When the loss was detected.
  -- Whether the provider has refused the token or code since then. If so, the athlete must connect again.
  is_lost boolean NOT NULL,
  CONSTRAINT lost_reply_pkey PRIMARY KEY (athlete_id, kind, number),
  CONSTRAINT lost_reply_cause CHECK (cause = ANY (ARRAY['wire'::text, 'node'::text])),
  CONSTRAINT lost_reply_kind CHECK (kind = ANY (ARRAY['code'::text, 'refresh'::text]))
);
CREATE INDEX lost_reply_at ON strava.lost_reply (lost_at);

-- One row: the circuit breaker for the provider.
CREATE TABLE strava.provider (
  is_it boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  failures_in_row bigint NOT NULL DEFAULT 0,    -- The number of failed calls since the last success.
  open_since timestamp with time zone,    -- When the breaker opened. Null if it is closed.
  open_class text,    -- The class of the failure that opened it. Null if it is closed.
  read_turns bigint[] NOT NULL DEFAULT '{0,0,0}'::bigint[],    -- The current turns in classes 1 to 3 of reads.
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

-- The queue of reads that the daemon makes with athletes' tokens.
CREATE TABLE strava.read_request (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the request.
  athlete_id bigint NOT NULL,    -- The athlete whose token is used.
  -- listing for a list of the athlete's activities, activity for one by its id, or streams for the streams of one.
  kind text COLLATE "C" NOT NULL,
  activity_id bigint NOT NULL DEFAULT 0,    -- The provider's id of the activity. 0 for a listing.
  class integer NOT NULL,    -- The priority: 0 results that are due, 1 claims of entrants, 2 claims of others, 3 hints.
  -- The order within a class. Reads for results count up from a million times their deadline in seconds since 1970 UTC.
  -- Other reads take the athlete's turn.
  turn bigint NOT NULL,
  asked_at timestamp with time zone NOT NULL,    -- When the read was last requested.
  -- The instant until which the request waits; infinity if it waits for the athlete's next token. Null if it is queued.
  next_call_at timestamp with time zone,
  until_at timestamp with time zone NOT NULL,    -- When the request expires.
  follows_switch boolean NOT NULL,    -- Whether the request is dropped if strava.import is off.
  -- The start of a listing's span. Activities that started earlier are not listed. Null for other kinds.
  since timestamp with time zone,
  -- The end of a listing's span. Activities that started at this instant or later are not listed. Null for other kinds.
  before timestamp with time zone,
  page integer,    -- The page to read next. Null for kinds other than listing.
  began_at timestamp with time zone,    -- When the first page of this listing was claimed. Null if it has not begun.
  -- The activity whose streams are read, in the keys of racing.import_activity, without streams. Null for other kinds.
  summary jsonb,
  -- How often in a row the read has failed. Failures that affect all athletes do not count.
  failures integer NOT NULL DEFAULT 0,
  -- The account at the provider that showed the summary. Null if the request has no summary, or if the account is
  -- unknown.
  account bigint,
  was_read boolean NOT NULL,    -- Whether a listing was read and will be repeated before its deadline.
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

-- One row: the functions of the module that receives what is read.
CREATE TABLE strava.reader (
  is_it boolean NOT NULL DEFAULT true,
  take_listing text NOT NULL,    -- The signature of the function that receives a page of a listing.
  take_activity text NOT NULL,    -- The signature of the function that receives one activity.
  take_streams text NOT NULL,    -- The signature of the function that receives an activity with its streams.
  end_read text NOT NULL,    -- The signature of the function that is called when a request has expired.
  demand text,    -- The signature of the function that counts the reads of results. Null if there is none.
  CONSTRAINT reader_pkey PRIMARY KEY (is_it),
  CONSTRAINT reader_one CHECK (is_it)
);

-- Sealing keys, named by a prefix of their digest. The key that is not retired seals new secrets.
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
  number bigint NOT NULL,    -- The attempt of a code, or the tokens_given of a refresh token.
  key_id text COLLATE "C",    -- The key that sealed the secret. Null if it is not sealed yet.
  secret bytea NOT NULL,
  written_at timestamp with time zone NOT NULL,
  CONSTRAINT secret_pkey PRIMARY KEY (kind, athlete_id),
  CONSTRAINT secret_kind CHECK (kind = ANY (ARRAY['code'::text, 'refresh'::text]))
);
CREATE INDEX secret_key ON strava.secret (key_id, written_at);
CREATE INDEX secret_to_seal ON strava.secret (written_at) WHERE key_id IS NULL;

-- One row: the subscription to the provider's webhooks. Secrets are stored as digests.
CREATE TABLE strava.subscription (
  is_it boolean NOT NULL DEFAULT true,
  callback text NOT NULL,    -- The base URL at which the provider reaches a gateway.
  path_digest bytea NOT NULL,    -- The SHA-256 of the secret in the path that the provider calls.
  verify_digest bytea NOT NULL,    -- The SHA-256 of the token with which the provider verifies the path.
  asked_at timestamp with time zone NOT NULL,    -- When the subscription was requested.
  subscription_id bigint,    -- The provider's number for the subscription. Null if the provider has not responded yet.
  confirmed_at timestamp with time zone,    -- When the provider confirmed the subscription. Null if it has not.
  CONSTRAINT subscription_pkey PRIMARY KEY (is_it),
  CONSTRAINT subscription_confirmed CHECK ((subscription_id IS NULL) = (confirmed_at IS NULL)),
  CONSTRAINT subscription_digests CHECK (octet_length(path_digest) = 32 AND octet_length(verify_digest) = 32),
  CONSTRAINT subscription_one CHECK (is_it)
);

-- Athletes, races, entries, activities, reviews and the ledger.
CREATE SCHEMA racing;

-- Imported activities with their verdicts. An activity that was flagged before its validation may be reviewed without
-- scores.
CREATE TABLE racing.activity (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the activity.
  athlete_id bigint NOT NULL,    -- The athlete who did the activity.
  strava_id bigint,    -- The activity's id at the provider. Null if proof gave the id to another athlete.
  name text NOT NULL,    -- The activity's title at the provider.
  activity_type text NOT NULL,    -- The provider's type. Only Canoeing and Kayaking can count.
  started_at timestamp with time zone NOT NULL,    -- When the activity started.
  elapsed_time numeric NOT NULL,    -- The elapsed time in seconds.
  moving_time numeric NOT NULL,    -- The moving time in seconds.
  distance numeric NOT NULL,    -- The distance in metres.
  max_speed numeric,    -- The top speed in metres per second. Null if unknown.
  start_latitude double precision,    -- The latitude of the start in degrees. Null if unknown.
  start_longitude double precision,    -- The longitude of the start in degrees. Null if unknown.
  end_latitude double precision,    -- The latitude of the end in degrees. Null if unknown.
  end_longitude double precision,    -- The longitude of the end in degrees. Null if unknown.
  polyline text,    -- The track in the provider's encoding. Null if unknown.
  -- The digest of everything that was imported. Importing the same content again changes nothing.
  content_hash bytea NOT NULL,
  imported_at timestamp with time zone NOT NULL,    -- When the current content was imported.
  status text NOT NULL DEFAULT 'pending'::text,    -- pending, verified, rejected, under_review or disqualified.
  -- Why the activity was rejected: type, gps, uk or provider. Empty if it is not rejected.
  reasons text[] NOT NULL DEFAULT '{}'::text[],
  flag_count integer NOT NULL DEFAULT 0,    -- The number of open flags that count.
  flagged_at timestamp with time zone,    -- When the latest flag that counts was added. Null if none was.
  scored boolean NOT NULL,    -- Whether the scores of the current content are known.
  top_speed_mm_per_s bigint,    -- The top speed score in millimetres per second. Null if there is none.
  distance_cm bigint,    -- The distance score in centimetres. Null if there is none.
  fastest_1km_ms bigint,    -- The score over one kilometre in milliseconds. Null if there is none.
  fastest_5km_ms bigint,    -- The score over five kilometres in milliseconds. Null if there is none.
  -- The visibility at the provider: everyone, followers_only or only_me. Only activities that everyone may see appear
  -- in other people's lists. Rows older than this column: everyone.
  visibility text NOT NULL DEFAULT 'everyone'::text,
  provider_flagged boolean NOT NULL,    -- Whether the provider has flagged the activity.
  uncounted_flags integer NOT NULL DEFAULT 0,    -- The number of open flags that do not count.
  -- How often the current measured content was approved. Each approval doubles the number of flags that a review needs.
  approvals integer NOT NULL DEFAULT 0,
  is_proved boolean NOT NULL,    -- Whether the provider has confirmed that the activity is its athlete's.
  -- The id at the provider that proof gave to another athlete. Null if the activity still has its id.
  displaced_strava_id bigint,
  -- When the provider first showed the activity as another athlete's, after it had counted in a settled race. Null if
  -- never.
  disputed_at timestamp with time zone,
  -- When the provider last showed the activity. Null if it has not shown it since the import.
  shown_at timestamp with time zone,
  -- When the activity was found to be deleted at the provider. It then counts only where a settlement had already
  -- counted it. Null if it is not deleted.
  deleted_at timestamp with time zone,
  -- When the name, places, track and streams were erased. Null if they were not.
  forgotten_at timestamp with time zone,
  -- The SHA-256 of the imported streams, kept after the streams are erased. Null if there were none, or if it has not
  -- been computed yet.
  streams_digest bytea,
  -- When the provider last showed the activity again after a deletion. It counts in races that were not due by then.
  -- Null if never.
  shown_again_at timestamp with time zone,
  -- The account at the provider that last showed the activity. Null if none has since this column was added; the
  -- activity then counts as before.
  proved_by bigint,
  -- The settled races for which the activity was proved too late, although it was claimed in time. It never counts in
  -- them.
  late_for bigint[] NOT NULL DEFAULT '{}'::bigint[],
  -- Whether the activity was proved after the due instant of a race, and either differs from its claim or was not
  -- claimed in time.
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

-- The activities' streams, stored separately because they are large.
CREATE TABLE racing.activity_stream (
  activity_id bigint NOT NULL,    -- The activity to which the streams belong.
  times bigint[] NOT NULL,    -- The times in billionths of a second, truncated.
  distances bigint[] NOT NULL,    -- The distances in billionths of a metre, truncated.
  CONSTRAINT activity_stream_pkey PRIMARY KEY (activity_id),
  CONSTRAINT activity_stream_lengths CHECK (cardinality(times) = cardinality(distances)),
  CONSTRAINT activity_stream_limit CHECK (cardinality(times) <= 200000)
);

-- The athletes' profiles.
CREATE TABLE racing.athlete (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the athlete.
  display_name text NOT NULL,    -- The name that others see.
  date_of_birth date,    -- The date of birth. Null if unknown.
  gender text,    -- female, male or other. Null if unknown.
  user_type text NOT NULL,    -- racer or spectator.
  created_at timestamp with time zone NOT NULL,    -- When the athlete was created.
  updated_at timestamp with time zone,    -- When the profile was last changed. Null if never.
  -- When the athlete was last erased. Later profile changes, payments, entries and connections are refused. Null if
  -- never.
  erased_at timestamp with time zone,
  -- The gender that the provider last reported while racing.proof was on. Null if it has reported none since this
  -- column was added.
  provider_gender text,
  CONSTRAINT athlete_pkey PRIMARY KEY (id),
  CONSTRAINT athlete_display_name CHECK (length(display_name) >= 1 AND length(display_name) <= 10000),
  CONSTRAINT athlete_gender CHECK (gender = ANY (ARRAY['female'::text, 'male'::text, 'other'::text])),
  CONSTRAINT athlete_provider_gender CHECK (provider_gender = ANY (ARRAY['female'::text, 'male'::text])),
  CONSTRAINT athlete_user_type CHECK (user_type = ANY (ARRAY['racer'::text, 'spectator'::text]))
);
CREATE INDEX athlete_of_two_genders ON racing.athlete (id) WHERE provider_gender <> gender;

-- One row: the end of the hash chain. A transaction that extends the chain locks the row.
CREATE TABLE racing.chain_head (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  position bigint NOT NULL DEFAULT 0,    -- The position of the last link. 0 if the chain is empty.
  hash bytea NOT NULL DEFAULT '\x'::bytea,    -- The hash of the last link. Empty if the chain is empty.
  newest_journal bigint NOT NULL DEFAULT 0,    -- The highest journal id in the chain.
  CONSTRAINT chain_head_pkey PRIMARY KEY (only_row),
  CONSTRAINT chain_head_only_row CHECK (only_row),
  CONSTRAINT chain_head_position CHECK ("position" >= 0 AND ("position" = 0) = (hash = '\x'::bytea))
);

-- The hash chain over the journals, in the order in which they were found committed.
CREATE TABLE racing.chain_link (
  position bigint NOT NULL,    -- The place in the chain, from 1 without gaps.
  journal_id bigint NOT NULL,    -- The journal of the link.
  hash bytea NOT NULL,    -- The hash of the previous hash, the journal and its postings.
  CONSTRAINT chain_link_pkey PRIMARY KEY ("position"),
  CONSTRAINT chain_link_once UNIQUE (journal_id),
  CONSTRAINT chain_link_hash CHECK (length(hash) = 32),
  CONSTRAINT chain_link_position CHECK ("position" > 0)
);

-- Activities that athletes claim and the provider has not confirmed. Proof replaces the row with an activity that has
-- the same id.
CREATE TABLE racing.claim (
  -- The number of the claim, from the sequence of racing.activity.
  id bigint NOT NULL DEFAULT nextval('racing.activity_id_seq'::regclass),
  athlete_id bigint NOT NULL,    -- The athlete who claims the activity.
  strava_id bigint NOT NULL,    -- The id of the claimed activity at the provider. Any number of athletes may claim it.
  -- The claimed start. Races whose windows contain this instant hold the claim.
  started_at timestamp with time zone NOT NULL,
  -- When the claim was made. If the claim's account proves the activity, the activity counts as imported at this
  -- instant.
  claimed_at timestamp with time zone NOT NULL,
  until_at timestamp with time zone NOT NULL,    -- The instant until which the daemon queries the provider.
  -- The submitted values, without streams, in the keys of an import. Only the claim's athlete sees them.
  content jsonb NOT NULL,
  -- Why the claim was rejected. In an open claim, scope: the connection lacks the scope with which the provider would
  -- show the activity. Null otherwise.
  reason text,
  rejected_at timestamp with time zone,    -- When the claim was rejected. Null if it is open.
  -- When the provider last showed the activity as its athlete's, and its streams were requested. Null if never.
  shown_at timestamp with time zone,
  -- The account at the provider with which the athlete was connected at the time of the claim. Null if the provider had
  -- not named one.
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

-- The number of authorization codes that each athlete sent through the gateway on the latest day.
CREATE TABLE racing.code_day (
  athlete_id bigint NOT NULL,
  day date NOT NULL,    -- The day, as a date in racing.time_zone.
  codes integer NOT NULL,
  CONSTRAINT code_day_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT code_day_codes CHECK (codes > 0)
);

-- Reviewers' decisions, kept forever. A review has any number of requests for information, and one final decision.
CREATE TABLE racing.decision (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the decisions.
  review_id bigint NOT NULL,    -- The review that the decision belongs to.
  activity_id bigint NOT NULL,    -- The activity that was reviewed.
  decision text NOT NULL,    -- approve, disqualify or request_info.
  reviewer text NOT NULL,    -- The reviewer, as the app or the operator named them.
  note text NOT NULL,    -- The reviewer's note. Empty if there is none.
  decided_at timestamp with time zone NOT NULL,    -- When the decision was made.
  -- The digest of the measured content that was approved. Null for other decisions, and for approvals by an earlier
  -- release.
  measured_hash bytea,
  saw_scores boolean NOT NULL,    -- Whether the activity had its scores when it was approved.
  -- Whether an administrator overruled. No moderator can decide after that while the activity keeps its content.
  is_overruling boolean NOT NULL,
  -- The reviewer's athlete. Null for an operator, an app without athletes, or a decision older than this column.
  reviewer_athlete bigint,
  -- Whether a request for information took a verified activity out of its races. If so, the reviewer counts as having
  -- judged the activity.
  took_verified boolean NOT NULL,
  CONSTRAINT decision_pkey PRIMARY KEY (id),
  CONSTRAINT decision_decision CHECK (decision = ANY (ARRAY['approve'::text, 'disqualify'::text, 'request_info'::text]))
);
CREATE UNIQUE INDEX decision_final ON racing.decision (review_id) WHERE decision <> 'request_info'::text;
CREATE INDEX decision_of_activity ON racing.decision (activity_id, id);
CREATE INDEX decision_of_reviewer ON racing.decision (reviewer_athlete, activity_id) WHERE reviewer_athlete IS NOT NULL
  AND (decision <> 'request_info'::text OR took_verified);

-- Deleted activities whose name, places, track and streams are still stored.
CREATE TABLE racing.deletion (
  activity_id bigint NOT NULL,    -- The deleted activity.
  forget_at timestamp with time zone NOT NULL,    -- When the erasure of these data is due.
  CONSTRAINT deletion_pkey PRIMARY KEY (activity_id)
);
CREATE INDEX deletion_due ON racing.deletion (forget_at);

-- Accounts at the provider that have entered a race. No other athlete can connect with them. Erasing an athlete deletes
-- the athlete's rows.
CREATE TABLE racing.entered_account (
  provider_athlete_id bigint NOT NULL,    -- The account's number at the provider.
  athlete_id bigint NOT NULL,    -- The athlete who entered with the account.
  CONSTRAINT entered_account_pkey PRIMARY KEY (provider_athlete_id)
);
CREATE INDEX entered_account_athlete ON racing.entered_account (athlete_id);

-- Athletes' entries in races, with their latest results.
CREATE TABLE racing.entry (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the entry.
  race_id bigint NOT NULL,    -- The race that was entered.
  athlete_id bigint NOT NULL,    -- The athlete who entered.
  fee_pence bigint NOT NULL,    -- The entry fee in pence.
  status text NOT NULL DEFAULT 'entered'::text,    -- entered, completed, disqualified or refunded.
  entered_at timestamp with time zone NOT NULL,    -- When the athlete entered.
  activity_id bigint,    -- The activity that the settlement counted. Null if there is none.
  score bigint,    -- The score that the settlement counted, in the unit of the race's type. Null if there is none.
  rank integer,    -- The place among all entries. Tied entries share a place. Null if there is none.
  prize_pence bigint NOT NULL DEFAULT 0,    -- The prize of the latest settlement, in pence.
  -- The disqualified activity that removes the entry. In a settled race the status changes with the correction. Null if
  -- there is none.
  disqualified_by bigint,
  is_refunded boolean NOT NULL,    -- Whether the fee was refunded.
  -- How often the fee was charged again after a refund, before the settlement. The keys of the journals of both contain
  -- this number.
  reinstatement_count integer NOT NULL DEFAULT 0,
  -- When the athlete's claims requested a listing in the queue for this race's results, at most once. Null if they have
  -- not.
  claims_listed_at timestamp with time zone,
  -- The account at the provider with which the athlete entered. Null if there was none, or if the entry is older than
  -- this column.
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

-- Users' reports of activities. A final decision closes them. A user cannot flag the same content again after a
-- decision.
CREATE TABLE racing.flag (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the flags.
  activity_id bigint NOT NULL,    -- The activity that was flagged.
  flagged_by bigint NOT NULL,    -- The athlete who flagged the activity.
  reason text NOT NULL,    -- suspicious_speed, motorized_assistance, impossible_route, fake_activity or other.
  notes text,    -- The athlete's own words. Null if there are none.
  flagged_at timestamp with time zone NOT NULL,    -- When the activity was flagged.
  -- When the flag was closed, for example by a final decision. Null if it is open.
  closed_at timestamp with time zone,
  closed_content bytea,    -- The content_hash of the activity when the flag was closed. Null if it is open.
  -- Whether the flag counts towards a review. This is decided when the flag is made.
  counts boolean NOT NULL DEFAULT true,
  -- The digest of the activity and the flagging athlete's account. Only one flag of an account counts for an activity,
  -- whichever athlete has the account. Null if there is no account.
  account_digest bytea,
  CONSTRAINT flag_pkey PRIMARY KEY (id),
  CONSTRAINT flag_closed CHECK ((closed_at IS NULL) = (closed_content IS NULL)),
  CONSTRAINT flag_reason CHECK (reason = ANY (ARRAY['suspicious_speed'::text, 'motorized_assistance'::text,
    'impossible_route'::text, 'fake_activity'::text, 'other'::text]))
);
CREATE INDEX flag_of_activity ON racing.flag (activity_id, flagged_by);
CREATE UNIQUE INDEX flag_once ON racing.flag (activity_id, flagged_by) WHERE closed_at IS NULL;

-- The imports of each athlete through the gateway on the latest day.
CREATE TABLE racing.import_day (
  athlete_id bigint NOT NULL,
  day date NOT NULL,    -- The day, as a date in racing.time_zone.
  imports bigint NOT NULL,    -- The number of imports that changed something.
  bytes bigint NOT NULL,    -- The total size of these imports' bodies in bytes.
  CONSTRAINT import_day_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT import_day_counts CHECK (imports > 0 AND bytes >= 0)
);

-- The ledger, which is append-only. One transaction writes a journal and its postings.
CREATE TABLE racing.journal (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the journal.
  kind text NOT NULL,    -- deposit, withdrawal, entry_fee, prize, refund or correction.
  idempotency_key text COLLATE "C" NOT NULL,    -- The idempotency key. A journal is booked exactly once under it.
  race_id bigint,    -- The race whose money the journal moves. Null if there is none.
  description text NOT NULL,    -- The text that the athlete sees.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the booking.
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),    -- The transaction that wrote the journal.
  CONSTRAINT journal_pkey PRIMARY KEY (id),
  CONSTRAINT journal_once UNIQUE (idempotency_key),
  CONSTRAINT journal_kind CHECK (kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text, 'entry_fee'::text,
    'prize'::text, 'refund'::text, 'correction'::text]))
);

-- Journals that were booked under the key of an earlier journal. settled migrate --mark-doubles lists them here.
CREATE TABLE racing.journal_double (
  journal_id bigint NOT NULL,    -- The later journal.
  double_of bigint NOT NULL,    -- The earlier journal with the same key.
  idempotency_key text COLLATE "C" NOT NULL,    -- The key under which both were booked.
  -- When the journal was marked, by the wall clock.
  marked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT journal_double_pkey PRIMARY KEY (journal_id),
  CONSTRAINT journal_double_later CHECK (double_of < journal_id)
);

-- Activities that revision 1 held and that have been verified since then. Later revisions count them.
CREATE TABLE racing.late_activity (
  race_id bigint NOT NULL,    -- The race that held the activity.
  activity_id bigint NOT NULL,    -- The activity that was held.
  verified_at timestamp with time zone NOT NULL,    -- When the activity was verified.
  CONSTRAINT late_activity_once PRIMARY KEY (race_id, activity_id)
);

-- Differences that the latest audit found. They are kept so that each is reported only once.
CREATE TABLE racing.ledger_difference (
  finding text COLLATE "C" NOT NULL,    -- The account, the athlete and the amount.
  difference jsonb NOT NULL,    -- The difference in the form that settlectl ledger verify shows.
  found_at timestamp with time zone NOT NULL,    -- When an audit first found the difference.
  CONSTRAINT ledger_difference_pkey PRIMARY KEY (finding)
);

-- The payouts of each revision, as they were decided at that time.
CREATE TABLE racing.payout (
  race_id bigint NOT NULL,    -- The race that was settled.
  revision integer NOT NULL,    -- The revision of the settlement.
  place integer NOT NULL,    -- The place in the ranking, from 1 to 3.
  entry_id bigint NOT NULL,    -- The winning entry.
  athlete_id bigint NOT NULL,    -- The winning athlete.
  amount_pence bigint NOT NULL,    -- The prize in pence.
  CONSTRAINT payout_once PRIMARY KEY (race_id, revision, entry_id),
  CONSTRAINT payout_amount CHECK (amount_pence > 0),
  CONSTRAINT payout_place CHECK (place >= 1 AND place <= 3)
);

-- Double-entry postings. The postings of a journal sum to zero.
CREATE TABLE racing.posting (
  -- The order of the postings. For a wallet it is also the id of the transaction.
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  journal_id bigint NOT NULL,    -- The journal of the posting.
  account text NOT NULL,    -- wallet, pending, receivable, pool, platform or external.
  athlete_id bigint,    -- The athlete, for the accounts wallet, pending and receivable. Null for other accounts.
  race_id bigint,    -- The race, for the account pool. Null for other accounts.
  entry_id bigint,    -- The entry for which money moves. Null if there is none.
  amount_pence bigint NOT NULL,    -- The amount in pence that the account gains. Negative if a receivable grows.
  balance_pence bigint,    -- The wallet's balance in pence just after the posting. Null for other accounts.
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

-- Races, each with a snapshot of the settings at its creation.
CREATE TABLE racing.race (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the race.
  -- The score that decides: top_speed, furthest_distance, fastest_1km or fastest_5km.
  type text COLLATE "C" NOT NULL,
  -- daily, weekly or monthly: the period that the window covers, in the zone of racing.time_zone.
  duration text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,    -- The ages and gender that may enter, such as women_u23.
  -- The start of the window. Activities that start earlier do not count.
  starts_at timestamp with time zone NOT NULL,
  -- The end of the window. Activities that start at this instant or later do not count.
  ends_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,    -- The earliest settlement: ends_at plus the results grace.
  entry_fee_pence bigint NOT NULL,    -- The entry fee in pence.
  platform_fee_percent numeric(4,2) NOT NULL,    -- The platform's share of all fees, in percent.
  prize_shares integer[] NOT NULL,    -- The shares of the first three places in the prize pool, in percent.
  entry_cutoff interval NOT NULL,    -- Entries close this long before ends_at.
  review_hold interval NOT NULL,    -- The longest time that held activities delay the settlement after due_at.
  -- upcoming, active, ended or settled, in this order; or cancelled, from any of the first three.
  status text NOT NULL DEFAULT 'upcoming'::text,
  entry_count integer NOT NULL DEFAULT 0,    -- The number of all entries, including disqualified and refunded ones.
  -- When the settlement job next checks an ended race: due_at, or the end of the hold while the race waits. Formerly
  -- named attend_at.
  next_check_at timestamp with time zone NOT NULL,
  -- The held activities and open claims that the settlement waits for.
  waiting_activities bigint[] NOT NULL DEFAULT '{}'::bigint[],
  -- The instant since which a follow-up is due: refunds of disqualified entries, or a correction. Null if none is due.
  -- Formerly named marked_at.
  correction_due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,    -- When the race was created.
  -- When the settlement job is due: next_check_at while the race is ended, or correction_due_at if that is earlier.
  -- Null if neither applies. Generated; formerly named settle_at.
  settle_due_at timestamp with time zone GENERATED ALWAYS AS (LEAST( CASE WHEN status = 'ended'::text THEN next_check_at
    ELSE NULL::timestamp with time zone END, correction_due_at)) STORED,
  local_date date,    -- The first date of a regular race's window, in local_zone. Null for a special race.
  -- The value of racing.time_zone when the regular race was created. Null for a special race.
  local_zone text COLLATE "C",
  -- Whether the next correction reinstates entries that were removed because of an activity that is no longer
  -- disqualified.
  is_reinstating boolean NOT NULL,
  -- Set by a daemon that supports claims, in the statement that makes the race wait. A trigger resets it.
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

-- Operators' orders about races. The job race-orders carries them out.
CREATE TABLE racing.race_order (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the order.
  race_id bigint NOT NULL,    -- The race that the order is about.
  kind text COLLATE "C" NOT NULL,    -- settle or cancel.
  overrides boolean NOT NULL,    -- Whether the order skips the results grace and the review hold.
  expected_hash text COLLATE "C",    -- The hash of the inputs that the operator saw. Null if any inputs are accepted.
  reason text,    -- The operator's reason. The event of a cancellation contains it. Null if there is none.
  ordered_at timestamp with time zone NOT NULL,    -- When the operator gave the order.
  finished_at timestamp with time zone,    -- When the order was carried out or refused. Null if it is open.
  rule text COLLATE "C",    -- The rule that refused the order. Null if none has.
  refusal text,    -- The refusal in words. Null if the order was not refused.
  answer jsonb,    -- The response that the operator gets. Null if the order was not carried out.
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

-- Reviews of activities. An activity has at most one undecided review.
CREATE TABLE racing.review (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the review.
  activity_id bigint NOT NULL,    -- The activity under review.
  state text NOT NULL DEFAULT 'open'::text,    -- open, info_requested or decided.
  level integer NOT NULL DEFAULT 0,    -- How often a reminder has escalated the review.
  opened_at timestamp with time zone NOT NULL,    -- When the review was opened.
  -- Why the daemon opened the review. Empty if flags or a decision opened it.
  reasons text[] NOT NULL DEFAULT '{}'::text[],
  -- The scores that exceed their bounds: score, value and bound, in the unit of the score.
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

-- Revoked connections. The names, places, tracks and streams of these athletes' activities are erased.
CREATE TABLE racing.revocation (
  athlete_id bigint NOT NULL,    -- The athlete whose connection was revoked.
  -- The account of the connection. 0 if it was not known. Connecting with the account again ends the revocation.
  provider_athlete_id bigint NOT NULL,
  -- When the connection was revoked. Activities imported after this instant keep their content.
  revoked_at timestamp with time zone NOT NULL,
  forget_at timestamp with time zone NOT NULL,    -- When the erasure is due.
  CONSTRAINT revocation_pkey PRIMARY KEY (athlete_id, provider_athlete_id)
);
CREATE INDEX revocation_due ON racing.revocation (forget_at);

-- Settlements of races: revision 1, then the corrections.
CREATE TABLE racing.settlement (
  race_id bigint NOT NULL,    -- The race that was settled.
  revision integer NOT NULL,    -- 1 for the first settlement, and one more for each correction.
  outcome text NOT NULL,    -- paid, or void if no entry had a rank.
  settled_at timestamp with time zone NOT NULL,    -- When the race was settled.
  fees_pence bigint NOT NULL,    -- The total fees of entries that took part, in pence.
  platform_fee_pence bigint NOT NULL,    -- The platform's share of the fees, in pence.
  prize_pool_pence bigint NOT NULL,    -- The share of the fees that prizes are paid from, in pence.
  journal_id bigint,    -- The journal of the settlement. Null if nothing was booked.
  input_hash text NOT NULL,    -- The hash of the inputs that determined the result.
  counted_activities bigint[] NOT NULL,    -- The activities that counted.
  -- The activities that were held when the race settled, and the claims that were open then.
  held_activities bigint[] NOT NULL,
  CONSTRAINT settlement_once PRIMARY KEY (race_id, revision),
  CONSTRAINT settlement_outcome CHECK (outcome = ANY (ARRAY['paid'::text, 'void'::text])),
  CONSTRAINT settlement_revision CHECK (revision >= 1),
  CONSTRAINT settlement_split CHECK (fees_pence >= 0 AND platform_fee_pence >= 0 AND prize_pool_pence >= 0 AND (outcome
    = 'void'::text AND platform_fee_pence = 0 AND prize_pool_pence = 0 OR outcome = 'paid'::text AND fees_pence =
    (platform_fee_pence + prize_pool_pence)))
);
CREATE INDEX settlement_of_time ON racing.settlement (settled_at);

-- One row: the place at which the next run of stream-pruning continues.
CREATE TABLE racing.stream_pruning (
  is_it boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  activity_id bigint NOT NULL,    -- The last activity whose streams were checked. 0 if there is none.
  CONSTRAINT stream_pruning_pkey PRIMARY KEY (is_it),
  CONSTRAINT stream_pruning_one CHECK (is_it)
);

-- Ends of withdrawals, and deposits that were charged back. A withdrawal without a row is pending.
CREATE TABLE racing.transaction_end (
  posting_id bigint NOT NULL,    -- The posting of the withdrawal or deposit in the wallet.
  status text NOT NULL,    -- completed or failed.
  -- Why the withdrawal failed, or why the deposit was charged back. Null if the withdrawal was completed.
  reason text,
  ended_at timestamp with time zone NOT NULL,    -- When the withdrawal ended, or the deposit was charged back.
  journal_id bigint NOT NULL,    -- The journal that books the end of the transaction.
  CONSTRAINT transaction_end_pkey PRIMARY KEY (posting_id),
  CONSTRAINT transaction_end_reason CHECK ((status = 'failed'::text) = (reason IS NOT NULL)),
  CONSTRAINT transaction_end_status CHECK (status = ANY (ARRAY['completed'::text, 'failed'::text]))
);

-- Athletes' balances. Each equals the sum of its postings.
CREATE TABLE racing.wallet (
  athlete_id bigint NOT NULL,    -- The athlete who owns the wallet.
  balance_pence bigint NOT NULL DEFAULT 0,    -- The balance in pence.
  pending_pence bigint NOT NULL DEFAULT 0,    -- Withdrawals that the payment provider has not confirmed, in pence.
  receivable_pence bigint NOT NULL DEFAULT 0,    -- The athlete's debt after a correction, in pence.
  CONSTRAINT wallet_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT wallet_balance CHECK (balance_pence >= 0),
  CONSTRAINT wallet_pending CHECK (pending_pence >= 0),
  CONSTRAINT wallet_receivable CHECK (receivable_pence >= 0)
);
CREATE INDEX wallet_pending ON racing.wallet (athlete_id) INCLUDE (pending_pence) WHERE pending_pence > 0;

-- Check-ins, streaks and the days of each time zone.
CREATE SCHEMA checkins;

-- Closed days. Each day is closed once.
CREATE TABLE checkins.day (
  zone text COLLATE "C" NOT NULL,    -- The time zone of the day.
  date date NOT NULL,    -- The date that was closed.
  checked_in bigint NOT NULL,    -- The number of check-ins of the day.
  streaks_ended bigint NOT NULL,    -- The number of streaks that ended with the day.
  closed_at timestamp with time zone NOT NULL,    -- When the day was closed.
  CONSTRAINT day_once PRIMARY KEY (zone, date),
  CONSTRAINT day_totals CHECK (checked_in >= 0 AND streaks_ended >= 0)
);

-- Check-ins: one for each person and date.
CREATE TABLE checkins.entry (
  profile_id bigint NOT NULL,    -- The person who checked in.
  date date NOT NULL,    -- The date of the check-in.
  zone text NOT NULL,    -- The time zone in which the person's date was determined.
  score numeric(3,1) NOT NULL,    -- The score, from -11 to 9 in steps of 0.5.
  metrics jsonb NOT NULL,    -- The metrics as they were sent, without the date.
  checked_in_at timestamp with time zone NOT NULL,    -- When the person checked in.
  CONSTRAINT entry_of_date PRIMARY KEY (profile_id, date),
  CONSTRAINT entry_score CHECK (score >= '-11'::integer::numeric AND score <= 9::numeric AND (score * 2::numeric) =
    trunc(score * 2::numeric))
) PARTITION BY RANGE (date);

CREATE TABLE checkins.entry_default PARTITION OF checkins.entry DEFAULT;

-- People, identified by the app's user id.
CREATE TABLE checkins.profile (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the person.
  user_id text NOT NULL,    -- The app's id of the person.
  time_zone text,    -- The time zone that the app sent. Null if UTC applies.
  is_onboarded boolean NOT NULL,    -- Whether the onboarding is complete.
  created_at timestamp with time zone NOT NULL,    -- When the profile was created.
  zone_since date NOT NULL,    -- The date, in the zone, on which the person began to use it.
  streak_id bigint,    -- The latest streak. Null if there is none.
  longest_streak integer NOT NULL DEFAULT 0,    -- The length of the longest streak in days.
  -- The dates after the last entry that a change of time zone skipped.
  bridged datemultirange NOT NULL DEFAULT '{}'::datemultirange,
  chronological_age_years numeric,    -- The age in years given at the onboarding. Null if none was given.
  -- The sum in years of the deltas of all days, including days whose entries were pruned.
  delta_years numeric NOT NULL DEFAULT 0,
  rejuvenation_days integer NOT NULL DEFAULT 0,    -- The number of days with a delta below 0.
  acceleration_days integer NOT NULL DEFAULT 0,    -- The number of days with a delta above 0.
  -- The number of consecutive days up to the last entry with a delta of the same sign. Negative for rejuvenation,
  -- positive for acceleration.
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
  -- The first date after last_on that is not bridged. Without an entry, the streak ends at the end of this date in its
  -- zone.
  ends_on date NOT NULL,
  ended_at timestamp with time zone,    -- When the streak was ended. Null if it has not been.
  CONSTRAINT streak_pkey PRIMARY KEY (id),
  CONSTRAINT streak_dates CHECK (started_on <= last_on AND last_on < ends_on),
  CONSTRAINT streak_length CHECK (length >= 1 AND length <= (last_on - started_on + 1))
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX streak_to_end ON checkins.streak (zone, ends_on, id) WHERE ended_at IS NULL;

-- Check-ins of an open day. Several rows count them, so that callers do not wait for each other.
CREATE TABLE checkins.tally (
  zone text COLLATE "C" NOT NULL,    -- The time zone of the day.
  date date NOT NULL,    -- The open date.
  shard integer NOT NULL,    -- The number of the row among the day's rows.
  checked_in bigint NOT NULL,    -- The number of check-ins that the row has counted.
  CONSTRAINT tally_once PRIMARY KEY (zone, date, shard),
  CONSTRAINT tally_checked_in CHECK (checked_in >= 0)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);

-- Time zones that profiles use, with the next day of each to close.
CREATE TABLE checkins.zone (
  name text COLLATE "C" NOT NULL,    -- The name of the time zone.
  next_date date NOT NULL,    -- The next date to close.
  next_at timestamp with time zone NOT NULL,    -- When next_date ends.
  streaks_ended bigint NOT NULL DEFAULT 0,    -- The number of streaks that the closing of next_date has ended so far.
  -- The ends_on of the last streak ended. -infinity if there is none.
  ended_on date NOT NULL DEFAULT '-infinity'::date,
  ended_id bigint NOT NULL DEFAULT 0,    -- The id of the last streak ended. 0 if there is none.
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

-- People, identified by the app's username.
CREATE TABLE seasons.app_user (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the person.
  username text NOT NULL,    -- The app's name for the person.
  display_name text NOT NULL,    -- The name that others see.
  role text NOT NULL,    -- coach or runner.
  runner_id bigint,    -- The person's runner. Null if there is none.
  CONSTRAINT app_user_pkey PRIMARY KEY (id),
  CONSTRAINT app_user_username EXCLUDE USING hash (username WITH =),
  CONSTRAINT app_user_names CHECK (length(username) >= 1 AND length(username) <= 10000 AND length(display_name) >= 1 AND
    length(display_name) <= 10000),
  CONSTRAINT app_user_role CHECK (role = ANY (ARRAY['coach'::text, 'runner'::text]))
);

-- Comments on team talks, and replies to them.
CREATE TABLE seasons.comment (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the comments.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),    -- The id by which apps identify the comment.
  talk_id bigint NOT NULL,    -- The talk that was commented on.
  user_id bigint NOT NULL,    -- The person who commented.
  message text NOT NULL,    -- The text of the comment.
  parent_id bigint,    -- The comment that this one replies to. Null if it is a comment on the talk itself.
  depth integer NOT NULL,    -- The depth of the reply. 0 for a comment on the talk itself.
  created_at timestamp with time zone NOT NULL,    -- When the comment was written.
  updated_at timestamp with time zone NOT NULL,    -- When the comment was last changed.
  CONSTRAINT comment_pkey PRIMARY KEY (id),
  CONSTRAINT comment_uuid UNIQUE (uuid),
  CONSTRAINT comment_depth CHECK (depth >= 0 AND depth <= 8 AND (depth = 0) = (parent_id IS NULL)),
  CONSTRAINT comment_message CHECK (length(message) >= 1 AND length(message) <= 10000)
);
CREATE INDEX comment_of_talk ON seasons.comment (talk_id, id);

-- Earned points. Only erasing a person changes a row.
CREATE TABLE seasons.earning (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the earnings.
  runner_id bigint NOT NULL,    -- The runner who earned the points.
  activity_type text COLLATE "C" NOT NULL,    -- The type of the activity.
  activity_uuid text,    -- The app's id of the activity. Null if there is none.
  activity_digest bytea,    -- The digest of activity_uuid, which may be too long for an index. Null if there is none.
  points integer NOT NULL,    -- The points of the activity.
  season text COLLATE "C",    -- xc or track. Null if the points belong to no season.
  year integer,    -- The year of the season. Null if the points belong to no season.
  description text,    -- The app's text. Null if there is none.
  occurred_at timestamp with time zone NOT NULL,    -- When the points were earned.
  version bigint,    -- The version whose team total includes the points. Null if none does.
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

-- How often each runner earned points on their own behalf on the latest day, by type of activity.
CREATE TABLE seasons.own_earning_day (
  runner_id bigint NOT NULL,
  activity_type text COLLATE "C" NOT NULL,
  day date NOT NULL,    -- The day, as a date in seasons.time_zone.
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
  display_name text NOT NULL,    -- The person's name at the time of the view.
  CONSTRAINT recent_view_once PRIMARY KEY (talk_id, viewed_at, id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

-- Rewards that a team reaches together.
CREATE TABLE seasons.reward (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the reward.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  description text NOT NULL,    -- The reward in words.
  point_threshold bigint NOT NULL,    -- The points that the team must reach.
  display_order integer NOT NULL,    -- The place in lists. It is unique within a season.
  -- When the team reached the reward. reward-check sets it once. Null if the team has not.
  achieved_date timestamp with time zone,
  created_by text,    -- The person who created the reward, as the app named them. Null if none was named.
  created_at timestamp with time zone NOT NULL,    -- When the reward was created.
  updated_at timestamp with time zone NOT NULL,    -- When the reward was last changed.
  CONSTRAINT reward_pkey PRIMARY KEY (id),
  CONSTRAINT reward_display_order UNIQUE (season, year, display_order),
  CONSTRAINT reward_point_threshold CHECK (point_threshold > 0),
  CONSTRAINT reward_season CHECK (season = ANY (ARRAY['xc'::text, 'track'::text])),
  CONSTRAINT reward_year CHECK (year >= 0 AND year <= 9999)
);

-- Runners of the teams. The lock of a row serialises the calls for its runner.
CREATE TABLE seasons.runner (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the runner.
  name text NOT NULL,    -- The name of the runner.
  graduating_class integer NOT NULL,    -- The year of graduation.
  team text NOT NULL,    -- UA or NU.
  does_xc boolean NOT NULL,    -- Whether the runner belongs to the xc season.
  does_track boolean NOT NULL,    -- Whether the runner belongs to the track season.
  is_active boolean NOT NULL DEFAULT true,    -- Whether the runner is on the rosters.
  points bigint NOT NULL DEFAULT 0,    -- All points that the runner has ever earned.
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

-- The runners' points by season.
CREATE TABLE seasons.seasonal_total (
  runner_id bigint NOT NULL,    -- The runner who earned the points.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  points bigint NOT NULL,    -- The points of the runner in the season.
  CONSTRAINT seasonal_total_once PRIMARY KEY (runner_id, season, year),
  CONSTRAINT seasonal_total_points CHECK (points > 0)
) WITH (fillfactor=80);

-- Additions to team_total that reward-check has not applied yet.
CREATE TABLE seasons.team_change (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the additions.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  version bigint NOT NULL,    -- The version whose total receives the addition.
  moved bigint NOT NULL DEFAULT 0,    -- The points that a change of the roster adds or removes.
  earned bigint NOT NULL DEFAULT 0,    -- The points that were earned.
  at timestamp with time zone NOT NULL,    -- When the addition was written.
  CONSTRAINT team_change_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX team_change_of_season ON seasons.team_change (season, year);
CREATE INDEX team_change_to_check ON seasons.team_change (at, id);

-- Team talks.
CREATE TABLE seasons.team_talk (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the talks.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),    -- The id by which apps identify the talk.
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

-- The points that each version adds to a team's total.
CREATE TABLE seasons.team_total (
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  version bigint NOT NULL,    -- The version that adds the points.
  moved bigint NOT NULL,    -- The points that the version's change of the roster added or removed.
  earned bigint NOT NULL,    -- The points that were earned in the version.
  CONSTRAINT team_total_once PRIMARY KEY (season, year, version),
  CONSTRAINT team_total_earned CHECK (earned >= 0)
) WITH (fillfactor=80);

-- The thresholds of each reward. Each threshold applies from its version onwards.
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
  display_name text NOT NULL,    -- The person's name at the time of the view.
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

-- Views of team talks in monthly partitions, kept for seasons.view_retention.
CREATE TABLE seasons.view (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the view.
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The person's name at the time of the view.
  team text,    -- UA or NU, as the app sent it. Null if none was sent.
  viewed_at timestamp with time zone NOT NULL    -- When the talk was viewed.
) PARTITION BY RANGE (viewed_at);

CREATE TABLE seasons.view_default PARTITION OF seasons.view DEFAULT;

-- The counted views of each talk.
CREATE TABLE seasons.view_total (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  views bigint NOT NULL,    -- The number of counted views.
  viewers bigint NOT NULL,    -- The number of counted viewers.
  CONSTRAINT view_total_pkey PRIMARY KEY (talk_id),
  CONSTRAINT view_total_counts CHECK (viewers >= 0 AND viewers <= views)
) WITH (fillfactor=50);

-- The counted viewers of each talk.
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

-- Achievements as they are shown. Their requirements are in their editions.
CREATE TABLE achievements.achievement (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The number of the achievement.
  slug text NOT NULL,    -- The name by which apps identify the achievement.
  name text NOT NULL,    -- The name that people see.
  description text NOT NULL,    -- The text that people see.
  icon jsonb NOT NULL,    -- The icon, with the keys type, color, symbol and svg_url.
  unlock_requirements jsonb,    -- The requirements as they are shown. Null if the steps contain them.
  reward bigint NOT NULL,    -- The points for unlocking the achievement.
  is_hidden boolean NOT NULL,    -- Whether the achievement is masked until it is unlocked.
  category text,    -- authors, books_and_series, categories, contributions or career. Null if there is none.
  display_order integer NOT NULL,    -- The place in lists.
  CONSTRAINT achievement_pkey PRIMARY KEY (id),
  CONSTRAINT achievement_slug EXCLUDE USING hash (slug WITH =),
  CONSTRAINT achievement_category CHECK (category = ANY (ARRAY['authors'::text, 'books_and_series'::text,
    'categories'::text, 'contributions'::text, 'career'::text])),
  CONSTRAINT achievement_reward CHECK (reward >= 0 AND reward <= 1000000000)
);

-- Steps that people have completed permanently.
CREATE TABLE achievements.completion (
  user_id bigint NOT NULL,    -- The person who completed the step.
  step_id bigint NOT NULL,    -- The step that was completed.
  completed_at timestamp with time zone NOT NULL,    -- The time of the report or definition that completed the step.
  CONSTRAINT completion_once PRIMARY KEY (user_id, step_id)
);
CREATE INDEX completion_of_step ON achievements.completion (step_id, user_id);

-- People's counts by metric and target.
CREATE TABLE achievements.counter (
  user_id bigint NOT NULL,    -- The person who is counted.
  metric text COLLATE "C" NOT NULL,    -- The metric that is counted.
  target_key text COLLATE "C" NOT NULL,    -- The key of the target. Empty if there is none.
  value bigint NOT NULL,    -- The count.
  CONSTRAINT counter_once PRIMARY KEY (user_id, metric, target_key),
  CONSTRAINT counter_value CHECK (value >= 0)
) WITH (fillfactor=80);
CREATE INDEX counter_by_value ON achievements.counter (metric, target_key, value, user_id);

-- Counters and the values that they must reach: one row for an edition, or one for each of its steps.
CREATE TABLE achievements.criterion (
  edition bigint NOT NULL,    -- The edition that has the criterion.
  place integer NOT NULL,    -- The order of the step.
  -- The id of the step. It stays the same while each edition has a step at this place. Null if the edition has no
  -- steps.
  step_id bigint,
  metric text COLLATE "C" NOT NULL,    -- The metric that is compared.
  target text,    -- The target as it is shown. Null if there is none.
  target_key text COLLATE "C" NOT NULL,    -- The key of the target. Empty if there is none.
  value bigint NOT NULL,    -- The value that the counter must reach.
  needs_previous boolean NOT NULL,    -- Whether the previous step must be completed first.
  name text,    -- The name of the step. Null if the edition has no steps.
  description text,    -- The text of the step. Null if the edition has no steps.
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
  reward bigint NOT NULL,    -- The points for unlocking the achievement by this edition.
  defined_at timestamp with time zone NOT NULL,    -- When the achievement was defined in this form.
  replaced_by bigint,    -- The number of the edition that replaced this one. Null if it is in force.
  CONSTRAINT edition_pkey PRIMARY KEY (number),
  CONSTRAINT edition_number CHECK (number > 0),
  CONSTRAINT edition_replaced CHECK (replaced_by > number)
);
CREATE UNIQUE INDEX edition_in_force ON achievements.edition (achievement_id) WHERE replaced_by IS NULL;
CREATE INDEX edition_replaced_by ON achievements.edition (replaced_by) WHERE replaced_by IS NOT NULL;

-- People to judge by a new edition: by a counter, by a step, or all people. A row is deleted when all of its people
-- have been judged.
CREATE TABLE achievements.evaluation (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the evaluations.
  edition bigint NOT NULL,    -- The new edition.
  created_at timestamp with time zone NOT NULL,    -- When the edition was defined.
  metric text COLLATE "C",    -- The counter's metric, if people are judged by a counter. Null otherwise.
  target_key text COLLATE "C",    -- The counter's target, if people are judged by a counter. Null otherwise.
  step_id bigint,    -- The step, if people are judged by a step. Null otherwise.
  -- The counter value of the last person judged. People are judged in the order of their values and ids.
  last_value bigint NOT NULL,
  last_user bigint NOT NULL DEFAULT 0,    -- The id of the last person judged.
  done bigint NOT NULL DEFAULT 0,    -- The number of people judged so far.
  total bigint,    -- The number of people to judge. Null until the evaluation begins.
  left_users bigint[] NOT NULL DEFAULT '{}'::bigint[],    -- People who were skipped because their rows were locked.
  CONSTRAINT evaluation_pkey PRIMARY KEY (id),
  CONSTRAINT evaluation_counts CHECK (done >= 0 AND total >= 0),
  CONSTRAINT evaluation_of CHECK ((metric IS NULL) = (target_key IS NULL) AND (metric IS NULL OR step_id IS NULL))
);
CREATE INDEX evaluation_by_edition ON achievements.evaluation (edition);
CREATE INDEX evaluation_to_begin ON achievements.evaluation (created_at, id);

-- Rows that serve only as locks.
CREATE TABLE achievements.latch (
  name text COLLATE "C" NOT NULL,    -- The name of the lock.
  CONSTRAINT latch_pkey PRIMARY KEY (name)
);

-- People, each with the latest change whose results are not recorded yet.
CREATE TABLE achievements.person (
  id bigint NOT NULL,    -- The app's id of the person.
  name text NOT NULL,    -- The name of the person.
  created_at timestamp with time zone NOT NULL,    -- When the person was created.
  earned_points bigint NOT NULL DEFAULT 0,    -- The points from rewards. The counter of points includes them.
  unlock_count integer NOT NULL DEFAULT 0,    -- The number of achievements that the person has unlocked.
  edition bigint NOT NULL,    -- The latest edition at the time when the counters last changed or were judged.
  due_at timestamp with time zone,    -- The instant since which a check is due. Null if none is due.
  changed_at timestamp with time zone,    -- When the latest change was made. Null if all results are recorded.
  -- The metric of the latest change's counter. Null if the person is new, or if all results are recorded.
  changed_metric text,
  changed_target_key text,    -- The target of the latest change's counter. Null if changed_metric is null.
  changed_from bigint,    -- The value of that counter before the latest change. Null if changed_metric is null.
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
  idempotency_key text COLLATE "C" NOT NULL,    -- The idempotency key of the report.
  reported_on date NOT NULL,    -- The date of the report in UTC.
  metric text NOT NULL,    -- The metric that was reported.
  target_key text NOT NULL,    -- The key of the target. Empty if there is none.
  value bigint NOT NULL,    -- The value that was reported.
  mode text NOT NULL,    -- set or add.
  CONSTRAINT report_once PRIMARY KEY (user_id, idempotency_key, reported_on),
  CONSTRAINT report_mode CHECK (mode = ANY (ARRAY['set'::text, 'add'::text]))
) PARTITION BY RANGE (reported_on);

CREATE TABLE achievements.report_default PARTITION OF achievements.report DEFAULT;

-- The unlocks of each achievement, without those in uncounted.
CREATE TABLE achievements.total (
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  unlocks bigint NOT NULL,    -- The number of counted unlocks.
  CONSTRAINT total_pkey PRIMARY KEY (achievement_id),
  CONSTRAINT total_unlocks CHECK (unlocks > 0)
) WITH (fillfactor=50);

-- Unlocks that total does not include yet.
CREATE TABLE achievements.uncounted (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order of the unlocks.
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  CONSTRAINT uncounted_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

-- Achievements that people have unlocked permanently.
CREATE TABLE achievements.unlock (
  user_id bigint NOT NULL,    -- The person who unlocked the achievement.
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  -- The time of the report or definition that unlocked the achievement.
  unlocked_at timestamp with time zone NOT NULL,
  reward bigint NOT NULL,    -- The points that the unlock added.
  is_announced boolean NOT NULL,    -- Whether the event of the unlock was written.
  CONSTRAINT unlock_once PRIMARY KEY (user_id, achievement_id),
  CONSTRAINT unlock_reward CHECK (reward >= 0)
);
CREATE INDEX unlock_to_announce ON achievements.unlock (user_id) WHERE NOT is_announced;

-- Log-ins of people, linked to their identities in the other schemas. Times are real.
CREATE SCHEMA accounts;

-- People who log in.
CREATE TABLE accounts.account (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text COLLATE "C" NOT NULL,
  username text COLLATE "C",    -- The person's name in seasons.
  display_name text NOT NULL,
  password_hash text,    -- The hash of the password with its parameters. Null if no password was set.
  athlete_id bigint,
  runner_id bigint,
  reader_id bigint,
  checkin_id text COLLATE "C",    -- The person's name in checkins.
  roles text[] NOT NULL DEFAULT '{}'::text[],
  epoch bigint NOT NULL DEFAULT 1,    -- Incremented to revoke all tokens that were issued earlier.
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  -- When a one-time link of this account was first used. Null if none was; the address is unverified until then.
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

-- Failed log-ins by name, whether or not an account with the name exists.
CREATE TABLE accounts.attempt (
  name_digest bytea NOT NULL,    -- The SHA-256 of the address or username in lower case.
  addresses text[] NOT NULL,    -- The callers' addresses, oldest first. failed_at contains their times.
  failed_at timestamp with time zone[] NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT attempt_pkey PRIMARY KEY (name_digest),
  CONSTRAINT attempt_limit CHECK (cardinality(addresses) = cardinality(failed_at) AND cardinality(failed_at) >= 1 AND
    cardinality(failed_at) <= 100)
);
CREATE INDEX attempt_by_age ON accounts.attempt (last_at);

-- Addresses from which a name has logged in within the last 30 days, at most five for each.
CREATE TABLE accounts.known_address (
  name_digest bytea NOT NULL,    -- The SHA-256 of the address or username in lower case.
  address text COLLATE "C" NOT NULL,    -- An IPv4 address, or the /64 of an IPv6 address.
  -- When the name last logged in from the address, by the wall clock.
  logged_in_at timestamp with time zone NOT NULL,
  CONSTRAINT known_address_pkey PRIMARY KEY (name_digest, address)
);
CREATE INDEX known_address_by_age ON accounts.known_address (logged_in_at);

-- Tokens that allow a person to set a password once.
CREATE TABLE accounts.one_time_token (
  digest bytea NOT NULL,    -- The SHA-256 of the token.
  account_id bigint NOT NULL,
  kind text NOT NULL,    -- set-password if an operator created it, or reset if the person requested it.
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT one_time_token_pkey PRIMARY KEY (digest),
  CONSTRAINT one_time_token_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT one_time_token_kind CHECK (kind = ANY (ARRAY['set-password'::text, 'reset'::text]))
);
CREATE INDEX one_time_token_by_end ON accounts.one_time_token (expires_at);
CREATE INDEX one_time_token_of_account ON accounts.one_time_token (account_id);

-- The functions that the gateway calls, and its stored responses.
CREATE SCHEMA gateway;

-- Responses to requests with an Idempotency-Key, kept for 30 days.
CREATE TABLE gateway.answer (
  digest bytea NOT NULL,    -- The SHA-256 of the scope and the idempotency key.
  caller text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,    -- The fingerprint of the request's text, which distinguishes it from other requests.
  -- The response. Null until the transaction of the request has one; other transactions do not see the row before that.
  answer jsonb,
  at timestamp with time zone NOT NULL,
  -- The fingerprint of the value that the request writes: members by name, numbers by value. Null if an earlier release
  -- wrote the row.
  value_fingerprint text,
  CONSTRAINT answer_pkey PRIMARY KEY (digest),
  CONSTRAINT answer_caller CHECK (length(caller) >= 1 AND length(caller) <= 200),
  CONSTRAINT answer_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT answer_fingerprint CHECK (length(fingerprint) >= 1 AND length(fingerprint) <= 200),
  CONSTRAINT answer_value_fingerprint CHECK (length(value_fingerprint) >= 1 AND length(value_fingerprint) <= 200)
);
CREATE INDEX answer_by_age ON gateway.answer (at);
CREATE INDEX answer_of_caller ON gateway.answer (caller, at DESC);

-- The people behind callers with stored responses. A row whose caller has none is deleted after a month.
CREATE TABLE gateway.caller_person (
  person text COLLATE "C" NOT NULL,    -- The person in a form such as account:17, athlete:42 or username:coach.
  caller text COLLATE "C" NOT NULL,    -- The caller as in gateway.answer.
  -- A real time, at most a day before the caller's latest stored response.
  seen_at timestamp with time zone NOT NULL,
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
