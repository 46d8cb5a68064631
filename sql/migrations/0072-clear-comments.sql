-- Clearer comments of schemas, tables and columns, without those of strava and racing: sql/schema.sql shows them.
COMMENT ON SCHEMA settled IS
  'The engine: clock, settings, schedules, failures, events, nodes and audit. It depends on no other schema.';
COMMENT ON TABLE settled.audit IS 'One row for each mutating command. Only erasing a person changes a row.';
COMMENT ON COLUMN settled.audit.target IS 'The object that the command changed, such as a race id.';
COMMENT ON COLUMN settled.audit.reason IS 'The operator''s reason. Null if none was given.';
COMMENT ON COLUMN settled.audit.request_id IS 'The request id of the command. Null if none was given.';
COMMENT ON TABLE settled.call_window IS
  'External calls that all nodes have used, for each budget and length of window.';
COMMENT ON COLUMN settled.call_window.started_at IS
  'The start of the window, by the wall clock. Windows begin at multiples of their length since 1970 UTC.';
COMMENT ON COLUMN settled.call_window.used IS 'The number of calls used in the window.';
COMMENT ON COLUMN settled.call_window.told_limit IS
  'The limit that the provider reported; it overrides the setting. Null if it reported none.';
COMMENT ON COLUMN settled.call_window.used_with_reserve IS
  'The number of calls that were allowed to use the window''s reserve.';
COMMENT ON COLUMN settled.call_window.short_at IS
  'The latest instant at which more calls were requested than were left. Null if never.';
COMMENT ON COLUMN settled.clock_acceptance.baselines IS 'The number of baselines established.';
COMMENT ON TABLE settled.clock_baseline IS
  'The database''s clock and each node''s boot clock, read when both were last known to be right.';
COMMENT ON COLUMN settled.clock_baseline.boot_microseconds IS
  'The node''s boot clock at the baseline, in microseconds.';
COMMENT ON COLUMN settled.clock_baseline.agreed IS
  'The number of baselines that existed when the node last saw the clocks agree.';
COMMENT ON COLUMN settled.clock_baseline.acceptances IS 'The generation of clock_acceptance that the node last read.';
COMMENT ON COLUMN settled.clock_baseline.accepted_milliseconds IS
  'The accepted_milliseconds of clock_acceptance that the node last read.';
COMMENT ON COLUMN settled.clock_baseline.host_milliseconds IS
  'How far the node''s wall clock may lag behind the database, in milliseconds.';
COMMENT ON COLUMN settled.clock_hold.difference_milliseconds IS
  'The jump in milliseconds: the difference between the database''s clock and the expected time.';
COMMENT ON COLUMN settled.clock_hold.boot_id IS
  'The boot of the node''s machine in which it saw the jump. Empty if it is unknown.';
COMMENT ON COLUMN settled.clock_hold.agreed IS
  'The number of baselines that existed when the node last saw the clocks agree.';
COMMENT ON COLUMN settled.clock_hold.lifted IS
  'Whether another node saw the clocks agree. The row then stops only its own node.';
COMMENT ON COLUMN settled.clock_hold.accepted IS
  'Whether an operator accepted the difference. The row then stops no node, and its node deletes it.';
COMMENT ON TABLE settled.event IS 'Events as readers see them, ordered by position.';
COMMENT ON COLUMN settled.event.key IS 'The id, as text, of the object that the topic names.';
COMMENT ON TABLE settled.event_closing IS
  'Closed default partitions of events. Each is kept for the retention period after closed_at.';
COMMENT ON COLUMN settled.event_counter.last_position IS 'The latest position. 0 if no event has one.';
COMMENT ON COLUMN settled.event_counter.pruned_through IS
  'The last position that was pruned. A reader at an older position has missed events.';
COMMENT ON TABLE settled.event_epoch IS 'The epochs of event positions. The newest one applies to the next event.';
COMMENT ON COLUMN settled.event_epoch.epoch IS 'The number of the epoch. A position is epoch * 10^15 + number.';
COMMENT ON COLUMN settled.event_epoch.history IS
  'The cluster, database and timeline that numbered the events of the epoch. Null until the first event.';
