-- Today's tables: SQL that makes them in an empty database. For readers: only a test runs it.
-- Generated from a migrated database, never edited: sql/README.md has the command. Functions, views: sql/functions.

-- The engine: clock, settings, schedules, failures, events, nodes and audit. It depends on no other schema.
CREATE SCHEMA settled;

-- One row per mutating command. Rows change only when a person is erased.
CREATE TABLE settled.audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The command's sequence number.
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- When the command ran, by the wall clock.
  node text NOT NULL,    -- The node that ran the command.
  uid bigint NOT NULL,    -- The caller's user id, as reported by the kernel.
  gid bigint NOT NULL,    -- The caller's group id, as reported by the kernel.
  pid bigint NOT NULL,    -- The caller's process id, as reported by the kernel.
  command text NOT NULL,    -- The command's name, such as race.cancel.
  target text NOT NULL,    -- The object that the command changed, such as a race id.
  before jsonb NOT NULL,    -- The state before the command.
  after jsonb NOT NULL,    -- The state after the command.
  reason text,    -- The operator's reason. Null if none was given.
  request_id text,    -- The command's request id. Null if none was given.
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_of_setting ON settled.audit (target COLLATE "C", id) WHERE command = 'set'::text;

-- External calls made by all nodes, per budget and window length.
CREATE TABLE settled.call_window (
  budget text COLLATE "C" NOT NULL,    -- The name of the budget.
  seconds bigint NOT NULL,    -- The window length in seconds.
  -- The start of the window, by the wall clock. Windows begin at multiples of their length since the Unix epoch.
  started_at timestamp with time zone NOT NULL,
  used bigint NOT NULL DEFAULT 0,    -- The number of calls used in the window.
  told_limit bigint,    -- The limit that the provider reported, which overrides the setting. Null if none was reported.
  used_with_reserve bigint NOT NULL DEFAULT 0,    -- The number of calls that were allowed to use the window's reserve.
  short_at timestamp with time zone,    -- When a caller last requested more calls than remained. Null if never.
  CONSTRAINT call_window_pkey PRIMARY KEY (budget, seconds),
  CONSTRAINT call_window_length CHECK (seconds > 0),
  CONSTRAINT call_window_told CHECK (told_limit >= 0),
  CONSTRAINT call_window_used CHECK (used >= 0),
  CONSTRAINT call_window_used_with_reserve CHECK (used_with_reserve >= 0 AND used_with_reserve <= used)
);

-- One row: the clock differences that operators have accepted.
CREATE TABLE settled.clock_acceptance (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  generation bigint NOT NULL DEFAULT 0,    -- How many times operators have accepted a difference.
  accepted_milliseconds bigint NOT NULL DEFAULT 0,    -- The sum of the accepted differences.
  baselines bigint NOT NULL DEFAULT 0,    -- The number of baselines established.
  CONSTRAINT clock_acceptance_pkey PRIMARY KEY (only_row),
  CONSTRAINT clock_acceptance_only_row CHECK (only_row)
);

-- The database's clock and each node's boot clock, read when both were last known to be correct.
CREATE TABLE settled.clock_baseline (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  boot_id text NOT NULL,    -- The machine's boot id when the boot clock was read.
  boot_microseconds bigint NOT NULL,    -- The node's boot clock at the baseline, in microseconds.
  database_at timestamp with time zone NOT NULL,    -- The database's clock at the baseline.
  established bigint NOT NULL DEFAULT 0,    -- The baseline's number, counted across all nodes.
  agreed bigint NOT NULL DEFAULT 0,    -- The number of baselines that existed when the node last saw the clocks agree.
  acceptances bigint NOT NULL DEFAULT 0,    -- The generation of clock_acceptance that the node last read.
  -- The accepted_milliseconds of clock_acceptance that the node last read.
  accepted_milliseconds bigint NOT NULL DEFAULT 0,
  -- How far the node's wall clock may lag behind the database, in milliseconds.
  host_milliseconds bigint NOT NULL DEFAULT 0,
  CONSTRAINT clock_baseline_pkey PRIMARY KEY (node)
);

-- Nodes that have seen the database's clock jump. A row that is neither lifted nor accepted stops all settlement.
CREATE TABLE settled.clock_hold (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  since timestamp with time zone NOT NULL,    -- When the node first saw the jump.
  -- The jump in milliseconds: the difference between the database's clock and the expected time.
  difference_milliseconds bigint NOT NULL,
  boot_id text NOT NULL DEFAULT ''::text,    -- The machine's boot id when the node saw the jump. Empty if unknown.
  agreed bigint NOT NULL DEFAULT 0,    -- The number of baselines that existed when the node last saw the clocks agree.
  lifted boolean NOT NULL,    -- Whether another node has seen the clocks agree. If so, the row stops only its own node.
  -- Whether an operator has accepted the difference. If so, the row does not stop any node and is deleted by the node
  -- that wrote it.
  accepted boolean NOT NULL,
  CONSTRAINT clock_hold_pkey PRIMARY KEY (node)
);

-- Numbered events. Readers receive them in order of position.
CREATE TABLE settled.event (
  position bigint NOT NULL,    -- The event's position: epoch * 10^15 + number.
  topic text NOT NULL,    -- The kind of event, for example race.settled.
  key text NOT NULL,    -- The id of the object that the event concerns, as text.
  payload jsonb NOT NULL,    -- The event's data. Its keys are in camelCase.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the change.
  CONSTRAINT event_pkey PRIMARY KEY ("position")
) PARTITION BY RANGE ("position");

-- Closed default partitions of the event table. Each is kept for the retention period after closed_at.
CREATE TABLE settled.event_closing (
  through bigint NOT NULL,    -- The last position in the partition.
  closed_at timestamp with time zone NOT NULL,    -- When the partition was closed.
  CONSTRAINT event_closing_pkey PRIMARY KEY (through)
);

-- One row. Transactions lock it to number events in order.
CREATE TABLE settled.event_counter (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  last_position bigint NOT NULL DEFAULT 0,    -- The latest position. 0 if no event has been numbered.
  -- The last position that was pruned. A reader at an earlier position has missed events.
  pruned_through bigint NOT NULL DEFAULT 0,
  CONSTRAINT event_counter_pkey PRIMARY KEY (only_row),
  CONSTRAINT event_counter_only_row CHECK (only_row),
  CONSTRAINT event_counter_order CHECK (pruned_through >= 0 AND pruned_through <= last_position)
);

CREATE TABLE settled.event_default PARTITION OF settled.event DEFAULT;

-- The epochs of event positions. The newest one applies to the next event.
CREATE TABLE settled.event_epoch (
  epoch bigint NOT NULL,    -- The epoch's number. A position is epoch * 10^15 + number.
  -- The number of the epoch's first event. Numbers continue from one epoch to the next.
  first_number bigint NOT NULL,
  -- The cluster, database and timeline in which the epoch's events were numbered. Null until the first event.
  history text,
  CONSTRAINT event_epoch_pkey PRIMARY KEY (epoch),
  CONSTRAINT event_epoch_number CHECK (first_number >= 1 AND first_number <= '999999999999999'::bigint),
  CONSTRAINT event_epoch_range CHECK (epoch >= 0 AND epoch <= 9222)
);

-- Events without a position. A node numbers them after their transactions commit.
CREATE TABLE settled.event_pending (
  -- A sequence number, in the order in which the events were written.
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,    -- The kind of event, for example race.settled.
  key text NOT NULL,    -- The id of the object that the event concerns, as text.
  payload jsonb NOT NULL,    -- The event's data. Its keys are in camelCase.
  occurred_at timestamp with time zone NOT NULL,    -- The business time of the change.
  CONSTRAINT event_pending_pkey PRIMARY KEY (id)
);

-- Job items that have failed and have not succeeded since. Times are by the wall clock.
CREATE TABLE settled.failure (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The failure's id.
  job text COLLATE "C" NOT NULL,    -- The job's name.
  key text COLLATE "C" NOT NULL,    -- The item's key, in the format that its job uses.
  attempts integer NOT NULL,    -- The number of failed attempts since the last success.
  first_at timestamp with time zone NOT NULL,    -- When the first attempt since the last success failed.
  last_at timestamp with time zone NOT NULL,    -- When the latest attempt failed.
  next_attempt_at timestamp with time zone NOT NULL,    -- When the backoff ends.
  quarantined boolean NOT NULL,    -- Whether the item is quarantined until an operator acts.
  dropped_at timestamp with time zone,    -- When an operator dropped the item. Null if it was not dropped.
  dropped_reason text,    -- The operator's reason for dropping the item. Null if it was not dropped.
  sql_state text,    -- The SQLSTATE of the latest failure. Null if the database reported none.
  error text NOT NULL,    -- The latest failure's error message.
  CONSTRAINT failure_pkey PRIMARY KEY (id),
  CONSTRAINT failure_item UNIQUE (job, key),
  CONSTRAINT failure_attempts CHECK (attempts >= 0),
  CONSTRAINT failure_dropped CHECK ((dropped_at IS NULL) = (dropped_reason IS NULL))
);
CREATE INDEX failure_listed ON settled.failure (quarantined, id);

-- The most recently applied functions, as one script.
CREATE TABLE settled.function_script (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  checksum text NOT NULL,    -- The SHA-256 of the script, in hexadecimal.
  roles text NOT NULL,    -- The settled roles that existed when the script was applied. A new role requires new grants.
  applied_at timestamp with time zone NOT NULL,    -- When the script was applied, by the wall clock.
  -- The release number in sql/functions/0-release.sql. 0 if the functions predate release numbers.
  release integer NOT NULL DEFAULT 0,
  CONSTRAINT function_script_pkey PRIMARY KEY (only_row),
  CONSTRAINT function_script_only_row_check CHECK (only_row)
);

-- The rights that the last migration granted. The settlectl doctor command compares them with the current rights.
CREATE TABLE settled.granted_right (
  namespace text COLLATE "C" NOT NULL,    -- The schema of the object.
  object text COLLATE "C" NOT NULL,    -- The object as GRANT names it, such as TABLE racing.race.
  role text COLLATE "C" NOT NULL,    -- The role that has the right.
  privilege text COLLATE "C" NOT NULL,    -- The privilege as GRANT names it, including the column if there is one.
  CONSTRAINT granted_right_pkey PRIMARY KEY (namespace, object, role, privilege)
);

-- One row: this database's kind and identity.
CREATE TABLE settled.installation (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  simulated boolean NOT NULL,    -- Whether the database has a simulated clock.
  clock_base timestamp with time zone,    -- The simulated time that was last set. Null if the clock is real.
  clock_set_at timestamp with time zone,    -- When clock_base was set, by the wall clock. Null if the clock is real.
  -- Whether the simulated clock runs from clock_base. If false, the clock is stopped.
  clock_running boolean NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),    -- The identity that lets nodes recognise the database after a restore.
  home text,    -- The cluster and database in which the installation runs. Null until the first daemon starts.
  CONSTRAINT installation_pkey PRIMARY KEY (only_row),
  CONSTRAINT installation_only_row CHECK (only_row),
  CONSTRAINT installation_real_clock_runs CHECK (simulated OR NOT clock_running),
  CONSTRAINT installation_simulated_clock CHECK (simulated = (clock_base IS NOT NULL AND clock_set_at IS NOT NULL))
);

-- Jobs that operators have paused or resumed.
CREATE TABLE settled.job (
  name text COLLATE "C" NOT NULL,    -- The name of the job.
  paused boolean NOT NULL,    -- Whether the job is paused.
  CONSTRAINT job_pkey PRIMARY KEY (name)
);

-- Items of leased jobs that nodes are processing. Another node takes over a lease if the lease's generation stays
-- unchanged for long enough.
CREATE TABLE settled.lease (
  job text COLLATE "C" NOT NULL,    -- The name of the job.
  key text COLLATE "C" NOT NULL,    -- The item's key, in the format that its job uses.
  owner text NOT NULL,    -- The node process that owns the lease. A restarted node is a different owner.
  -- The lease's generation. Generations are never reused.
  generation bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  taken_at timestamp with time zone NOT NULL,    -- When the lease was taken, by the wall clock.
  CONSTRAINT lease_pkey PRIMARY KEY (job, key)
);