COMMENT ON TABLE settled.event_pending IS 'Events without a position. A node numbers them after they are committed.';
COMMENT ON COLUMN settled.event_pending.key IS 'The id, as text, of the object that the topic names.';
COMMENT ON COLUMN settled.failure.next_attempt_at IS 'The end of the backoff.';
COMMENT ON COLUMN settled.failure.quarantined IS 'Whether the item is quarantined and waits for an operator.';
COMMENT ON COLUMN settled.failure.dropped_at IS 'When an operator dropped the item. Null if it was not dropped.';
COMMENT ON COLUMN settled.failure.dropped_reason IS
  'The operator''s reason for dropping the item. Null if it was not dropped.';
COMMENT ON COLUMN settled.failure.sql_state IS
  'The SQLSTATE of the latest failure. Null if the database reported none.';
COMMENT ON TABLE settled.function_script IS 'The functions that were last applied, as one script.';
COMMENT ON COLUMN settled.function_script.roles IS
  'The product''s roles that existed at that time. A new role needs its grants.';
COMMENT ON COLUMN settled.function_script.applied_at IS 'When the script was applied, by the wall clock.';
COMMENT ON COLUMN settled.function_script.release IS
  'The number in sql/functions/0-release.sql. 0 if the functions are older than the numbering.';
COMMENT ON TABLE settled.granted_right IS
  'The rights that the last migration granted. doctor compares them with the current ones.';
COMMENT ON COLUMN settled.granted_right.object IS 'The object in the form that GRANT uses, such as TABLE racing.race.';
COMMENT ON COLUMN settled.granted_right.privilege IS
  'The privilege in the form that GRANT uses, with the column if it has one.';
COMMENT ON COLUMN settled.installation.clock_base IS 'The simulated time that was last set. Null if the clock is real.';
COMMENT ON COLUMN settled.installation.clock_set_at IS
  'The real time at which clock_base was set. Null if the clock is real.';
COMMENT ON COLUMN settled.installation.clock_running IS
  'Whether the simulated clock runs from clock_base. If not, it is stopped.';
COMMENT ON COLUMN settled.installation.home IS
  'The cluster and database in which the installation lives. Null until the first daemon starts.';
COMMENT ON TABLE settled.lease IS
  'Items of leased jobs that a node is processing. A node takes over a lease whose generation it has seen unchanged '
  'for long enough.';
COMMENT ON COLUMN settled.lease.owner IS 'The run of a node that owns the lease. A restarted node is another owner.';
COMMENT ON COLUMN settled.lease.generation IS 'The number of the lease. No number is used twice.';
COMMENT ON COLUMN settled.lease.taken_at IS 'When the lease was taken, by the wall clock.';
COMMENT ON TABLE settled.migration IS 'The applied migrations. settled migrate writes them.';
COMMENT ON COLUMN settled.migration.breaking IS
  'Whether programs without this migration cannot work with the database.';
COMMENT ON COLUMN settled.migration.applied_at IS 'When the migration was applied, by the wall clock.';
COMMENT ON COLUMN settled.node.needs_notify IS
  'Whether the node requests notifications. Writers send them only on request, because NOTIFY serialises commits. '
  'Formerly named asleep.';
COMMENT ON COLUMN settled.node.backend_pid IS
  'The process ID of the session that owns the node''s name. Null if there is no such session.';
COMMENT ON COLUMN settled.node.backend_start IS 'The start of that session. Null if there is none.';
COMMENT ON COLUMN settled.node.backend_role IS
  'The role of that session. It determines whether other sessions can see backend_start. Null if there is no session.';
COMMENT ON COLUMN settled.node.beats IS
  'The node''s heartbeats. If the node remembers more of them, the database has lost commits.';
COMMENT ON COLUMN settled.node.has_provider IS
  'Whether the node is configured to call the provider of activities. Null if the node runs an earlier release.';
COMMENT ON COLUMN settled.occurrence.reason IS
  'Why the tick did not run, or why the run failed. Null if neither applies.';
COMMENT ON COLUMN settled.occurrence.backfilled IS 'Whether an operator backfilled the tick.';
COMMENT ON COLUMN settled.occurrence.started_at IS
  'The business time at which the run began. Null if it has not begun.';
COMMENT ON COLUMN settled.occurrence.finished_at IS
  'The business time at which the tick reached its final status. Null if it has not.';
COMMENT ON COLUMN settled.occurrence.node IS 'The node that last claimed the run. Null if none has.';
COMMENT ON COLUMN settled.occurrence.claimed_at IS 'The real time of the latest claim. Null if there is none.';
COMMENT ON COLUMN settled.occurrence.rows IS 'The number that the run returned. Null if it returned none.';
COMMENT ON COLUMN settled.occurrence.attempts IS 'How often the run was started.';
COMMENT ON TABLE settled.occurrence_history IS 'One row: the instant from which the ledger of ticks is complete.';
COMMENT ON COLUMN settled.occurrence_history.kept_from IS
  'The instant from which the ledger is complete. Pruning moves it forward.';
COMMENT ON TABLE settled.problem IS 'Open problems. health and status show them until they are solved.';
COMMENT ON COLUMN settled.problem.name IS 'The source of the problem: ledger, or schedule NAME.';
COMMENT ON TABLE settled.request IS
  'Responses to commands with a request id, so that a repeated command returns the same response.';
COMMENT ON COLUMN settled.request.request IS 'The hash of the command and its parameters.';
COMMENT ON TABLE settled.restoration IS 'Findings that the database is older than a node remembers. Times are real.';
COMMENT ON COLUMN settled.restoration.node IS 'The node that detected it.';
COMMENT ON COLUMN settled.restoration.found_at IS 'When the node detected it.';
COMMENT ON COLUMN settled.restoration.timeline IS 'The server''s timeline at that time.';
COMMENT ON COLUMN settled.restoration.jobs IS 'The jobs that stop until an operator accepts the finding.';
COMMENT ON COLUMN settled.restoration.accepted_at IS 'When an operator accepted the finding. Null if none has.';
COMMENT ON TABLE settled.retention IS
  'Tables with monthly partitions, which history pruning creates and drops. retention.sql of each module writes the '
  'rows.';
COMMENT ON COLUMN settled.retention.setting IS 'The setting that contains the age up to which rows are kept.';
COMMENT ON TABLE settled.run IS
  'Occurrences that are planned or running. A claimed row that has been without a lock for 2 seconds belongs to a '
  'dead run.';
COMMENT ON COLUMN settled.run.is_own IS 'Whether it is a run of a built-in schedule.';
COMMENT ON COLUMN settled.run.is_first IS 'Whether this run of its schedule is running, or is the next to begin.';
COMMENT ON COLUMN settled.run.started_at IS 'When the run began, in business time. Null if it has not begun.';
COMMENT ON COLUMN settled.run.claimed_at IS 'When the run was claimed, by the wall clock. Null if it has not been.';
COMMENT ON COLUMN settled.run.backend IS 'The server process that runs an operator''s function. Null if there is none.';
COMMENT ON TABLE settled.schedule IS 'Schedules in their current form.';
COMMENT ON COLUMN settled.schedule.cron IS 'The cron expression. Null if the schedule has a single tick, at.';
COMMENT ON COLUMN settled.schedule.at IS 'The only tick. Null if the schedule has a cron expression.';
COMMENT ON COLUMN settled.schedule.call IS 'The function to call, as schema.function(). Null for a built-in schedule.';
COMMENT ON COLUMN settled.schedule.runs_max IS
  'The greatest number of missed ticks that run if missed is all. Null otherwise.';
COMMENT ON COLUMN settled.schedule.within IS
  'The greatest age of a missed tick that runs if missed is all. Null otherwise.';
COMMENT ON COLUMN settled.schedule.timeout IS 'The longest time that a run may take.';
COMMENT ON COLUMN settled.schedule.splay IS 'The delay between a tick and the due time of its run.';
COMMENT ON COLUMN settled.schedule.cursor_at IS 'The instant up to which every tick has its row in occurrence.';
COMMENT ON COLUMN settled.schedule.next_tick_at IS 'The first tick after cursor_at. Null if there is none.';
COMMENT ON TABLE settled.schedule_period IS
  'The definitions of a schedule over time. Each applies to ticks after valid_from and up to valid_to.';
COMMENT ON COLUMN settled.schedule_period.cron IS 'The cron expression. Null if the schedule had a single tick, at.';
COMMENT ON COLUMN settled.schedule_period.at IS 'The only tick. Null if the schedule had a cron expression.';
COMMENT ON COLUMN settled.schedule_period.valid_from IS 'The instant after which the definition applies.';
COMMENT ON COLUMN settled.schedule_period.valid_to IS
  'The last instant at which the definition applies. Null if it is the current one.';