-- The applied migrations, recorded by settled migrate.
CREATE TABLE settled.migration (
  number integer NOT NULL,    -- The number at the start of the file name.
  name text NOT NULL,    -- The file name.
  checksum text NOT NULL,    -- The SHA-256 of the file, in hexadecimal.
  breaking boolean NOT NULL,    -- Whether programs that predate this migration cannot work with the database.
  -- When the migration was applied, by the wall clock.
  applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT migration_pkey PRIMARY KEY (number)
);

-- Nodes of the cluster. Times are by the wall clock.
CREATE TABLE settled.node (
  node text COLLATE "C" NOT NULL,    -- The name of the node.
  version text NOT NULL,    -- The version of the program that the node runs.
  started_at timestamp with time zone NOT NULL,    -- When the node started.
  last_seen_at timestamp with time zone NOT NULL,    -- The node's latest heartbeat.
  state text NOT NULL,    -- ready, degraded, draining, stopped or gone.
  -- Whether the node requests notifications. Writers send them only on request, because NOTIFY serialises commits.
  -- Formerly named asleep.
  needs_notify boolean NOT NULL,
  backend_pid integer,    -- The process ID of the session that owns the node's name. Null if there is no such session.
  -- When the session in backend_pid started. Null if there is no such session.
  backend_start timestamp with time zone,
  -- The role of the session in backend_pid. The role determines whether other sessions can see backend_start. Null if
  -- there is no such session.
  backend_role oid,
  -- The node's heartbeat count. If the node remembers a higher count, the database has lost commits.
  beats bigint NOT NULL DEFAULT 0,
  -- Whether the node is configured to call the activity provider. Null if the node's release predates this column.
  has_provider boolean,
  CONSTRAINT node_pkey PRIMARY KEY (node),
  CONSTRAINT node_backend CHECK ((backend_pid IS NULL) = (backend_start IS NULL) AND (backend_pid IS NULL) =
    (backend_role IS NULL)),
  CONSTRAINT node_state CHECK (state = ANY (ARRAY['ready'::text, 'degraded'::text, 'draining'::text, 'gone'::text,
    'stopped'::text]))
);

-- The ledger of ticks. Each tick has one row.
CREATE TABLE settled.occurrence (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- A sequence number, in the order in which the rows were planned.
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  instant timestamp with time zone NOT NULL,    -- The time of the tick.
  status text NOT NULL,    -- planned, running, ran, skipped, coalesced or failed.
  reason text,    -- Why the tick did not run, or why the run failed. Null if neither applies.
  backfilled boolean NOT NULL,    -- Whether an operator backfilled the tick.
  planned_at timestamp with time zone NOT NULL,    -- When the row was planned.
  due_at timestamp with time zone NOT NULL,    -- The instant plus the schedule's splay.
  started_at timestamp with time zone,    -- The business time at which the run began. Null if it has not begun.
  -- The business time at which the tick reached its final status. Null if the status is not final.
  finished_at timestamp with time zone,
  node text,    -- The node that last claimed the run. Null if no node has claimed it.
  -- When the run was last claimed, by the wall clock. Null if it was never claimed.
  claimed_at timestamp with time zone,
  rows bigint,    -- The number that the run returned. Null if the run did not return one.
  attempts integer NOT NULL DEFAULT 0,    -- How many times the run was started.
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

-- Open problems. The health and status commands report them until they are resolved.
CREATE TABLE settled.problem (
  name text COLLATE "C" NOT NULL,    -- The source of the problem: ledger or schedule NAME.
  problem text NOT NULL,    -- A description of the problem.
  since timestamp with time zone NOT NULL,    -- When the problem was detected.
  CONSTRAINT problem_pkey PRIMARY KEY (name)
);

-- Responses to commands that have a request id. Repeating a command returns the stored response.
CREATE TABLE settled.request (
  uid bigint NOT NULL,    -- The caller's user id.
  request_id text COLLATE "C" NOT NULL,    -- The request id that the caller sent with the command.
  request text NOT NULL,    -- A hash of the command and its parameters.
  answer jsonb NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),    -- When the command ran, by the wall clock.
  CONSTRAINT request_once PRIMARY KEY (uid, request_id)
);

-- Findings that the database was restored to an earlier state than a node remembers. Times are by the wall clock.
CREATE TABLE settled.restoration (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The finding's id.
  node text COLLATE "C" NOT NULL,    -- The node that detected the restore.
  found_at timestamp with time zone NOT NULL,    -- When the node detected the restore.
  timeline bigint NOT NULL,    -- The server's timeline when the restore was detected.
  finding text NOT NULL,    -- A description of the finding.
  jobs text[] NOT NULL,    -- The jobs that remain stopped until an operator accepts the finding.
  accepted_at timestamp with time zone,    -- When an operator accepted the finding. Null if none has.
  CONSTRAINT restoration_pkey PRIMARY KEY (id),
  CONSTRAINT restoration_timeline CHECK (timeline > 0)
);
CREATE UNIQUE INDEX restoration_open ON settled.restoration (node) WHERE accepted_at IS NULL;

-- Tables whose monthly partitions are created and dropped by the history-pruning job. Each module's retention.sql
-- inserts its rows.
CREATE TABLE settled.retention (
  schema_name text COLLATE "C" NOT NULL,    -- The schema of the table.
  table_name text COLLATE "C" NOT NULL,    -- The name of the table.
  column_name text NOT NULL,    -- The partition key, which is a date or an instant.
  setting text NOT NULL,    -- The setting that defines how long rows are kept.
  CONSTRAINT retention_pkey PRIMARY KEY (schema_name, table_name)
);

-- Planned and running occurrences. A run is dead if its claimed row has not been locked for 2 seconds.
CREATE TABLE settled.run (
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  instant timestamp with time zone NOT NULL,    -- The time of the tick.
  due_at timestamp with time zone NOT NULL,    -- The instant plus the schedule's splay.
  is_own boolean NOT NULL,    -- Whether the run belongs to a built-in schedule.
  is_first boolean NOT NULL,    -- Whether this is the schedule's current or next run.
  started_at timestamp with time zone,    -- When the run began, in business time. Null if it has not begun.
  -- When the run was claimed, by the wall clock. Null if it has not been claimed.
  claimed_at timestamp with time zone,
  backend integer,    -- The process id of the session that is executing an operator's function. Null if there is none.
  CONSTRAINT run_once PRIMARY KEY (schedule, instant),
  CONSTRAINT run_backend CHECK (backend IS NULL OR claimed_at IS NOT NULL),
  CONSTRAINT run_claimed CHECK ((claimed_at IS NULL) = (started_at IS NULL) AND (claimed_at IS NULL OR is_first))
);
CREATE UNIQUE INDEX run_first ON settled.run (schedule) WHERE is_first;
CREATE INDEX run_next ON settled.run (is_own, due_at) WHERE is_first AND claimed_at IS NULL;
CREATE INDEX run_under_way ON settled.run (backend) WHERE claimed_at IS NOT NULL;

-- The current definitions of the schedules.
CREATE TABLE settled.schedule (
  name text COLLATE "C" NOT NULL,    -- The name of the schedule.
  cron text,    -- The cron expression. Null if the schedule's only tick is in the at column.
  at timestamp with time zone,    -- The schedule's only tick. Null if the schedule has a cron expression.
  zone text NOT NULL,    -- The time zone of the cron expression.
  call text,    -- The function to call, as schema.function(). Null for a built-in schedule.
  missed text NOT NULL,    -- The policy for missed ticks: skip, once or all.
  runs_max integer,    -- If missed is all, the maximum number of missed ticks to run. Otherwise null.
  within interval,    -- If missed is all, the maximum age of a missed tick to run. Otherwise null.
  timeout interval NOT NULL,    -- The maximum duration of a run.
  splay interval NOT NULL,    -- The delay between a tick and its run's due time.
  paused boolean NOT NULL,    -- Whether the schedule is paused.
  cursor_at timestamp with time zone NOT NULL,    -- The instant up to which every tick has a row in occurrence.
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

-- The definitions of each schedule over time. A definition applies to ticks after valid_from, up to and including
-- valid_to.
CREATE TABLE settled.schedule_period (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The period's id.
  schedule text COLLATE "C" NOT NULL,    -- The name of the schedule.
  cron text,    -- The cron expression. Null if the schedule's only tick was in the at column.
  at timestamp with time zone,    -- The schedule's only tick. Null if the schedule had a cron expression.
  zone text NOT NULL,    -- The time zone of the cron expression.
  valid_from timestamp with time zone NOT NULL,    -- The instant after which the definition applies.
  -- The last instant to which the definition applies. Null for the current definition.
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
  kind text NOT NULL,    -- The type of the value: whole, percent, span, spans, retention, shares, switch, url or zone.
  default_value text NOT NULL,    -- The default value, which applies if value is null.
  value text,    -- The value set by an operator. Null if default_value applies.
  low numeric,    -- The lowest allowed value, in seconds for a span. Null if there is no limit.
  high numeric,    -- The highest allowed value, in seconds for a span. Null if there is no limit.
  meaning text NOT NULL,    -- A description of the setting.
  CONSTRAINT setting_pkey PRIMARY KEY (key),
  CONSTRAINT setting_kind CHECK (kind = ANY (ARRAY['span'::text, 'spans'::text, 'percent'::text, 'shares'::text,
    'whole'::text, 'zone'::text, 'retention'::text, 'switch'::text, 'url'::text]))
);

-- The time zones that people and settings can use. Each run of settled migrate adds names from the server's tz data.
CREATE TABLE settled.time_zone (
  name text COLLATE "C" NOT NULL,    -- An IANA name, such as Europe/London.
  CONSTRAINT time_zone_pkey PRIMARY KEY (name)
);

-- The future UTC offsets of each time zone in use. A difference from the current offsets indicates new tz data.
CREATE TABLE settled.zone_future (
  zone text COLLATE "C" NOT NULL,    -- The name of the time zone.
  known_from timestamp with time zone NOT NULL,    -- The instant from which the offsets are known.
  -- The spans with a constant offset, as [[start, offset], ...]. start is a Unix time, and both are in seconds.
  offsets jsonb NOT NULL,
  -- When a session read the offsets, by the server's wall clock. Readings from older sessions are ignored.
  read_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT zone_future_pkey PRIMARY KEY (zone)
);

-- Connections to the activity provider: tokens, calls and imports.
CREATE SCHEMA strava;

-- Access tokens in plaintext, because SQL cannot unseal sealed values. Only strava.access_token reads them.
CREATE TABLE strava.access (
  athlete_id bigint NOT NULL,
  token text NOT NULL,
  CONSTRAINT access_pkey PRIMARY KEY (athlete_id)
);

-- One row: the functions that another module has registered to manage provider accounts. Only the schema's owner writes
-- to this table.
CREATE TABLE strava.account_keeper (
  is_it boolean NOT NULL DEFAULT true,
  -- The function's signature, such as f.g(bigint, bigint). Unlike object ids, signatures survive a dump.
  claim text NOT NULL,
  keep_gender text NOT NULL,
  CONSTRAINT account_keeper_pkey PRIMARY KEY (is_it),
  CONSTRAINT account_keeper_one CHECK (is_it)
);

-- The number of failed calls per class since installation.
CREATE TABLE strava.call_error (
  class text COLLATE "C" NOT NULL,    -- The failure class.
  count bigint NOT NULL,    -- The number of failed calls in this class.
  last_at timestamp with time zone NOT NULL,    -- When a call last failed in this class.
  CONSTRAINT call_error_pkey PRIMARY KEY (class)
);

-- Athletes' connections to the provider.
CREATE TABLE strava.connection (
  athlete_id bigint NOT NULL,    -- The athlete's id in racing.
  status text COLLATE "C" NOT NULL,    -- connecting, active, needs_reauth or revoked.
  missing_scopes text[] NOT NULL DEFAULT '{}'::text[],    -- The required scopes that the athlete has not granted.
  changed_at timestamp with time zone NOT NULL,    -- When the status last changed.
  provider_athlete_id bigint,    -- The athlete's id at the provider. Null if unknown.
  reason text,    -- Why the athlete must connect again. Null unless the status is needs_reauth.
  -- Incremented when the app connects or disconnects. A late reply is recognised by its lower attempt number.
  attempt bigint NOT NULL DEFAULT 1,
  -- How many times the provider has issued tokens. The count is kept when the tokens are deleted.
  tokens_given bigint NOT NULL DEFAULT 0,
  -- When the access token expires, according to the provider. Null if there is none.
  expires_at timestamp with time zone,
  -- When to exchange the code, refresh the tokens or revoke the connection. Null if no call is needed.
  next_call_at timestamp with time zone,
  -- When tokens were last requested. Requests are at least 15 minutes apart. Null if never.
  refreshed_at timestamp with time zone,
  -- Whether the athlete has entries in races that have not ended. The race_period table lists these races.
  is_in_races boolean NOT NULL,
  -- The expires_at value of the token that the provider refused. Reads wait for a different token. Null if none was
  -- refused.
  refused_expiry timestamp with time zone,
  refused_attempt bigint,    -- The attempt whose new code was refused once and is being retried. Null if there is none.
  -- The latest turns of the athlete's reads in classes 1 to 3.
  read_turns bigint[] NOT NULL DEFAULT '{0,0,0}'::bigint[],
  listed_at timestamp with time zone,    -- When the latest completed listing began. Null if there is none.
  -- The lowest refresh token generation that can settle a hint that the grant has ended. Null if there is no such hint.
  doubted_generation bigint,
  -- The number of consecutive codes that the provider has refused. Each refusal doubles the delay before the next code.
  refused_codes integer NOT NULL DEFAULT 0,
  code_refused_at timestamp with time zone,    -- When a code was last refused. Null if none has been refused.
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

-- Used only by daemons that predate release 8 of the functions. A later release will drop the table.
CREATE TABLE strava.found_activity (
  athlete_id bigint NOT NULL,
  activity_id bigint NOT NULL,
  summary jsonb NOT NULL,    -- The activity without streams, with the keys of racing.import_activity.
  found_at timestamp with time zone NOT NULL,
  -- The instant at which the activity is imported even without its streams.
  until_at timestamp with time zone NOT NULL,
  CONSTRAINT found_activity_pkey PRIMARY KEY (athlete_id, activity_id)
);
CREATE INDEX found_activity_next ON strava.found_activity (found_at);
CREATE INDEX found_activity_until ON strava.found_activity (until_at);

-- The provider's hints: one row per athlete, kind and object, kept for 7 days. Hints are not signed, so each one only
-- triggers a read.
CREATE TABLE strava.hint (
  athlete_id bigint NOT NULL,    -- The athlete to whom the hint refers.
  kind text COLLATE "C" NOT NULL,    -- create, update or delete for an activity; revoke for the athlete.
  object_id bigint NOT NULL,    -- The activity's or athlete's id at the provider.
  -- When the event happened, according to the provider. Never later than received_at.
  event_at timestamp with time zone NOT NULL,
  digest bytea NOT NULL,    -- The SHA-256 of the hint. A repeated hint does not trigger another read.
  received_at timestamp with time zone NOT NULL,    -- When the hint arrived.
  CONSTRAINT hint_pkey PRIMARY KEY (athlete_id, kind, object_id),
  CONSTRAINT hint_kind CHECK (kind = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text, 'revoke'::text]))
);
CREATE INDEX hint_received ON strava.hint (received_at);

-- One row: the functions that another module has registered to evaluate hints. Only the schema's owner writes to this
-- table.
CREATE TABLE strava.hint_taker (
  is_it boolean NOT NULL DEFAULT true,
  -- The function's signature, such as f.g(bigint, bigint). Unlike object ids, signatures survive a dump.
  follows text NOT NULL,
  revoke text NOT NULL,
  CONSTRAINT hint_taker_pkey PRIMARY KEY (is_it),
  CONSTRAINT hint_taker_one CHECK (is_it)
);

-- Used only by daemons that predate release 8 of the functions. A later release will drop the table.
CREATE TABLE strava.import_request (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The request's id.
  athlete_id bigint NOT NULL,    -- The athlete whose activities were requested.
  -- The start of the listing's time range. Activities that started earlier are not listed.
  since timestamp with time zone NOT NULL,
  -- The end of the listing's time range. Activities that started at this instant or later are not listed.
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

-- Unused since release 8 of the functions. A later release will drop the table.
CREATE TABLE strava.importer (
  is_it boolean NOT NULL DEFAULT true,
  wanted text NOT NULL,    -- The signature of the function that chooses activities, such as f.g(jsonb).
  keep text NOT NULL,    -- The signature of the function that imports an activity.
  CONSTRAINT importer_pkey PRIMARY KEY (is_it),
  CONSTRAINT importer_one CHECK (is_it)
);

-- Calls that received no reply but that the provider may have processed: one row per token or code.
CREATE TABLE strava.lost_reply (
  athlete_id bigint NOT NULL,    -- The athlete whose token or code was used.
  kind text COLLATE "C" NOT NULL,    -- code if an authorization code was used, or refresh if a refresh token was used.
  number bigint NOT NULL,    -- The code's attempt number, or the refresh token's generation.
  cause text NOT NULL,    -- wire if the reply was lost, or node if the waiting node stopped or hung.
  lost_at timestamp with time zone NOT NULL,    -- When the loss was detected.
  -- Whether the provider has since refused the token or code. If so, the athlete must connect again.
  is_lost boolean NOT NULL,
  CONSTRAINT lost_reply_pkey PRIMARY KEY (athlete_id, kind, number),
  CONSTRAINT lost_reply_cause CHECK (cause = ANY (ARRAY['wire'::text, 'node'::text])),
  CONSTRAINT lost_reply_kind CHECK (kind = ANY (ARRAY['code'::text, 'refresh'::text]))
);
CREATE INDEX lost_reply_at ON strava.lost_reply (lost_at);

-- One row: the provider's circuit breaker.
CREATE TABLE strava.provider (
  is_it boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  failures_in_row bigint NOT NULL DEFAULT 0,    -- The number of failed calls since the last success.
  open_since timestamp with time zone,    -- When the breaker opened. Null if the breaker is closed.
  open_class text,    -- The class of the failure that opened the breaker. Null if the breaker is closed.
  read_turns bigint[] NOT NULL DEFAULT '{0,0,0}'::bigint[],    -- The current turns of read classes 1 to 3.
  CONSTRAINT provider_pkey PRIMARY KEY (is_it),
  CONSTRAINT provider_one CHECK (is_it),
  CONSTRAINT provider_open CHECK ((open_since IS NULL) = (open_class IS NULL))
);

-- The periods during which an athlete's tokens are refreshed before other athletes' tokens.
CREATE TABLE strava.race_period (
  athlete_id bigint NOT NULL,    -- The athlete who entered the race.
  starts_at timestamp with time zone NOT NULL,    -- When the race starts.
  ends_at timestamp with time zone NOT NULL,    -- When the race ends.
  CONSTRAINT race_period_pkey PRIMARY KEY (athlete_id, ends_at, starts_at)
);

-- The queue of reads that the daemon performs with athletes' access tokens.
CREATE TABLE strava.read_request (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The request's id.
  athlete_id bigint NOT NULL,    -- The athlete whose token is used.
  -- listing for a list of the athlete's activities, activity for one activity, or streams for the streams of one
  -- activity.
  kind text COLLATE "C" NOT NULL,
  activity_id bigint NOT NULL DEFAULT 0,    -- The activity's id at the provider. 0 for a listing.
  -- The priority: 0 for due results, 1 for entrants' claims, 2 for other claims, 3 for hints.
  class integer NOT NULL,
  -- The request's position within its class. In class 0, turns count up from one million times the deadline's Unix
  -- time. In other classes, turns come from the athlete's read_turns.
  turn bigint NOT NULL,
  asked_at timestamp with time zone NOT NULL,    -- When the read was last requested.
  -- The instant until which the request is deferred. infinity if it is deferred until the athlete gets a new token.
  -- Null if the request is queued.
  next_call_at timestamp with time zone,
  until_at timestamp with time zone NOT NULL,    -- When the request expires.
  follows_switch boolean NOT NULL,    -- Whether the request is dropped when strava.import is off.
  -- The start of a listing's time range. Activities that started earlier are not listed. Null for other kinds.
  since timestamp with time zone,
  -- The end of a listing's time range. Activities that started at this instant or later are not listed. Null for other
  -- kinds.
  before timestamp with time zone,
  page integer,    -- The page to read next. Null for kinds other than listing.
  began_at timestamp with time zone,    -- When the listing's first page was claimed. Null if the listing has not begun.
  -- The activity whose streams are to be read, with the keys of racing.import_activity but without streams. Null for
  -- other kinds.
  summary jsonb,
  -- The number of consecutive failures of the read. Failures that affect all athletes do not count.
  failures integer NOT NULL DEFAULT 0,
  -- The provider account that returned the summary. Null if the request has no summary, or if the account is unknown.
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

-- One row: the functions of the module that receives the results of reads.
CREATE TABLE strava.reader (
  is_it boolean NOT NULL DEFAULT true,
  take_listing text NOT NULL,    -- The signature of the function that receives a listing's page.
  take_activity text NOT NULL,    -- The signature of the function that receives one activity.
  take_streams text NOT NULL,    -- The signature of the function that receives an activity with its streams.
  end_read text NOT NULL,    -- The signature of the function that is called when a request expires.
  demand text,    -- The signature of the function that counts the reads for results. Null if there is none.
  CONSTRAINT reader_pkey PRIMARY KEY (is_it),
  CONSTRAINT reader_one CHECK (is_it)
);

-- Sealing keys, named by a prefix of their digest. New secrets are sealed with the key that is not retired.
CREATE TABLE strava.sealing_key (
  key_id text COLLATE "C" NOT NULL,
  began_at timestamp with time zone NOT NULL,
  retired_at timestamp with time zone,
  CONSTRAINT sealing_key_pkey PRIMARY KEY (key_id)
);
CREATE UNIQUE INDEX sealing_key_present ON strava.sealing_key ((true)) WHERE retired_at IS NULL;

-- Sealed authorization codes and refresh tokens.
CREATE TABLE strava.secret (
  kind text COLLATE "C" NOT NULL,
  athlete_id bigint NOT NULL,
  number bigint NOT NULL,    -- The code's attempt number, or the refresh token's tokens_given value.
  key_id text COLLATE "C",    -- The key that sealed the secret. Null if it is not sealed yet.
  secret bytea NOT NULL,
  written_at timestamp with time zone NOT NULL,
  CONSTRAINT secret_pkey PRIMARY KEY (kind, athlete_id),
  CONSTRAINT secret_kind CHECK (kind = ANY (ARRAY['code'::text, 'refresh'::text]))
);
CREATE INDEX secret_key ON strava.secret (key_id, written_at);
CREATE INDEX secret_to_seal ON strava.secret (written_at) WHERE key_id IS NULL;

-- One row: the subscription to the provider's webhooks. Its secrets are stored as digests.
CREATE TABLE strava.subscription (
  is_it boolean NOT NULL DEFAULT true,
  callback text NOT NULL,    -- The base URL through which the provider reaches a gateway.
  path_digest bytea NOT NULL,    -- The SHA-256 of the secret in the path that the provider calls.
  verify_digest bytea NOT NULL,    -- The SHA-256 of the token that the provider sends to verify the path.
  asked_at timestamp with time zone NOT NULL,    -- When the subscription was requested.
  subscription_id bigint,    -- The subscription's id at the provider. Null if the provider has not responded yet.
  -- When the provider confirmed the subscription. Null if the subscription is not confirmed.
  confirmed_at timestamp with time zone,
  CONSTRAINT subscription_pkey PRIMARY KEY (is_it),
  CONSTRAINT subscription_confirmed CHECK ((subscription_id IS NULL) = (confirmed_at IS NULL)),
  CONSTRAINT subscription_digests CHECK (octet_length(path_digest) = 32 AND octet_length(verify_digest) = 32),
  CONSTRAINT subscription_one CHECK (is_it)
);

-- Athletes, races, entries, activities, reviews and the ledger.
CREATE SCHEMA racing;

-- Imported activities and their verdicts. An activity flagged before its validation can be under review without scores.
CREATE TABLE racing.activity (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The activity's id.
  athlete_id bigint NOT NULL,    -- The athlete who recorded the activity.
  strava_id bigint,    -- The activity's id at the provider. Null if proof assigned the id to another athlete.
  name text NOT NULL,    -- The activity's title at the provider.
  -- The provider's activity type. Only activities of type Canoeing or Kayaking can count.
  activity_type text NOT NULL,
  started_at timestamp with time zone NOT NULL,    -- When the activity started.
  elapsed_time numeric NOT NULL,    -- The elapsed time in seconds.
  moving_time numeric NOT NULL,    -- The moving time in seconds.
  distance numeric NOT NULL,    -- The distance in metres.
  max_speed numeric,    -- The top speed in metres per second. Null if unknown.
  start_latitude double precision,    -- The start latitude in degrees. Null if unknown.
  start_longitude double precision,    -- The start longitude in degrees. Null if unknown.
  end_latitude double precision,    -- The end latitude in degrees. Null if unknown.
  end_longitude double precision,    -- The end longitude in degrees. Null if unknown.
  polyline text,    -- The track in the provider's encoding. Null if unknown.
  content_hash bytea NOT NULL,    -- A digest of all imported content. Importing the same content again changes nothing.
  imported_at timestamp with time zone NOT NULL,    -- When the current content was imported.
  status text NOT NULL DEFAULT 'pending'::text,    -- pending, verified, rejected, under_review or disqualified.
  -- Why the activity was rejected: type, gps, uk or provider. Empty if the activity is not rejected.
  reasons text[] NOT NULL DEFAULT '{}'::text[],
  flag_count integer NOT NULL DEFAULT 0,    -- The number of open flags that count.
  flagged_at timestamp with time zone,    -- When the latest flag that counts was added. Null if there is none.
  scored boolean NOT NULL,    -- Whether the scores of the current content are known.
  top_speed_mm_per_s bigint,    -- The top-speed score in millimetres per second. Null if there is none.
  distance_cm bigint,    -- The distance score in centimetres. Null if there is none.
  fastest_1km_ms bigint,    -- The one-kilometre score in milliseconds. Null if there is none.
  fastest_5km_ms bigint,    -- The five-kilometre score in milliseconds. Null if there is none.
  -- The visibility at the provider: everyone, followers_only or only_me. Only activities visible to everyone appear in
  -- other people's lists. Rows that predate this column have the value everyone.
  visibility text NOT NULL DEFAULT 'everyone'::text,
  provider_flagged boolean NOT NULL,    -- Whether the provider has flagged the activity.
  uncounted_flags integer NOT NULL DEFAULT 0,    -- The number of open flags that do not count.
  -- How many times the current measured content has been approved. Each approval doubles the number of flags required
  -- to open a review.
  approvals integer NOT NULL DEFAULT 0,
  is_proved boolean NOT NULL,    -- Whether the provider has confirmed that the activity belongs to its athlete.
  -- The activity's former id at the provider, if proof assigned that id to another athlete. Null otherwise.
  displaced_strava_id bigint,
  -- When the provider first attributed the activity to another athlete, after the activity had counted in a settled
  -- race. Null if never.
  disputed_at timestamp with time zone,
  -- When the provider last returned the activity. Null if the provider has not returned it since the import.
  shown_at timestamp with time zone,
  -- When a read found that the activity had been deleted at the provider. A deleted activity counts only in settlements
  -- that had already counted it. Null if it is not deleted.
  deleted_at timestamp with time zone,
  -- When the name, places, track and streams were erased. Null if they have not been erased.
  forgotten_at timestamp with time zone,
  -- The SHA-256 of the imported streams. It is kept after the streams are erased. Null if the activity had no streams,
  -- or if the digest has not been computed yet.
  streams_digest bytea,
  -- When the provider last returned the activity after it had been deleted. The activity counts in races that were not
  -- yet due at that time. Null if never.
  shown_again_at timestamp with time zone,
  -- The provider account that last returned the activity. Null if none has returned it since this column was added; the
  -- activity can still count.
  proved_by bigint,
  -- The settled races for which the activity was proved too late, although it was claimed in time. The activity never
  -- counts in these races.
  late_for bigint[] NOT NULL DEFAULT '{}'::bigint[],
  -- Whether the activity was proved after a race's due instant, and either differs from its claim or was not claimed in
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

-- Activities' streams, stored separately because they are large.
CREATE TABLE racing.activity_stream (
  activity_id bigint NOT NULL,    -- The activity that the streams belong to.
  times bigint[] NOT NULL,    -- The times in nanoseconds, truncated.
  distances bigint[] NOT NULL,    -- The distances in nanometres, truncated.
  CONSTRAINT activity_stream_pkey PRIMARY KEY (activity_id),
  CONSTRAINT activity_stream_lengths CHECK (cardinality(times) = cardinality(distances)),
  CONSTRAINT activity_stream_limit CHECK (cardinality(times) <= 200000)
);

-- Athletes' profiles.
CREATE TABLE racing.athlete (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The athlete's id.
  display_name text NOT NULL,    -- The name shown to other people.
  date_of_birth date,    -- The date of birth. Null if unknown.
  gender text,    -- female, male or other. Null if unknown.
  user_type text NOT NULL,    -- racer or spectator.
  created_at timestamp with time zone NOT NULL,    -- When the athlete was created.
  updated_at timestamp with time zone,    -- When the profile was last changed. Null if never.
  -- When the athlete was last erased. Later profile changes, payments, entries and connections are refused. Null if the
  -- athlete was never erased.
  erased_at timestamp with time zone,
  -- The gender that the provider last reported while racing.proof was on. Null if the provider has not reported a
  -- gender since this column was added.
  provider_gender text,
  CONSTRAINT athlete_pkey PRIMARY KEY (id),
  CONSTRAINT athlete_display_name CHECK (length(display_name) >= 1 AND length(display_name) <= 10000),
  CONSTRAINT athlete_gender CHECK (gender = ANY (ARRAY['female'::text, 'male'::text, 'other'::text])),
  CONSTRAINT athlete_provider_gender CHECK (provider_gender = ANY (ARRAY['female'::text, 'male'::text])),
  CONSTRAINT athlete_user_type CHECK (user_type = ANY (ARRAY['racer'::text, 'spectator'::text]))
);
CREATE INDEX athlete_of_two_genders ON racing.athlete (id) WHERE provider_gender <> gender;

-- One row: the end of the hash chain. Transactions that extend the chain lock the row.
CREATE TABLE racing.chain_head (
  only_row boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  position bigint NOT NULL DEFAULT 0,    -- The last link's position. 0 if the chain is empty.
  hash bytea NOT NULL DEFAULT '\x'::bytea,    -- The last link's hash. Empty if the chain is empty.
  newest_journal bigint NOT NULL DEFAULT 0,    -- The highest journal id in the chain.
  CONSTRAINT chain_head_pkey PRIMARY KEY (only_row),
  CONSTRAINT chain_head_only_row CHECK (only_row),
  CONSTRAINT chain_head_position CHECK ("position" >= 0 AND ("position" = 0) = (hash = '\x'::bytea))
);

-- The hash chain over the journals, in the order in which committed journals were found.
CREATE TABLE racing.chain_link (
  position bigint NOT NULL,    -- The position in the chain. Positions start at 1 and have no gaps.
  journal_id bigint NOT NULL,    -- The journal that the link covers.
  hash bytea NOT NULL,    -- The hash of the previous link's hash, the journal and its postings.
  CONSTRAINT chain_link_pkey PRIMARY KEY ("position"),
  CONSTRAINT chain_link_once UNIQUE (journal_id),
  CONSTRAINT chain_link_hash CHECK (length(hash) = 32),
  CONSTRAINT chain_link_position CHECK ("position" > 0)
);

-- Activities that athletes have claimed but that the provider has not confirmed. When a claim is proved, it is replaced
-- by an activity with the same id.
CREATE TABLE racing.claim (
  -- The claim's id, from the id sequence of racing.activity.
  id bigint NOT NULL DEFAULT nextval('racing.activity_id_seq'::regclass),
  athlete_id bigint NOT NULL,    -- The athlete who claimed the activity.
  -- The claimed activity's id at the provider. Several athletes can claim the same activity.
  strava_id bigint NOT NULL,
  -- The claimed start. The claim applies to races whose windows contain this instant.
  started_at timestamp with time zone NOT NULL,
  -- When the claim was made. If the claim's account proves the activity, this time becomes the activity's import time.
  claimed_at timestamp with time zone NOT NULL,
  until_at timestamp with time zone NOT NULL,    -- When the daemon stops querying the provider for the activity.
  -- The submitted values without streams, in the format of an import. Only the claim's athlete can see them.
  content jsonb NOT NULL,
  -- Why the claim was rejected, or scope if the claim is open and the connection lacks the scope needed to read the
  -- activity. Null otherwise.
  reason text,
  rejected_at timestamp with time zone,    -- When the claim was rejected. Null if the claim is open.
  -- When the provider last returned the activity for the claiming athlete and the activity's streams were requested.
  -- Null if never.
  shown_at timestamp with time zone,
  -- The provider account with which the athlete was connected when the claim was made. Null if the provider had not
  -- named one.
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

-- How many authorization codes each athlete sent through the gateway on the latest day.
CREATE TABLE racing.code_day (
  athlete_id bigint NOT NULL,
  day date NOT NULL,    -- The date in the time zone set by racing.time_zone.
  codes integer NOT NULL,
  CONSTRAINT code_day_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT code_day_codes CHECK (codes > 0)
);

-- Reviewers' decisions, which are kept forever. A review can have several requests for information, but only one final
-- decision.
CREATE TABLE racing.decision (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The decision's sequence number.
  review_id bigint NOT NULL,    -- The review that the decision belongs to.
  activity_id bigint NOT NULL,    -- The reviewed activity.
  decision text NOT NULL,    -- approve, disqualify or request_info.
  reviewer text NOT NULL,    -- The reviewer's name, as sent by the app or the operator.
  note text NOT NULL,    -- The reviewer's note. Empty if there is none.
  decided_at timestamp with time zone NOT NULL,    -- When the decision was made.
  -- The digest of the measured content that was approved. Null for other decisions, and for approvals made by an
  -- earlier release.
  measured_hash bytea,
  saw_scores boolean NOT NULL,    -- Whether the activity had scores when it was approved.
  -- Whether an administrator overruled an earlier decision. Moderators cannot decide again until the activity's content
  -- changes.
  is_overruling boolean NOT NULL,
  -- The reviewer's athlete. Null for operators, for apps without athletes, and for decisions that predate this column.
  reviewer_athlete bigint,
  -- Whether a request for information removed a verified activity from its races. If so, the reviewer is treated as
  -- having judged the activity.
  took_verified boolean NOT NULL,
  CONSTRAINT decision_pkey PRIMARY KEY (id),
  CONSTRAINT decision_decision CHECK (decision = ANY (ARRAY['approve'::text, 'disqualify'::text, 'request_info'::text]))
);
CREATE UNIQUE INDEX decision_final ON racing.decision (review_id) WHERE decision <> 'request_info'::text;
CREATE INDEX decision_of_activity ON racing.decision (activity_id, id);
CREATE INDEX decision_of_reviewer ON racing.decision (reviewer_athlete, activity_id) WHERE reviewer_athlete IS NOT NULL
  AND (decision <> 'request_info'::text OR took_verified);

-- Deleted activities whose names, places, tracks and streams are still stored.
CREATE TABLE racing.deletion (
  activity_id bigint NOT NULL,    -- The deleted activity.
  forget_at timestamp with time zone NOT NULL,    -- When the activity's data is due to be erased.
  CONSTRAINT deletion_pkey PRIMARY KEY (activity_id)
);
CREATE INDEX deletion_due ON racing.deletion (forget_at);

-- Provider accounts with which athletes have entered races. No other athlete can connect with such an account. Erasing
-- an athlete deletes the athlete's rows.
CREATE TABLE racing.entered_account (
  provider_athlete_id bigint NOT NULL,    -- The account's id at the provider.
  athlete_id bigint NOT NULL,    -- The athlete who entered with the account.
  CONSTRAINT entered_account_pkey PRIMARY KEY (provider_athlete_id)
);
CREATE INDEX entered_account_athlete ON racing.entered_account (athlete_id);

-- Athletes' race entries and their latest results.
CREATE TABLE racing.entry (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The entry's id.
  race_id bigint NOT NULL,    -- The race that the athlete entered.
  athlete_id bigint NOT NULL,    -- The athlete who entered.
  fee_pence bigint NOT NULL,    -- The entry fee in pence.
  status text NOT NULL DEFAULT 'entered'::text,    -- entered, completed, disqualified or refunded.
  entered_at timestamp with time zone NOT NULL,    -- When the athlete entered.
  activity_id bigint,    -- The activity that the settlement counted. Null if there is none.
  score bigint,    -- The score that the settlement counted, in the unit of the race's type. Null if there is none.
  rank integer,    -- The rank among all entries. Tied entries share a rank. Null if there is none.
  prize_pence bigint NOT NULL DEFAULT 0,    -- The prize from the latest settlement, in pence.
  -- The disqualified activity that caused the entry to be disqualified. In a settled race, the entry's status changes
  -- when the race is corrected. Null if there is none.
  disqualified_by bigint,
  is_refunded boolean NOT NULL,    -- Whether the fee was refunded.
  -- How many times the fee was charged again after a refund, before the settlement. The journal keys of the refunds and
  -- charges contain this number.
  reinstatement_count integer NOT NULL DEFAULT 0,
  -- When a listing of the athlete's activities was requested for this race's results because of the athlete's claims.
  -- At most one listing is requested per entry. Null if none was requested.
  claims_listed_at timestamp with time zone,
  -- The provider account with which the athlete entered. Null if there was none, or if the entry predates this column.
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

-- Users' reports of suspicious activities. A final decision closes all flags on the activity. A user cannot flag the
-- same content again after a decision.
CREATE TABLE racing.flag (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The flag's sequence number.
  activity_id bigint NOT NULL,    -- The flagged activity.
  flagged_by bigint NOT NULL,    -- The athlete who flagged the activity.
  reason text NOT NULL,    -- suspicious_speed, motorized_assistance, impossible_route, fake_activity or other.
  notes text,    -- The athlete's notes. Null if there are none.
  flagged_at timestamp with time zone NOT NULL,    -- When the activity was flagged.
  -- When the flag was closed, for example by a final decision. Null if the flag is open.
  closed_at timestamp with time zone,
  closed_content bytea,    -- The activity's content_hash when the flag was closed. Null if the flag is open.
  -- Whether the flag counts towards a review. This is determined when the flag is added.
  counts boolean NOT NULL DEFAULT true,
  -- A digest of the activity and the flagging athlete's account. Only one flag per account counts for an activity, even
  -- if the account moves to another athlete. Null if there is no account.
  account_digest bytea,
  CONSTRAINT flag_pkey PRIMARY KEY (id),
  CONSTRAINT flag_closed CHECK ((closed_at IS NULL) = (closed_content IS NULL)),
  CONSTRAINT flag_reason CHECK (reason = ANY (ARRAY['suspicious_speed'::text, 'motorized_assistance'::text,
    'impossible_route'::text, 'fake_activity'::text, 'other'::text]))
);
CREATE INDEX flag_of_activity ON racing.flag (activity_id, flagged_by);
CREATE UNIQUE INDEX flag_once ON racing.flag (activity_id, flagged_by) WHERE closed_at IS NULL;

-- Each athlete's imports through the gateway on the latest day.
CREATE TABLE racing.import_day (
  athlete_id bigint NOT NULL,
  day date NOT NULL,    -- The date in the time zone set by racing.time_zone.
  imports bigint NOT NULL,    -- The number of imports that changed data.
  bytes bigint NOT NULL,    -- The total size of the imports' bodies in bytes.
  CONSTRAINT import_day_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT import_day_counts CHECK (imports > 0 AND bytes >= 0)
);

-- The append-only ledger. A journal and its postings are written in one transaction.
CREATE TABLE racing.journal (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The journal's id.
  kind text NOT NULL,    -- deposit, withdrawal, entry_fee, prize, refund or correction.
  idempotency_key text COLLATE "C" NOT NULL,    -- The idempotency key. It ensures that the journal is booked only once.
  race_id bigint,    -- The race that the journal belongs to. Null if there is none.
  description text NOT NULL,    -- The text shown to the athlete.
  occurred_at timestamp with time zone NOT NULL,    -- The business time at which the journal was booked.
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),    -- The transaction that wrote the journal.
  CONSTRAINT journal_pkey PRIMARY KEY (id),
  CONSTRAINT journal_once UNIQUE (idempotency_key),
  CONSTRAINT journal_kind CHECK (kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text, 'entry_fee'::text,
    'prize'::text, 'refund'::text, 'correction'::text]))
);

-- Journals booked with the same key as an earlier journal. The settled migrate --mark-doubles command records them.
CREATE TABLE racing.journal_double (
  journal_id bigint NOT NULL,    -- The later journal.
  double_of bigint NOT NULL,    -- The earlier journal with the same key.
  idempotency_key text COLLATE "C" NOT NULL,    -- The key with which both journals were booked.
  -- When the journal was marked, by the wall clock.
  marked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT journal_double_pkey PRIMARY KEY (journal_id),
  CONSTRAINT journal_double_later CHECK (double_of < journal_id)
);

-- Activities that were held when the race was first settled and have since been verified. Later revisions count them.
CREATE TABLE racing.late_activity (
  race_id bigint NOT NULL,    -- The race in which the activity was held.
  activity_id bigint NOT NULL,    -- The held activity.
  verified_at timestamp with time zone NOT NULL,    -- When the activity was verified.
  CONSTRAINT late_activity_once PRIMARY KEY (race_id, activity_id)
);

-- Differences that the latest ledger audit found. Each difference is stored so that it is reported only once.
CREATE TABLE racing.ledger_difference (
  finding text COLLATE "C" NOT NULL,    -- The account, athlete and amount of the difference.
  difference jsonb NOT NULL,    -- The difference, in the output format of settlectl ledger verify.
  found_at timestamp with time zone NOT NULL,    -- When a ledger audit first found the difference.
  CONSTRAINT ledger_difference_pkey PRIMARY KEY (finding)
);

-- The payouts of each settlement revision, as calculated in that revision.
CREATE TABLE racing.payout (
  race_id bigint NOT NULL,    -- The settled race.
  revision integer NOT NULL,    -- The settlement revision.
  place integer NOT NULL,    -- The place in the ranking: 1, 2 or 3.
  entry_id bigint NOT NULL,    -- The winning entry.
  athlete_id bigint NOT NULL,    -- The winning athlete.
  amount_pence bigint NOT NULL,    -- The prize in pence.
  CONSTRAINT payout_once PRIMARY KEY (race_id, revision, entry_id),
  CONSTRAINT payout_amount CHECK (amount_pence > 0),
  CONSTRAINT payout_place CHECK (place >= 1 AND place <= 3)
);

-- Double-entry postings. The postings of a journal sum to zero.
CREATE TABLE racing.posting (
  -- The posting's sequence number. For a wallet posting, this is the transaction's id.
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  journal_id bigint NOT NULL,    -- The posting's journal.
  account text NOT NULL,    -- wallet, pending, receivable, pool, platform or external.
  athlete_id bigint,    -- The athlete, if the account is wallet, pending or receivable. Null for other accounts.
  race_id bigint,    -- The race, if the account is pool. Null for other accounts.
  entry_id bigint,    -- The entry that the posting relates to. Null if there is none.
  -- The amount credited to the account, in pence. Negative for a debit, such as an increase in a receivable.
  amount_pence bigint NOT NULL,
  balance_pence bigint,    -- The wallet's balance immediately after the posting, in pence. Null for other accounts.
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

-- Races. Each race has a snapshot of the settings, taken when the race was created.
CREATE TABLE racing.race (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The race's id.
  -- The score that determines the ranking: top_speed, furthest_distance, fastest_1km or fastest_5km.
  type text COLLATE "C" NOT NULL,
  -- The length of the race's window, in the time zone set by racing.time_zone: daily, weekly or monthly.
  duration text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,    -- The gender and age group of the athletes who can enter, such as women_u23.
  -- The start of the window. Activities that start earlier do not count.
  starts_at timestamp with time zone NOT NULL,
  -- The end of the window. Activities that start at this instant or later do not count.
  ends_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,    -- The earliest settlement time: ends_at plus the results grace.
  entry_fee_pence bigint NOT NULL,    -- The entry fee in pence.
  platform_fee_percent numeric(4,2) NOT NULL,    -- The platform's share of all fees, in percent.
  prize_shares integer[] NOT NULL,    -- The shares of the prize pool for the first three places, in percent.
  entry_cutoff interval NOT NULL,    -- Entries close this long before ends_at.
  review_hold interval NOT NULL,    -- The longest time after due_at that held activities can delay the settlement.
  -- upcoming, active, ended or settled, in this order. A race in any of the first three states can become cancelled.
  status text NOT NULL DEFAULT 'upcoming'::text,
  entry_count integer NOT NULL DEFAULT 0,    -- The number of entries, including disqualified and refunded entries.
  -- When the settlement job next checks an ended race: due_at, or the end of the hold while the race waits. Formerly
  -- named attend_at.
  next_check_at timestamp with time zone NOT NULL,
  -- The held activities and open claims that are delaying the settlement.
  waiting_activities bigint[] NOT NULL DEFAULT '{}'::bigint[],
  -- The instant at which follow-up work became due: refunds for disqualified entries, or a correction. Null if none is
  -- due. Formerly named marked_at.
  correction_due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,    -- When the race was created.
  -- When the settlement job is due: next_check_at while the race is ended, or correction_due_at if that is earlier.
  -- Null if neither applies. Generated; formerly named settle_at.
  settle_due_at timestamp with time zone GENERATED ALWAYS AS (LEAST( CASE WHEN status = 'ended'::text THEN next_check_at
    ELSE NULL::timestamp with time zone END, correction_due_at)) STORED,
  -- The first date of a regular race's window, in the local_zone time zone. Null for a special race.
  local_date date,
  -- The value of racing.time_zone when the regular race was created. Null for a special race.
  local_zone text COLLATE "C",
  -- Whether the next correction reinstates entries that were removed because of an activity that is no longer
  -- disqualified.
  is_reinstating boolean NOT NULL,
  -- Set by a daemon that supports claims, in the same statement that makes the race wait. A trigger resets it.
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

-- Operators' orders to settle or cancel races, carried out by the race-orders job.
CREATE TABLE racing.race_order (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The order's id.
  race_id bigint NOT NULL,    -- The race to which the order applies.
  kind text COLLATE "C" NOT NULL,    -- settle or cancel.
  overrides boolean NOT NULL,    -- Whether the order skips the results grace and the review hold.
  -- The hash of the inputs that the operator reviewed. Null if any inputs are accepted.
  expected_hash text COLLATE "C",
  reason text,    -- The operator's reason, which is included in the event for a cancellation. Null if there is none.
  ordered_at timestamp with time zone NOT NULL,    -- When the operator issued the order.
  finished_at timestamp with time zone,    -- When the order was carried out or refused. Null if the order is open.
  rule text COLLATE "C",    -- The rule that the order violated. Null if the order was not refused.
  refusal text,    -- The error message of the refusal. Null if the order was not refused.
  answer jsonb,    -- The response for the operator. Null if the order was not carried out.
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

-- Activity reviews. An activity has at most one undecided review.
CREATE TABLE racing.review (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The review's id.
  activity_id bigint NOT NULL,    -- The activity under review.
  state text NOT NULL DEFAULT 'open'::text,    -- open, info_requested or decided.
  level integer NOT NULL DEFAULT 0,    -- How many times a reminder has escalated the review.
  opened_at timestamp with time zone NOT NULL,    -- When the review was opened.
  -- Why the daemon opened the review. Empty if flags or a decision opened it.
  reasons text[] NOT NULL DEFAULT '{}'::text[],
  -- The scores that exceed their bounds, each with score, value and bound. The value and the bound are in the score's
  -- unit.
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

-- Revoked connections. The names, places, tracks and streams of these athletes' activities are erased when forget_at is
-- reached.
CREATE TABLE racing.revocation (
  athlete_id bigint NOT NULL,    -- The athlete whose connection was revoked.
  -- The connection's provider account. 0 if it was unknown. Connecting with the same account again cancels the
  -- revocation.
  provider_athlete_id bigint NOT NULL,
  -- When the connection was revoked. Activities imported later keep their content.
  revoked_at timestamp with time zone NOT NULL,
  forget_at timestamp with time zone NOT NULL,    -- When the activities' data is due to be erased.
  CONSTRAINT revocation_pkey PRIMARY KEY (athlete_id, provider_athlete_id)
);
CREATE INDEX revocation_due ON racing.revocation (forget_at);

-- Race settlements: revision 1, followed by any corrections.
CREATE TABLE racing.settlement (
  race_id bigint NOT NULL,    -- The settled race.
  revision integer NOT NULL,    -- 1 for the first settlement, incremented with each correction.
  outcome text NOT NULL,    -- paid, or void if no entry had a rank.
  settled_at timestamp with time zone NOT NULL,    -- When the race was settled.
  fees_pence bigint NOT NULL,    -- The total fees of participating entries, in pence.
  platform_fee_pence bigint NOT NULL,    -- The platform's share of the fees, in pence.
  prize_pool_pence bigint NOT NULL,    -- The share of the fees that funds the prizes, in pence.
  journal_id bigint,    -- The settlement's journal. Null if no journal was booked.
  input_hash text NOT NULL,    -- The hash of the inputs that determined the result.
  counted_activities bigint[] NOT NULL,    -- The activities that counted.
  -- The activities that were held and the claims that were open when the race was settled.
  held_activities bigint[] NOT NULL,
  CONSTRAINT settlement_once PRIMARY KEY (race_id, revision),
  CONSTRAINT settlement_outcome CHECK (outcome = ANY (ARRAY['paid'::text, 'void'::text])),
  CONSTRAINT settlement_revision CHECK (revision >= 1),
  CONSTRAINT settlement_split CHECK (fees_pence >= 0 AND platform_fee_pence >= 0 AND prize_pool_pence >= 0 AND (outcome
    = 'void'::text AND platform_fee_pence = 0 AND prize_pool_pence = 0 OR outcome = 'paid'::text AND fees_pence =
    (platform_fee_pence + prize_pool_pence)))
);
CREATE INDEX settlement_of_time ON racing.settlement (settled_at);

-- One row: the position from which the next run of the stream-pruning job continues.
CREATE TABLE racing.stream_pruning (
  is_it boolean NOT NULL DEFAULT true,    -- Always true: the table has one row.
  activity_id bigint NOT NULL,    -- The last activity whose streams were checked. 0 if there is none.
  CONSTRAINT stream_pruning_pkey PRIMARY KEY (is_it),
  CONSTRAINT stream_pruning_one CHECK (is_it)
);

-- Completed and failed withdrawals, and charged-back deposits. A withdrawal without a row is pending.
CREATE TABLE racing.transaction_end (
  posting_id bigint NOT NULL,    -- The wallet posting of the withdrawal or deposit.
  status text NOT NULL,    -- completed or failed.
  -- Why the withdrawal failed, or why the deposit was charged back. Null if the withdrawal was completed.
  reason text,
  -- When the withdrawal was completed or failed, or when the deposit was charged back.
  ended_at timestamp with time zone NOT NULL,
  journal_id bigint NOT NULL,    -- The journal that records the completion, failure or chargeback.
  CONSTRAINT transaction_end_pkey PRIMARY KEY (posting_id),
  CONSTRAINT transaction_end_reason CHECK ((status = 'failed'::text) = (reason IS NOT NULL)),
  CONSTRAINT transaction_end_status CHECK (status = ANY (ARRAY['completed'::text, 'failed'::text]))
);

-- Athletes' balances. Each balance equals the sum of the wallet's postings.
CREATE TABLE racing.wallet (
  athlete_id bigint NOT NULL,    -- The athlete who owns the wallet.
  balance_pence bigint NOT NULL DEFAULT 0,    -- The balance in pence.
  pending_pence bigint NOT NULL DEFAULT 0,    -- The total of pending withdrawals, in pence.
  receivable_pence bigint NOT NULL DEFAULT 0,    -- The athlete's debt after a correction, in pence.
  CONSTRAINT wallet_pkey PRIMARY KEY (athlete_id),
  CONSTRAINT wallet_balance CHECK (balance_pence >= 0),
  CONSTRAINT wallet_pending CHECK (pending_pence >= 0),
  CONSTRAINT wallet_receivable CHECK (receivable_pence >= 0)
);
CREATE INDEX wallet_pending ON racing.wallet (athlete_id) INCLUDE (pending_pence) WHERE pending_pence > 0;

-- Check-ins, streaks and closed days per time zone.
CREATE SCHEMA checkins;

-- Closed days. Each day is closed once per time zone.
CREATE TABLE checkins.day (
  zone text COLLATE "C" NOT NULL,    -- The time zone of the date.
  date date NOT NULL,    -- The date that was closed.
  checked_in bigint NOT NULL,    -- The number of check-ins on this date.
  streaks_ended bigint NOT NULL,    -- The number of streaks that ended on this date.
  closed_at timestamp with time zone NOT NULL,    -- When the day was closed.
  CONSTRAINT day_once PRIMARY KEY (zone, date),
  CONSTRAINT day_totals CHECK (checked_in >= 0 AND streaks_ended >= 0)
);

-- Check-ins: one per person and date.
CREATE TABLE checkins.entry (
  profile_id bigint NOT NULL,    -- The person who checked in.
  date date NOT NULL,    -- The date of the check-in.
  zone text NOT NULL,    -- The person's time zone at check-in, which determined the date.
  score numeric(3,1) NOT NULL,    -- The score, from -11 to 9 in steps of 0.5.
  metrics jsonb NOT NULL,    -- The metrics as sent by the app, without the date.
  checked_in_at timestamp with time zone NOT NULL,    -- When the person checked in.
  CONSTRAINT entry_of_date PRIMARY KEY (profile_id, date),
  CONSTRAINT entry_score CHECK (score >= '-11'::integer::numeric AND score <= 9::numeric AND (score * 2::numeric) =
    trunc(score * 2::numeric))
) PARTITION BY RANGE (date);

CREATE TABLE checkins.entry_default PARTITION OF checkins.entry DEFAULT;

-- People, identified by the app's user id.
CREATE TABLE checkins.profile (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The person's id in this database.
  user_id text NOT NULL,    -- The app's id for the person.
  time_zone text,    -- The time zone that the app sent. Null if UTC applies.
  is_onboarded boolean NOT NULL,    -- Whether onboarding is complete.
  created_at timestamp with time zone NOT NULL,    -- When the profile was created.
  zone_since date NOT NULL,    -- The local date in this time zone when the person started to use the zone.
  streak_id bigint,    -- The latest streak. Null if there is none.
  longest_streak integer NOT NULL DEFAULT 0,    -- The length of the longest streak in days.
  -- Dates after the last entry that were skipped because the time zone changed.
  bridged datemultirange NOT NULL DEFAULT '{}'::datemultirange,
  chronological_age_years numeric,    -- The age in years at onboarding. Null if none was given.
  -- The sum of all daily deltas in years, including those of days whose entries have been pruned.
  delta_years numeric NOT NULL DEFAULT 0,
  rejuvenation_days integer NOT NULL DEFAULT 0,    -- The number of days with a delta below 0.
  acceleration_days integer NOT NULL DEFAULT 0,    -- The number of days with a delta above 0.
  -- The number of consecutive days, up to the last entry, whose deltas have the same sign. Negative for rejuvenation
  -- and positive for acceleration.
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

-- Streaks of check-ins on consecutive dates.
CREATE TABLE checkins.streak (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The streak's id.
  profile_id bigint NOT NULL,    -- The person who has the streak.
  zone text COLLATE "C" NOT NULL,    -- The time zone that determines the streak's days.
  started_on date NOT NULL,    -- The date of the first entry.
  last_on date NOT NULL,    -- The date of the latest entry.
  length integer NOT NULL,    -- The number of entries.
  -- The first date after last_on that is not bridged. If there is no entry on this date, the streak ends when the date
  -- ends in the streak's time zone.
  ends_on date NOT NULL,
  ended_at timestamp with time zone,    -- When the streak was marked as ended. Null if it is not marked.
  CONSTRAINT streak_pkey PRIMARY KEY (id),
  CONSTRAINT streak_dates CHECK (started_on <= last_on AND last_on < ends_on),
  CONSTRAINT streak_length CHECK (length >= 1 AND length <= (last_on - started_on + 1))
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX streak_to_end ON checkins.streak (zone, ends_on, id) WHERE ended_at IS NULL;

-- Check-in counters for open days. Each day has several rows, to avoid lock contention.
CREATE TABLE checkins.tally (
  zone text COLLATE "C" NOT NULL,    -- The time zone of the date.
  date date NOT NULL,    -- The open date.
  shard integer NOT NULL,    -- The row's number among the rows for the same day.
  checked_in bigint NOT NULL,    -- The number of check-ins counted in this row.
  CONSTRAINT tally_once PRIMARY KEY (zone, date, shard),
  CONSTRAINT tally_checked_in CHECK (checked_in >= 0)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);

-- The time zones that profiles use, each with the next day to close.
CREATE TABLE checkins.zone (
  name text COLLATE "C" NOT NULL,    -- The name of the time zone.
  next_date date NOT NULL,    -- The next date to close.
  next_at timestamp with time zone NOT NULL,    -- When next_date ends.
  streaks_ended bigint NOT NULL DEFAULT 0,    -- The number of streaks ended so far while closing next_date.
  -- The ends_on date of the last streak ended. -infinity if no streak has been ended.
  ended_on date NOT NULL DEFAULT '-infinity'::date,
  ended_id bigint NOT NULL DEFAULT 0,    -- The id of the last streak ended. 0 if no streak has been ended.
  CONSTRAINT zone_pkey PRIMARY KEY (name),
  CONSTRAINT zone_ended CHECK (ended_on <= next_date AND (ended_on = '-infinity'::date) = (ended_id = 0)),
  CONSTRAINT zone_streaks_ended CHECK (streaks_ended >= 0)
);
CREATE INDEX zone_to_close ON checkins.zone (next_at, name);

-- Runners, points, rewards and team talks.
CREATE SCHEMA seasons;

-- Activity types and their points.
CREATE TABLE seasons.activity_type (
  name text COLLATE "C" NOT NULL,    -- The name of the type.
  points integer NOT NULL,    -- The points awarded per activity.
  CONSTRAINT activity_type_pkey PRIMARY KEY (name),
  CONSTRAINT activity_type_points CHECK (points > 0)
);

-- People, identified by the app's username.
CREATE TABLE seasons.app_user (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The person's id in this database.
  username text NOT NULL,    -- The username that the app uses for the person.
  display_name text NOT NULL,    -- The name shown to other people.
  role text NOT NULL,    -- coach or runner.
  runner_id bigint,    -- The person's runner. Null if there is none.
  CONSTRAINT app_user_pkey PRIMARY KEY (id),
  CONSTRAINT app_user_username EXCLUDE USING hash (username WITH =),
  CONSTRAINT app_user_names CHECK (length(username) >= 1 AND length(username) <= 10000 AND length(display_name) >= 1 AND
    length(display_name) <= 10000),
  CONSTRAINT app_user_role CHECK (role = ANY (ARRAY['coach'::text, 'runner'::text]))
);

-- Comments and replies on team talks.
CREATE TABLE seasons.comment (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The comment's sequence number.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),    -- The id that apps use for the comment.
  talk_id bigint NOT NULL,    -- The team talk that was commented on.
  user_id bigint NOT NULL,    -- The person who commented.
  message text NOT NULL,    -- The text of the comment.
  parent_id bigint,    -- The parent comment of a reply. Null for a comment on the talk itself.
  depth integer NOT NULL,    -- The nesting depth of a reply. 0 for a comment on the talk itself.
  created_at timestamp with time zone NOT NULL,    -- When the comment was written.
  updated_at timestamp with time zone NOT NULL,    -- When the comment was last changed.
  CONSTRAINT comment_pkey PRIMARY KEY (id),
  CONSTRAINT comment_uuid UNIQUE (uuid),
  CONSTRAINT comment_depth CHECK (depth >= 0 AND depth <= 8 AND (depth = 0) = (parent_id IS NULL)),
  CONSTRAINT comment_message CHECK (length(message) >= 1 AND length(message) <= 10000)
);
CREATE INDEX comment_of_talk ON seasons.comment (talk_id, id);

-- Earned points. Rows change only when a person is erased.
CREATE TABLE seasons.earning (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The earning's sequence number.
  runner_id bigint NOT NULL,    -- The runner who earned the points.
  activity_type text COLLATE "C" NOT NULL,    -- The type of the activity.
  activity_uuid text,    -- The app's id for the activity. Null if there is none.
  activity_digest bytea,    -- The digest of activity_uuid, which can be too long for an index. Null if there is none.
  points integer NOT NULL,    -- The points awarded for the activity.
  season text COLLATE "C",    -- xc or track. Null if the points do not belong to a season.
  year integer,    -- The year of the season. Null if the points do not belong to a season.
  description text,    -- The app's description. Null if there is none.
  occurred_at timestamp with time zone NOT NULL,    -- When the points were earned.
  version bigint,    -- The version whose team total includes the points. Null if no version includes them.
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

-- How many times each runner earned points without a coach on the latest day, per activity type.
CREATE TABLE seasons.own_earning_day (
  runner_id bigint NOT NULL,
  activity_type text COLLATE "C" NOT NULL,
  day date NOT NULL,    -- The date in the time zone set by seasons.time_zone.
  earnings bigint NOT NULL,
  CONSTRAINT own_earning_day_pkey PRIMARY KEY (runner_id, activity_type),
  CONSTRAINT own_earning_day_earnings CHECK (earnings > 0)
);

-- Reactions to team talks.
CREATE TABLE seasons.reaction (
  talk_id bigint NOT NULL,    -- The talk that the reaction belongs to.
  emoji text COLLATE "C" NOT NULL,    -- The emoji.
  user_id bigint NOT NULL,    -- The person who reacted.
  reacted_at timestamp with time zone NOT NULL,    -- When the person reacted.
  CONSTRAINT reaction_once PRIMARY KEY (talk_id, emoji, user_id),
  CONSTRAINT reaction_emoji CHECK (length(emoji) >= 1 AND length(emoji) <= 64)
);
CREATE INDEX reaction_of_user ON seasons.reaction (talk_id, user_id);

-- The twenty latest counted views of each talk.
CREATE TABLE seasons.recent_view (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  viewed_at timestamp with time zone NOT NULL,    -- When the talk was viewed.
  id bigint NOT NULL,    -- The view's id.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The person's display name when the talk was viewed.
  CONSTRAINT recent_view_once PRIMARY KEY (talk_id, viewed_at, id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

-- Rewards that teams earn together.
CREATE TABLE seasons.reward (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The reward's id.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  description text NOT NULL,    -- A description of the reward.
  point_threshold bigint NOT NULL,    -- The points that the team must reach.
  display_order integer NOT NULL,    -- The position in lists. Unique within a season.
  -- When the team reached the reward. Set once by the reward-check job. Null if the reward has not been reached.
  achieved_date timestamp with time zone,
  created_by text,    -- The name of the person who created the reward, as sent by the app. Null if none was sent.
  created_at timestamp with time zone NOT NULL,    -- When the reward was created.
  updated_at timestamp with time zone NOT NULL,    -- When the reward was last changed.
  CONSTRAINT reward_pkey PRIMARY KEY (id),
  CONSTRAINT reward_display_order UNIQUE (season, year, display_order),
  CONSTRAINT reward_point_threshold CHECK (point_threshold > 0),
  CONSTRAINT reward_season CHECK (season = ANY (ARRAY['xc'::text, 'track'::text])),
  CONSTRAINT reward_year CHECK (year >= 0 AND year <= 9999)
);

-- The teams' runners. Calls for a runner are serialised by a lock on the runner's row.
CREATE TABLE seasons.runner (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The runner's id.
  name text NOT NULL,    -- The name of the runner.
  graduating_class integer NOT NULL,    -- The graduation year.
  team text NOT NULL,    -- UA or NU.
  does_xc boolean NOT NULL,    -- Whether the runner competes in the xc season.
  does_track boolean NOT NULL,    -- Whether the runner competes in the track season.
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

-- Each runner's points per season.
CREATE TABLE seasons.seasonal_total (
  runner_id bigint NOT NULL,    -- The runner who earned the points.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  points bigint NOT NULL,    -- The runner's points in the season.
  CONSTRAINT seasonal_total_once PRIMARY KEY (runner_id, season, year),
  CONSTRAINT seasonal_total_points CHECK (points > 0)
) WITH (fillfactor=80);

-- Additions to team_total that the reward-check job has not applied yet.
CREATE TABLE seasons.team_change (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The addition's sequence number.
  season text COLLATE "C" NOT NULL,    -- xc or track.
  year integer NOT NULL,    -- The year of the season.
  version bigint NOT NULL,    -- The version whose total receives the points.
  moved bigint NOT NULL DEFAULT 0,    -- The points that a roster change adds or removes.
  earned bigint NOT NULL DEFAULT 0,    -- The points earned.
  at timestamp with time zone NOT NULL,    -- When the addition was written.
  CONSTRAINT team_change_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX team_change_of_season ON seasons.team_change (season, year);
CREATE INDEX team_change_to_check ON seasons.team_change (at, id);

-- Team talks, which are posts to a team.
CREATE TABLE seasons.team_talk (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The talk's sequence number.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),    -- The id that apps use for the talk.
  author text NOT NULL,    -- The author's name, as sent by the app.
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
  moved bigint NOT NULL,    -- The points that the version's roster change added or removed.
  earned bigint NOT NULL,    -- The points earned in this version.
  CONSTRAINT team_total_once PRIMARY KEY (season, year, version),
  CONSTRAINT team_total_earned CHECK (earned >= 0)
) WITH (fillfactor=80);

-- Each reward's thresholds over time. A threshold applies from its version onwards.
CREATE TABLE seasons.threshold (
  reward_id bigint NOT NULL,    -- The reward that the threshold belongs to.
  version bigint NOT NULL,    -- The version from which the threshold applies.
  points bigint NOT NULL,    -- The threshold in points.
  CONSTRAINT threshold_once PRIMARY KEY (reward_id, version),
  CONSTRAINT threshold_points CHECK (points > 0)
);

-- Views that the view-rollup job has not counted yet.
CREATE TABLE seasons.uncounted_view (
  id bigint NOT NULL,    -- The view's id.
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The person's display name when the talk was viewed.
  viewed_at timestamp with time zone NOT NULL,    -- When the talk was viewed.
  CONSTRAINT uncounted_view_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX uncounted_view_at ON seasons.uncounted_view (viewed_at, id);
CREATE INDEX uncounted_view_of_talk ON seasons.uncounted_view (talk_id, viewed_at, id);

-- Changes to rosters and thresholds, in order. A lock on row 0 serialises them.
CREATE TABLE seasons.version (
  number bigint NOT NULL,    -- The version's number.
  at timestamp with time zone NOT NULL,    -- When the version began.
  CONSTRAINT version_pkey PRIMARY KEY (number)
);

-- Views of team talks, in monthly partitions. The seasons.view_retention setting defines how long they are kept.
CREATE TABLE seasons.view (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The view's id.
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  display_name text NOT NULL,    -- The person's display name when the talk was viewed.
  team text,    -- UA or NU, as sent by the app. Null if none was sent.
  viewed_at timestamp with time zone NOT NULL    -- When the talk was viewed.
) PARTITION BY RANGE (viewed_at);

CREATE TABLE seasons.view_default PARTITION OF seasons.view DEFAULT;

-- Counted views and viewers per talk.
CREATE TABLE seasons.view_total (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  views bigint NOT NULL,    -- The number of counted views.
  viewers bigint NOT NULL,    -- The number of counted viewers.
  CONSTRAINT view_total_pkey PRIMARY KEY (talk_id),
  CONSTRAINT view_total_counts CHECK (viewers >= 0 AND viewers <= views)
) WITH (fillfactor=50);

-- The people whose views of a talk have been counted.
CREATE TABLE seasons.viewer (
  talk_id bigint NOT NULL,    -- The talk that was viewed.
  user_id bigint NOT NULL,    -- The person who viewed the talk.
  CONSTRAINT viewer_once PRIMARY KEY (talk_id, user_id)
);

-- People, their counters, and the achievements they have unlocked.
CREATE SCHEMA achievements;

CREATE SEQUENCE achievements.step_id;

-- A person's results that have not been recorded yet, and the person's points including those results.
CREATE TYPE achievements.standing AS (
  through bigint,    -- The latest edition included.
  points bigint,
  unlocked bigint[],
  rewards bigint[],
  unlocked_at timestamp with time zone[],
  completed bigint[],
  completed_at timestamp with time zone[]
);

-- Achievements as displayed. Their requirements are stored in their editions.
CREATE TABLE achievements.achievement (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The achievement's id.
  slug text NOT NULL,    -- The slug that apps use to identify the achievement.
  name text NOT NULL,    -- The displayed name.
  description text NOT NULL,    -- The displayed description.
  icon jsonb NOT NULL,    -- The icon: an object with the keys type, color, symbol and svg_url.
  unlock_requirements jsonb,    -- The displayed requirements. Null if the steps contain them.
  reward bigint NOT NULL,    -- The points for unlocking the achievement.
  is_hidden boolean NOT NULL,    -- Whether the achievement is masked until it is unlocked.
  category text,    -- authors, books_and_series, categories, contributions or career. Null if there is none.
  display_order integer NOT NULL,    -- The position in lists.
  CONSTRAINT achievement_pkey PRIMARY KEY (id),
  CONSTRAINT achievement_slug EXCLUDE USING hash (slug WITH =),
  CONSTRAINT achievement_category CHECK (category = ANY (ARRAY['authors'::text, 'books_and_series'::text,
    'categories'::text, 'contributions'::text, 'career'::text])),
  CONSTRAINT achievement_reward CHECK (reward >= 0 AND reward <= 1000000000)
);

-- Permanent step completions, one row per person and step.
CREATE TABLE achievements.completion (
  user_id bigint NOT NULL,    -- The person who completed the step.
  step_id bigint NOT NULL,    -- The step that was completed.
  completed_at timestamp with time zone NOT NULL,    -- The time of the report or definition that completed the step.
  CONSTRAINT completion_once PRIMARY KEY (user_id, step_id)
);
CREATE INDEX completion_of_step ON achievements.completion (step_id, user_id);

-- Each person's counters, per metric and target.
CREATE TABLE achievements.counter (
  user_id bigint NOT NULL,    -- The person to whom the counter belongs.
  metric text COLLATE "C" NOT NULL,    -- The counter's metric.
  target_key text COLLATE "C" NOT NULL,    -- The target's key. Empty if there is no target.
  value bigint NOT NULL,    -- The count.
  CONSTRAINT counter_once PRIMARY KEY (user_id, metric, target_key),
  CONSTRAINT counter_value CHECK (value >= 0)
) WITH (fillfactor=80);
CREATE INDEX counter_by_value ON achievements.counter (metric, target_key, value, user_id);

-- Required counter values: one row per edition, or one row per step if the edition has steps.
CREATE TABLE achievements.criterion (
  edition bigint NOT NULL,    -- The edition that the criterion belongs to.
  place integer NOT NULL,    -- The step's position.
  -- The step's id. It stays the same as long as each new edition has a step in this position. Null if the edition has
  -- no steps.
  step_id bigint,
  metric text COLLATE "C" NOT NULL,    -- The metric of the counter that must reach the value.
  target text,    -- The displayed target. Null if there is none.
  target_key text COLLATE "C" NOT NULL,    -- The target's key. Empty if there is no target.
  value bigint NOT NULL,    -- The value that the counter must reach.
  needs_previous boolean NOT NULL,    -- Whether the previous step must be completed before this one.
  name text,    -- The step's name. Null if the edition has no steps.
  description text,    -- The step's description. Null if the edition has no steps.
  CONSTRAINT criterion_once PRIMARY KEY (edition, place),
  CONSTRAINT criterion_step CHECK ((step_id IS NULL) = (name IS NULL) AND (step_id IS NULL) = (description IS NULL)),
  CONSTRAINT criterion_value CHECK (value >= 0 AND value <= '1000000000000000'::bigint)
);
CREATE INDEX criterion_at_zero ON achievements.criterion (edition) WHERE value = 0;
CREATE INDEX criterion_in_reach ON achievements.criterion (metric, target_key, value);

-- Versions of achievements' requirements, numbered in commit order. Each version applies until the achievement is
-- redefined.
CREATE TABLE achievements.edition (
  number bigint NOT NULL,    -- The edition's number.
  achievement_id bigint NOT NULL,    -- The achievement that the edition belongs to.
  reward bigint NOT NULL,    -- The points for unlocking the achievement under this edition.
  defined_at timestamp with time zone NOT NULL,    -- When this edition was defined.
  replaced_by bigint,    -- The number of the edition that replaced this one. Null if this edition is current.
  CONSTRAINT edition_pkey PRIMARY KEY (number),
  CONSTRAINT edition_number CHECK (number > 0),
  CONSTRAINT edition_replaced CHECK (replaced_by > number)
);
CREATE UNIQUE INDEX edition_in_force ON achievements.edition (achievement_id) WHERE replaced_by IS NULL;
CREATE INDEX edition_replaced_by ON achievements.edition (replaced_by) WHERE replaced_by IS NOT NULL;

-- Groups of people to evaluate against a new edition. A group is either selected by a counter or a step, or includes
-- everyone. A row is deleted when its whole group has been evaluated.
CREATE TABLE achievements.evaluation (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The evaluation's sequence number.
  edition bigint NOT NULL,    -- The new edition.
  created_at timestamp with time zone NOT NULL,    -- When the edition was defined.
  metric text COLLATE "C",    -- The counter's metric, if people are selected by a counter. Null otherwise.
  target_key text COLLATE "C",    -- The counter's target, if people are selected by a counter. Null otherwise.
  step_id bigint,    -- The step, if people are selected by a step. Null otherwise.
  -- The counter value of the last person evaluated. People are evaluated in order of value, then id.
  last_value bigint NOT NULL,
  last_user bigint NOT NULL DEFAULT 0,    -- The id of the last person evaluated.
  done bigint NOT NULL DEFAULT 0,    -- The number of people evaluated so far.
  total bigint,    -- The number of people to evaluate. Null until the evaluation begins.
  left_users bigint[] NOT NULL DEFAULT '{}'::bigint[],    -- People skipped because their rows were locked.
  CONSTRAINT evaluation_pkey PRIMARY KEY (id),
  CONSTRAINT evaluation_counts CHECK (done >= 0 AND total >= 0),
  CONSTRAINT evaluation_of CHECK ((metric IS NULL) = (target_key IS NULL) AND (metric IS NULL OR step_id IS NULL))
);
CREATE INDEX evaluation_by_edition ON achievements.evaluation (edition);
CREATE INDEX evaluation_to_begin ON achievements.evaluation (created_at, id);

-- Rows used only as locks.
CREATE TABLE achievements.latch (
  name text COLLATE "C" NOT NULL,    -- The lock's name.
  CONSTRAINT latch_pkey PRIMARY KEY (name)
);

-- People, each with the latest change whose results have not been recorded yet.
CREATE TABLE achievements.person (
  id bigint NOT NULL,    -- The app's id for the person.
  name text NOT NULL,    -- The person's name.
  created_at timestamp with time zone NOT NULL,    -- When the person was created.
  -- The points earned from rewards. The counter for the points metric includes them.
  earned_points bigint NOT NULL DEFAULT 0,
  unlock_count integer NOT NULL DEFAULT 0,    -- The number of achievements the person has unlocked.
  edition bigint NOT NULL,    -- The edition that was the latest when the counters last changed or were last evaluated.
  due_at timestamp with time zone,    -- When an evaluation became due. Null if none is due.
  changed_at timestamp with time zone,    -- When the latest change was made. Null if all results have been recorded.
  -- The metric of the counter that changed last. Null if the person is new, or if all results have been recorded.
  changed_metric text,
  changed_target_key text,    -- The target of the counter that changed last. Null if changed_metric is null.
  changed_from bigint,    -- The counter's value before the latest change. Null if changed_metric is null.
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

-- Metric reports by idempotency key, in monthly partitions.
CREATE TABLE achievements.report (
  user_id bigint NOT NULL,    -- The person whose counter was reported.
  idempotency_key text COLLATE "C" NOT NULL,    -- The report's idempotency key.
  reported_on date NOT NULL,    -- The date of the report, in UTC.
  metric text NOT NULL,    -- The reported metric.
  target_key text NOT NULL,    -- The target's key. Empty if there is no target.
  value bigint NOT NULL,    -- The reported value.
  mode text NOT NULL,    -- set or add.
  CONSTRAINT report_once PRIMARY KEY (user_id, idempotency_key, reported_on),
  CONSTRAINT report_mode CHECK (mode = ANY (ARRAY['set'::text, 'add'::text]))
) PARTITION BY RANGE (reported_on);

CREATE TABLE achievements.report_default PARTITION OF achievements.report DEFAULT;

-- Unlock counts per achievement, excluding the unlocks in achievements.uncounted.
CREATE TABLE achievements.total (
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  unlocks bigint NOT NULL,    -- The number of counted unlocks.
  CONSTRAINT total_pkey PRIMARY KEY (achievement_id),
  CONSTRAINT total_unlocks CHECK (unlocks > 0)
) WITH (fillfactor=50);

-- Unlocks not yet included in achievements.total.
CREATE TABLE achievements.uncounted (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,    -- The unlock's sequence number.
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  CONSTRAINT uncounted_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

-- Achievements that people have unlocked permanently.
CREATE TABLE achievements.unlock (
  user_id bigint NOT NULL,    -- The person who unlocked the achievement.
  achievement_id bigint NOT NULL,    -- The achievement that was unlocked.
  -- The time of the report or definition that unlocked the achievement.
  unlocked_at timestamp with time zone NOT NULL,
  reward bigint NOT NULL,    -- The points added by the unlock.
  is_announced boolean NOT NULL,    -- Whether the event for the unlock has been written.
  CONSTRAINT unlock_once PRIMARY KEY (user_id, achievement_id),
  CONSTRAINT unlock_reward CHECK (reward >= 0)
);
CREATE INDEX unlock_to_announce ON achievements.unlock (user_id) WHERE NOT is_announced;

-- People's log-in accounts, linked to identities in the other schemas. Times are by the wall clock.
CREATE SCHEMA accounts;

-- Accounts of people who log in.
CREATE TABLE accounts.account (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text COLLATE "C" NOT NULL,
  username text COLLATE "C",    -- The person's username in seasons.
  display_name text NOT NULL,
  password_hash text,    -- The password hash with its parameters. Null if no password has been set.
  athlete_id bigint,
  runner_id bigint,
  reader_id bigint,
  checkin_id text COLLATE "C",    -- The person's user id in checkins.
  roles text[] NOT NULL DEFAULT '{}'::text[],
  epoch bigint NOT NULL DEFAULT 1,    -- Incremented to revoke all earlier tokens.
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  -- When a one-time link for this account was first used, which verifies the address. Null if none has been used.
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

-- Failed log-ins by name, whether or not an account with that name exists.
CREATE TABLE accounts.attempt (
  name_digest bytea NOT NULL,    -- The SHA-256 of the address or username in lower case.
  -- The callers' addresses, oldest first. The failed_at column has the corresponding times.
  addresses text[] NOT NULL,
  failed_at timestamp with time zone[] NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT attempt_pkey PRIMARY KEY (name_digest),
  CONSTRAINT attempt_limit CHECK (cardinality(addresses) = cardinality(failed_at) AND cardinality(failed_at) >= 1 AND
    cardinality(failed_at) <= 100)
);
CREATE INDEX attempt_by_age ON accounts.attempt (last_at);

-- The addresses from which a name has logged in within the last 30 days, at most five per name.
CREATE TABLE accounts.known_address (
  name_digest bytea NOT NULL,    -- The SHA-256 of the address or username in lower case.
  address text COLLATE "C" NOT NULL,    -- An IPv4 address, or the /64 prefix of an IPv6 address.
  -- When the name last logged in from the address, by the wall clock.
  logged_in_at timestamp with time zone NOT NULL,
  CONSTRAINT known_address_pkey PRIMARY KEY (name_digest, address)
);
CREATE INDEX known_address_by_age ON accounts.known_address (logged_in_at);

-- Tokens that allow a person to set a password. Each can be used once.
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

-- The functions that the gateway calls, and stored responses.
CREATE SCHEMA gateway;

-- Responses to requests with an Idempotency-Key header, kept for 30 days.
CREATE TABLE gateway.answer (
  digest bytea NOT NULL,    -- The SHA-256 of the scope and the idempotency key.
  caller text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,    -- A fingerprint of the request's text. Different requests have different fingerprints.
  -- The response. Null until the request's transaction has one; other transactions cannot see the row before then.
  answer jsonb,
  at timestamp with time zone NOT NULL,
  -- A fingerprint of the value that the request writes, with members compared by name and numbers by value. Null if an
  -- earlier release wrote the row.
  value_fingerprint text,
  CONSTRAINT answer_pkey PRIMARY KEY (digest),
  CONSTRAINT answer_caller CHECK (length(caller) >= 1 AND length(caller) <= 200),
  CONSTRAINT answer_digest CHECK (octet_length(digest) = 32),
  CONSTRAINT answer_fingerprint CHECK (length(fingerprint) >= 1 AND length(fingerprint) <= 200),
  CONSTRAINT answer_value_fingerprint CHECK (length(value_fingerprint) >= 1 AND length(value_fingerprint) <= 200)
);
CREATE INDEX answer_by_age ON gateway.answer (at);
CREATE INDEX answer_of_caller ON gateway.answer (caller, at DESC);

-- The people represented by the callers of stored responses. A row is deleted about a month after its caller's last
-- stored response.
CREATE TABLE gateway.caller_person (
  person text COLLATE "C" NOT NULL,    -- The person, such as account:17, athlete:42 or username:coach.
  caller text COLLATE "C" NOT NULL,    -- The caller, as recorded in gateway.answer.
  -- A wall-clock time, at most a day before the caller's latest stored response.
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