COMMENT ON COLUMN settled.schedule_period.offsets IS
  'The zone''s offsets from UTC, if the period ended because the tz data changed. Null otherwise.';
COMMENT ON TABLE settled.setting IS 'Settings that can be changed while the service runs.';
COMMENT ON COLUMN settled.setting.value IS 'The value that was set. Null if default_value applies.';
COMMENT ON COLUMN settled.setting.low IS
  'The lowest value: in seconds for a span, otherwise the number. Null if there is none.';
COMMENT ON COLUMN settled.setting.high IS 'The highest value, in the unit of low. Null if there is none.';
COMMENT ON TABLE settled.time_zone IS
  'Zones that people and settings may name. Every migration fills the table from the server''s tz data.';
COMMENT ON TABLE settled.zone_future IS
  'The UTC offsets of each zone in use for the years ahead. A difference reveals new tz data.';
COMMENT ON COLUMN settled.zone_future.offsets IS
  'The spans of constant offset as [[start, offset], ...]. start is in seconds since 1970 UTC, offset in seconds.';
COMMENT ON COLUMN settled.zone_future.read_at IS
  'When a session read the offsets, by the server''s real clock. Readings of older sessions are ignored.';
COMMENT ON TABLE checkins.day IS 'Closed days. Each day is closed once.';
COMMENT ON COLUMN checkins.day.checked_in IS 'The number of check-ins of the day.';
COMMENT ON COLUMN checkins.day.streaks_ended IS 'The number of streaks that ended with the day.';
COMMENT ON COLUMN checkins.entry.zone IS 'The time zone in which the person''s date was determined.';
COMMENT ON COLUMN checkins.entry.score IS 'The score, from -11 to 9 in steps of 0.5.';
COMMENT ON COLUMN checkins.entry.metrics IS 'The metrics as they were sent, without the date.';
COMMENT ON COLUMN checkins.entry.checked_in_at IS 'When the person checked in.';
COMMENT ON TABLE checkins.profile IS 'People, identified by the app''s user id.';
COMMENT ON COLUMN checkins.profile.user_id IS 'The app''s id of the person.';
COMMENT ON COLUMN checkins.profile.time_zone IS 'The time zone that the app sent. Null if UTC applies.';
COMMENT ON COLUMN checkins.profile.zone_since IS 'The date, in the zone, on which the person began to use it.';
COMMENT ON COLUMN checkins.profile.streak_id IS 'The latest streak. Null if there is none.';
COMMENT ON COLUMN checkins.profile.bridged IS 'The dates after the last entry that a change of time zone skipped.';
COMMENT ON COLUMN checkins.profile.chronological_age_years IS
  'The age in years given at the onboarding. Null if none was given.';
COMMENT ON COLUMN checkins.profile.delta_years IS
  'The sum in years of the deltas of all days, including days whose entries were pruned.';
COMMENT ON COLUMN checkins.profile.rejuvenation_days IS 'The number of days with a delta below 0.';
COMMENT ON COLUMN checkins.profile.acceleration_days IS 'The number of days with a delta above 0.';
COMMENT ON COLUMN checkins.profile.trend_days IS
  'The number of consecutive days up to the last entry with a delta of the same sign. Negative for rejuvenation, '
  'positive for acceleration.';
COMMENT ON COLUMN checkins.streak.ends_on IS
  'The first date after last_on that is not bridged. Without an entry, the streak ends at the end of this date in its '
  'zone.';
COMMENT ON COLUMN checkins.streak.ended_at IS 'When the streak was ended. Null if it has not been.';
COMMENT ON TABLE checkins.tally IS
  'Check-ins of an open day. Several rows count them, so that callers do not wait for each other.';
COMMENT ON COLUMN checkins.tally.shard IS 'The number of the row among the day''s rows.';
COMMENT ON COLUMN checkins.tally.checked_in IS 'The number of check-ins that the row has counted.';
COMMENT ON TABLE checkins.zone IS 'Time zones that profiles use, with the next day of each to close.';
COMMENT ON COLUMN checkins.zone.next_at IS 'When next_date ends.';
COMMENT ON COLUMN checkins.zone.streaks_ended IS
  'The number of streaks that the closing of next_date has ended so far.';
COMMENT ON COLUMN checkins.zone.ended_on IS 'The ends_on of the last streak ended. -infinity if there is none.';
COMMENT ON COLUMN checkins.zone.ended_id IS 'The id of the last streak ended. 0 if there is none.';
COMMENT ON TABLE seasons.app_user IS 'People, identified by the app''s username.';
COMMENT ON COLUMN seasons.app_user.username IS 'The app''s name for the person.';
COMMENT ON COLUMN seasons.app_user.runner_id IS 'The person''s runner. Null if there is none.';
COMMENT ON COLUMN seasons.comment.uuid IS 'The id by which apps identify the comment.';
COMMENT ON COLUMN seasons.comment.parent_id IS
  'The comment that this one replies to. Null if it is a comment on the talk itself.';
COMMENT ON COLUMN seasons.comment.depth IS 'The depth of the reply. 0 for a comment on the talk itself.';
COMMENT ON TABLE seasons.earning IS 'Earned points. Only erasing a person changes a row.';
COMMENT ON COLUMN seasons.earning.activity_uuid IS 'The app''s id of the activity. Null if there is none.';
COMMENT ON COLUMN seasons.earning.activity_digest IS
  'The digest of activity_uuid, which may be too long for an index. Null if there is none.';
COMMENT ON COLUMN seasons.earning.season IS 'xc or track. Null if the points belong to no season.';
COMMENT ON COLUMN seasons.earning.year IS 'The year of the season. Null if the points belong to no season.';
COMMENT ON COLUMN seasons.earning.description IS 'The app''s text. Null if there is none.';
COMMENT ON COLUMN seasons.earning.version IS 'The version whose team total includes the points. Null if none does.';
COMMENT ON TABLE seasons.own_earning_day IS
  'How often each runner earned points on their own behalf on the latest day, by type of activity.';
COMMENT ON COLUMN seasons.own_earning_day.day IS 'The day, as a date in seasons.time_zone.';
COMMENT ON COLUMN seasons.recent_view.display_name IS 'The person''s name at the time of the view.';
COMMENT ON COLUMN seasons.reward.display_order IS 'The place in lists. It is unique within a season.';
COMMENT ON COLUMN seasons.reward.achieved_date IS
  'When the team reached the reward. reward-check sets it once. Null if the team has not.';
COMMENT ON COLUMN seasons.reward.created_by IS
  'The person who created the reward, as the app named them. Null if none was named.';
COMMENT ON TABLE seasons.runner IS 'Runners of the teams. The lock of a row serialises the calls for its runner.';
COMMENT ON COLUMN seasons.runner.points IS 'All points that the runner has ever earned.';
COMMENT ON TABLE seasons.seasonal_total IS 'The runners'' points by season.';
COMMENT ON TABLE seasons.team_change IS 'Additions to team_total that reward-check has not applied yet.';
COMMENT ON COLUMN seasons.team_change.version IS 'The version whose total receives the addition.';
COMMENT ON COLUMN seasons.team_change.moved IS 'The points that a change of the roster adds or removes.';
COMMENT ON COLUMN seasons.team_change.earned IS 'The points that were earned.';
COMMENT ON COLUMN seasons.team_talk.uuid IS 'The id by which apps identify the talk.';
COMMENT ON TABLE seasons.team_total IS 'The points that each version adds to a team''s total.';
COMMENT ON COLUMN seasons.team_total.moved IS 'The points that the version''s change of the roster added or removed.';
COMMENT ON COLUMN seasons.team_total.earned IS 'The points that were earned in the version.';
COMMENT ON TABLE seasons.threshold IS 'The thresholds of each reward. Each threshold applies from its version onwards.';
COMMENT ON COLUMN seasons.uncounted_view.display_name IS 'The person''s name at the time of the view.';
COMMENT ON TABLE seasons.view IS 'Views of team talks in monthly partitions, kept for seasons.view_retention.';
COMMENT ON COLUMN seasons.view.display_name IS 'The person''s name at the time of the view.';
COMMENT ON COLUMN seasons.view.team IS 'UA or NU, as the app sent it. Null if none was sent.';
COMMENT ON TABLE seasons.view_total IS 'The counted views of each talk.';
COMMENT ON COLUMN seasons.view_total.views IS 'The number of counted views.';
COMMENT ON COLUMN seasons.view_total.viewers IS 'The number of counted viewers.';
COMMENT ON TABLE seasons.viewer IS 'The counted viewers of each talk.';
COMMENT ON TABLE achievements.achievement IS
  'Achievements as they are shown. Their requirements are in their editions.';
COMMENT ON COLUMN achievements.achievement.slug IS 'The name by which apps identify the achievement.';
COMMENT ON COLUMN achievements.achievement.icon IS 'The icon, with the keys type, color, symbol and svg_url.';
COMMENT ON COLUMN achievements.achievement.unlock_requirements IS
  'The requirements as they are shown. Null if the steps contain them.';
COMMENT ON COLUMN achievements.achievement.reward IS 'The points for unlocking the achievement.';
COMMENT ON COLUMN achievements.achievement.is_hidden IS 'Whether the achievement is masked until it is unlocked.';
COMMENT ON COLUMN achievements.achievement.category IS
  'authors, books_and_series, categories, contributions or career. Null if there is none.';
COMMENT ON TABLE achievements.completion IS 'Steps that people have completed permanently.';
COMMENT ON COLUMN achievements.completion.completed_at IS
  'The time of the report or definition that completed the step.';
COMMENT ON TABLE achievements.counter IS 'People''s counts by metric and target.';
COMMENT ON COLUMN achievements.counter.target_key IS 'The key of the target. Empty if there is none.';
COMMENT ON TABLE achievements.criterion IS
  'Counters and the values that they must reach: one row for an edition, or one for each of its steps.';
COMMENT ON COLUMN achievements.criterion.step_id IS
  'The id of the step. It stays the same while each edition has a step at this place. Null if the edition has no '
  'steps.';
COMMENT ON COLUMN achievements.criterion.target IS 'The target as it is shown. Null if there is none.';
COMMENT ON COLUMN achievements.criterion.target_key IS 'The key of the target. Empty if there is none.';
COMMENT ON COLUMN achievements.criterion.value IS 'The value that the counter must reach.';
COMMENT ON COLUMN achievements.criterion.needs_previous IS 'Whether the previous step must be completed first.';
COMMENT ON COLUMN achievements.criterion.name IS 'The name of the step. Null if the edition has no steps.';
COMMENT ON COLUMN achievements.criterion.description IS 'The text of the step. Null if the edition has no steps.';
COMMENT ON COLUMN achievements.edition.reward IS 'The points for unlocking the achievement by this edition.';
COMMENT ON COLUMN achievements.edition.defined_at IS 'When the achievement was defined in this form.';
COMMENT ON COLUMN achievements.edition.replaced_by IS
  'The number of the edition that replaced this one. Null if it is in force.';
COMMENT ON TABLE achievements.evaluation IS
  'People to judge by a new edition: by a counter, by a step, or all people. A row is deleted when all of its people '
  'have been judged.';
COMMENT ON COLUMN achievements.evaluation.metric IS
  'The counter''s metric, if people are judged by a counter. Null otherwise.';
COMMENT ON COLUMN achievements.evaluation.target_key IS
  'The counter''s target, if people are judged by a counter. Null otherwise.';
COMMENT ON COLUMN achievements.evaluation.step_id IS 'The step, if people are judged by a step. Null otherwise.';
COMMENT ON COLUMN achievements.evaluation.last_value IS
  'The counter value of the last person judged. People are judged in the order of their values and ids.';
COMMENT ON COLUMN achievements.evaluation.done IS 'The number of people judged so far.';
COMMENT ON COLUMN achievements.evaluation.total IS 'The number of people to judge. Null until the evaluation begins.';
COMMENT ON COLUMN achievements.evaluation.left_users IS 'People who were skipped because their rows were locked.';
COMMENT ON TABLE achievements.latch IS 'Rows that serve only as locks.';
COMMENT ON TABLE achievements.person IS 'People, each with the latest change whose results are not recorded yet.';
COMMENT ON COLUMN achievements.person.id IS 'The app''s id of the person.';
COMMENT ON COLUMN achievements.person.earned_points IS 'The points from rewards. The counter of points includes them.';
COMMENT ON COLUMN achievements.person.unlock_count IS 'The number of achievements that the person has unlocked.';
COMMENT ON COLUMN achievements.person.edition IS
  'The latest edition at the time when the counters last changed or were judged.';
COMMENT ON COLUMN achievements.person.due_at IS 'The instant since which a check is due. Null if none is due.';
COMMENT ON COLUMN achievements.person.changed_at IS
  'When the latest change was made. Null if all results are recorded.';
COMMENT ON COLUMN achievements.person.changed_metric IS
  'The metric of the latest change''s counter. Null if the person is new, or if all results are recorded.';
COMMENT ON COLUMN achievements.person.changed_target_key IS
  'The target of the latest change''s counter. Null if changed_metric is null.';
COMMENT ON COLUMN achievements.person.changed_from IS
  'The value of that counter before the latest change. Null if changed_metric is null.';
COMMENT ON COLUMN achievements.report.idempotency_key IS 'The idempotency key of the report.';
COMMENT ON COLUMN achievements.report.target_key IS 'The key of the target. Empty if there is none.';
COMMENT ON TABLE achievements.total IS 'The unlocks of each achievement, without those in uncounted.';
COMMENT ON COLUMN achievements.total.unlocks IS 'The number of counted unlocks.';
COMMENT ON TABLE achievements.uncounted IS 'Unlocks that total does not include yet.';
COMMENT ON TABLE achievements.unlock IS 'Achievements that people have unlocked permanently.';
COMMENT ON COLUMN achievements.unlock.unlocked_at IS
  'The time of the report or definition that unlocked the achievement.';
COMMENT ON COLUMN achievements.unlock.reward IS 'The points that the unlock added.';
COMMENT ON COLUMN achievements.unlock.is_announced IS 'Whether the event of the unlock was written.';
COMMENT ON TABLE accounts.account IS 'People who log in.';
COMMENT ON COLUMN accounts.account.password_hash IS
  'The hash of the password with its parameters. Null if no password was set.';
COMMENT ON COLUMN accounts.account.epoch IS 'Incremented to revoke all tokens that were issued earlier.';
COMMENT ON COLUMN accounts.account.verified_at IS
  'When a one-time link of this account was first used. Null if none was; the address is unverified until then.';
COMMENT ON TABLE accounts.attempt IS 'Failed log-ins by name, whether or not an account with the name exists.';
COMMENT ON COLUMN accounts.attempt.addresses IS
  'The callers'' addresses, oldest first. failed_at contains their times.';
COMMENT ON TABLE accounts.known_address IS
  'Addresses from which a name has logged in within the last 30 days, at most five for each.';
COMMENT ON COLUMN accounts.known_address.logged_in_at IS
  'When the name last logged in from the address, by the wall clock.';
COMMENT ON TABLE accounts.one_time_token IS 'Tokens that allow a person to set a password once.';
COMMENT ON COLUMN accounts.one_time_token.digest IS 'The SHA-256 of the token.';
COMMENT ON COLUMN accounts.one_time_token.kind IS
  'set-password if an operator created it, or reset if the person requested it.';
COMMENT ON SCHEMA gateway IS 'The functions that the gateway calls, and its stored responses.';
COMMENT ON TABLE gateway.answer IS 'Responses to requests with an Idempotency-Key, kept for 30 days.';
COMMENT ON COLUMN gateway.answer.digest IS 'The SHA-256 of the scope and the idempotency key.';
COMMENT ON COLUMN gateway.answer.fingerprint IS
  'The fingerprint of the request''s text, which distinguishes it from other requests.';
COMMENT ON COLUMN gateway.answer.answer IS
  'The response. Null until the transaction of the request has one; other transactions do not see the row before that.';
COMMENT ON COLUMN gateway.answer.value_fingerprint IS
  'The fingerprint of the value that the request writes: members by name, numbers by value. Null if an earlier '
  'release wrote the row.';
COMMENT ON TABLE gateway.caller_person IS
  'The people behind callers with stored responses. A row whose caller has none is deleted after a month.';
COMMENT ON COLUMN gateway.caller_person.person IS
  'The person in a form such as account:17, athlete:42 or username:coach.';
COMMENT ON COLUMN gateway.caller_person.caller IS 'The caller as in gateway.answer.';
COMMENT ON COLUMN gateway.caller_person.seen_at IS
  'A real time, at most a day before the caller''s latest stored response.';
