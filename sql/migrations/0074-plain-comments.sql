-- Clearer comments on schemas, tables and columns, except those of strava and racing. sql/schema.sql contains them.
COMMENT ON TABLE settled.audit IS 'One row per mutating command. Rows change only when a person is erased.';
COMMENT ON COLUMN settled.audit.id IS 'The command''s sequence number.';
COMMENT ON COLUMN settled.audit.at IS 'When the command ran, by the wall clock.';
COMMENT ON COLUMN settled.audit.uid IS 'The caller''s user id, as reported by the kernel.';
COMMENT ON COLUMN settled.audit.gid IS 'The caller''s group id, as reported by the kernel.';
COMMENT ON COLUMN settled.audit.pid IS 'The caller''s process id, as reported by the kernel.';
COMMENT ON COLUMN settled.audit.command IS 'The command''s name, such as race.cancel.';
COMMENT ON COLUMN settled.audit.request_id IS 'The command''s request id. Null if none was given.';
COMMENT ON TABLE settled.call_window IS 'External calls made by all nodes, per budget and window length.';
COMMENT ON COLUMN settled.call_window.started_at IS
  'The start of the window, by the wall clock. Windows begin at multiples of their length since the Unix epoch.';
COMMENT ON COLUMN settled.call_window.seconds IS 'The window length in seconds.';
COMMENT ON COLUMN settled.call_window.told_limit IS
  'The limit that the provider reported, which overrides the setting. Null if none was reported.';
COMMENT ON COLUMN settled.call_window.short_at IS 'When a caller last requested more calls than remained. Null if never.';
COMMENT ON TABLE settled.clock_acceptance IS 'One row: the clock differences that operators have accepted.';
COMMENT ON COLUMN settled.clock_acceptance.generation IS 'How many times operators have accepted a difference.';
COMMENT ON TABLE settled.clock_baseline IS
  'The database''s clock and each node''s boot clock, read when both were last known to be correct.';
COMMENT ON COLUMN settled.clock_baseline.boot_id IS 'The machine''s boot id when the boot clock was read.';
COMMENT ON COLUMN settled.clock_baseline.established IS 'The baseline''s number, counted across all nodes.';
COMMENT ON TABLE settled.clock_hold IS
  'Nodes that have seen the database''s clock jump. A row that is neither lifted nor accepted stops all settlement.';
COMMENT ON COLUMN settled.clock_hold.boot_id IS 'The machine''s boot id when the node saw the jump. Empty if unknown.';
COMMENT ON COLUMN settled.clock_hold.lifted IS
  'Whether another node has seen the clocks agree. If so, the row stops only its own node.';
COMMENT ON COLUMN settled.clock_hold.accepted IS
  'Whether an operator has accepted the difference. If so, the row does not stop any node and is deleted by the node that wrote it.';
COMMENT ON TABLE settled.event IS 'Numbered events. Readers receive them in order of position.';
COMMENT ON COLUMN settled.event.position IS 'The event''s position: epoch * 10^15 + number.';
COMMENT ON COLUMN settled.event.topic IS 'The kind of event, for example race.settled.';
COMMENT ON COLUMN settled.event.key IS 'The id of the object that the event concerns, as text.';
COMMENT ON COLUMN settled.event.payload IS 'The event''s data. Its keys are in camelCase.';
COMMENT ON TABLE settled.event_closing IS
  'Closed default partitions of the event table. Each is kept for the retention period after closed_at.';
COMMENT ON TABLE settled.event_counter IS 'One row. Transactions lock it to number events in order.';
COMMENT ON COLUMN settled.event_counter.last_position IS 'The latest position. 0 if no event has been numbered.';
COMMENT ON COLUMN settled.event_counter.pruned_through IS
  'The last position that was pruned. A reader at an earlier position has missed events.';
COMMENT ON COLUMN settled.event_epoch.epoch IS 'The epoch''s number. A position is epoch * 10^15 + number.';
COMMENT ON COLUMN settled.event_epoch.first_number IS
  'The number of the epoch''s first event. Numbers continue from one epoch to the next.';
COMMENT ON COLUMN settled.event_epoch.history IS
  'The cluster, database and timeline in which the epoch''s events were numbered. Null until the first event.';
COMMENT ON TABLE settled.event_pending IS 'Events without a position. A node numbers them after their transactions commit.';
COMMENT ON COLUMN settled.event_pending.id IS 'A sequence number, in the order in which the events were written.';
COMMENT ON COLUMN settled.event_pending.topic IS 'The kind of event, for example race.settled.';
COMMENT ON COLUMN settled.event_pending.key IS 'The id of the object that the event concerns, as text.';
COMMENT ON COLUMN settled.event_pending.payload IS 'The event''s data. Its keys are in camelCase.';
COMMENT ON TABLE settled.failure IS 'Job items that have failed and have not succeeded since. Times are by the wall clock.';
COMMENT ON COLUMN settled.failure.id IS 'The failure''s id.';
COMMENT ON COLUMN settled.failure.job IS 'The job''s name.';
COMMENT ON COLUMN settled.failure.key IS 'The item''s key, in the format that its job uses.';
COMMENT ON COLUMN settled.failure.attempts IS 'The number of failed attempts since the last success.';
COMMENT ON COLUMN settled.failure.next_attempt_at IS 'When the backoff ends.';
COMMENT ON COLUMN settled.failure.quarantined IS 'Whether the item is quarantined until an operator acts.';
COMMENT ON COLUMN settled.failure.first_at IS 'When the first attempt since the last success failed.';
COMMENT ON COLUMN settled.failure.error IS 'The latest failure''s error message.';
COMMENT ON TABLE settled.function_script IS 'The most recently applied functions, as one script.';
COMMENT ON COLUMN settled.function_script.roles IS
  'The settled roles that existed when the script was applied. A new role requires new grants.';
COMMENT ON COLUMN settled.function_script.release IS
  'The release number in sql/functions/0-release.sql. 0 if the functions predate release numbers.';
COMMENT ON TABLE settled.granted_right IS
  'The rights that the last migration granted. The settlectl doctor command compares them with the current rights.';
COMMENT ON COLUMN settled.granted_right.object IS 'The object as GRANT names it, such as TABLE racing.race.';
COMMENT ON COLUMN settled.granted_right.privilege IS 'The privilege as GRANT names it, including the column if there is one.';
COMMENT ON TABLE settled.installation IS 'One row: this database''s kind and identity.';
COMMENT ON COLUMN settled.installation.clock_set_at IS 'When clock_base was set, by the wall clock. Null if the clock is real.';
COMMENT ON COLUMN settled.installation.clock_running IS
  'Whether the simulated clock runs from clock_base. If false, the clock is stopped.';
COMMENT ON COLUMN settled.installation.id IS 'The identity that lets nodes recognise the database after a restore.';
COMMENT ON COLUMN settled.installation.home IS
  'The cluster and database in which the installation runs. Null until the first daemon starts.';
COMMENT ON TABLE settled.job IS 'Jobs that operators have paused or resumed.';
COMMENT ON TABLE settled.lease IS
  'Items of leased jobs that nodes are processing. Another node takes over a lease if the lease''s generation stays unchanged for long enough.';
COMMENT ON COLUMN settled.lease.key IS 'The item''s key, in the format that its job uses.';
COMMENT ON COLUMN settled.lease.owner IS 'The node process that owns the lease. A restarted node is a different owner.';
COMMENT ON COLUMN settled.lease.generation IS 'The lease''s generation. Generations are never reused.';
COMMENT ON TABLE settled.migration IS 'The applied migrations, recorded by settled migrate.';
COMMENT ON COLUMN settled.migration.number IS 'The number at the start of the file name.';
COMMENT ON COLUMN settled.migration.name IS 'The file name.';
COMMENT ON COLUMN settled.migration.breaking IS 'Whether programs that predate this migration cannot work with the database.';
COMMENT ON TABLE settled.node IS 'Nodes of the cluster. Times are by the wall clock.';
COMMENT ON COLUMN settled.node.version IS 'The version of the program that the node runs.';
COMMENT ON COLUMN settled.node.started_at IS 'When the node started.';
COMMENT ON COLUMN settled.node.last_seen_at IS 'The node''s latest heartbeat.';
COMMENT ON COLUMN settled.node.backend_start IS 'When the session in backend_pid started. Null if there is no such session.';
COMMENT ON COLUMN settled.node.backend_role IS
  'The role of the session in backend_pid. The role determines whether other sessions can see backend_start. Null if there is no such session.';
COMMENT ON COLUMN settled.node.beats IS
  'The node''s heartbeat count. If the node remembers a higher count, the database has lost commits.';
COMMENT ON COLUMN settled.node.has_provider IS
  'Whether the node is configured to call the activity provider. Null if the node''s release predates this column.';
COMMENT ON TABLE settled.occurrence IS 'The ledger of ticks. Each tick has one row.';
COMMENT ON COLUMN settled.occurrence.id IS 'A sequence number, in the order in which the rows were planned.';
COMMENT ON COLUMN settled.occurrence.instant IS 'The time of the tick.';
COMMENT ON COLUMN settled.occurrence.node IS 'The node that last claimed the run. Null if no node has claimed it.';
COMMENT ON COLUMN settled.occurrence.claimed_at IS
  'When the run was last claimed, by the wall clock. Null if it was never claimed.';
COMMENT ON COLUMN settled.occurrence.finished_at IS
  'The business time at which the tick reached its final status. Null if the status is not final.';
COMMENT ON COLUMN settled.occurrence.rows IS 'The number that the run returned. Null if the run did not return one.';
COMMENT ON COLUMN settled.occurrence.attempts IS 'How many times the run was started.';
COMMENT ON TABLE settled.problem IS 'Open problems. The health and status commands report them until they are resolved.';
COMMENT ON COLUMN settled.problem.name IS 'The source of the problem: ledger or schedule NAME.';
COMMENT ON COLUMN settled.problem.problem IS 'A description of the problem.';
COMMENT ON COLUMN settled.problem.since IS 'When the problem was detected.';
COMMENT ON TABLE settled.request IS
  'Responses to commands that have a request id. Repeating a command returns the stored response.';
COMMENT ON COLUMN settled.request.uid IS 'The caller''s user id.';
COMMENT ON COLUMN settled.request.request_id IS 'The request id that the caller sent with the command.';
COMMENT ON COLUMN settled.request.request IS 'A hash of the command and its parameters.';
COMMENT ON COLUMN settled.request.at IS 'When the command ran, by the wall clock.';
COMMENT ON TABLE settled.restoration IS
  'Findings that the database was restored to an earlier state than a node remembers. Times are by the wall clock.';
COMMENT ON COLUMN settled.restoration.id IS 'The finding''s id.';
COMMENT ON COLUMN settled.restoration.node IS 'The node that detected the restore.';
COMMENT ON COLUMN settled.restoration.found_at IS 'When the node detected the restore.';
COMMENT ON COLUMN settled.restoration.timeline IS 'The server''s timeline when the restore was detected.';
COMMENT ON COLUMN settled.restoration.finding IS 'A description of the finding.';
COMMENT ON COLUMN settled.restoration.jobs IS 'The jobs that remain stopped until an operator accepts the finding.';
COMMENT ON TABLE settled.retention IS
  'Tables whose monthly partitions are created and dropped by the history-pruning job. Each module''s retention.sql inserts its rows.';
COMMENT ON COLUMN settled.retention.column_name IS 'The partition key, which is a date or an instant.';
COMMENT ON COLUMN settled.retention.setting IS 'The setting that defines how long rows are kept.';
COMMENT ON TABLE settled.run IS
  'Planned and running occurrences. A run is dead if its claimed row has not been locked for 2 seconds.';
COMMENT ON COLUMN settled.run.instant IS 'The time of the tick.';
COMMENT ON COLUMN settled.run.is_own IS 'Whether the run belongs to a built-in schedule.';
COMMENT ON COLUMN settled.run.is_first IS 'Whether this is the schedule''s current or next run.';
COMMENT ON COLUMN settled.run.claimed_at IS 'When the run was claimed, by the wall clock. Null if it has not been claimed.';
COMMENT ON COLUMN settled.run.backend IS
  'The process id of the session that is executing an operator''s function. Null if there is none.';
COMMENT ON TABLE settled.schedule IS 'The current definitions of the schedules.';
COMMENT ON COLUMN settled.schedule.cron IS 'The cron expression. Null if the schedule''s only tick is in the at column.';
COMMENT ON COLUMN settled.schedule.at IS 'The schedule''s only tick. Null if the schedule has a cron expression.';
COMMENT ON COLUMN settled.schedule.runs_max IS 'If missed is all, the maximum number of missed ticks to run. Otherwise null.';
COMMENT ON COLUMN settled.schedule.within IS 'If missed is all, the maximum age of a missed tick to run. Otherwise null.';
COMMENT ON COLUMN settled.schedule.timeout IS 'The maximum duration of a run.';
COMMENT ON COLUMN settled.schedule.splay IS 'The delay between a tick and its run''s due time.';
COMMENT ON COLUMN settled.schedule.cursor_at IS 'The instant up to which every tick has a row in occurrence.';
COMMENT ON TABLE settled.schedule_period IS
  'The definitions of each schedule over time. A definition applies to ticks after valid_from, up to and including valid_to.';
COMMENT ON COLUMN settled.schedule_period.id IS 'The period''s id.';
COMMENT ON COLUMN settled.schedule_period.cron IS 'The cron expression. Null if the schedule''s only tick was in the at column.';
COMMENT ON COLUMN settled.schedule_period.at IS 'The schedule''s only tick. Null if the schedule had a cron expression.';
COMMENT ON COLUMN settled.schedule_period.valid_to IS
  'The last instant to which the definition applies. Null for the current definition.';
COMMENT ON COLUMN settled.setting.kind IS
  'The type of the value: whole, percent, span, spans, retention, shares, switch, url or zone.';
COMMENT ON COLUMN settled.setting.low IS 'The lowest allowed value, in seconds for a span. Null if there is no limit.';
COMMENT ON COLUMN settled.setting.high IS 'The highest allowed value, in seconds for a span. Null if there is no limit.';
COMMENT ON COLUMN settled.setting.meaning IS 'A description of the setting.';
COMMENT ON COLUMN settled.setting.value IS 'The value set by an operator. Null if default_value applies.';
COMMENT ON COLUMN settled.setting.default_value IS 'The default value, which applies if value is null.';
COMMENT ON TABLE settled.time_zone IS
  'The time zones that people and settings can use. Each run of settled migrate adds names from the server''s tz data.';
COMMENT ON TABLE settled.zone_future IS
  'The future UTC offsets of each time zone in use. A difference from the current offsets indicates new tz data.';
COMMENT ON COLUMN settled.zone_future.offsets IS
  'The spans with a constant offset, as [[start, offset], ...]. start is a Unix time, and both are in seconds.';
COMMENT ON COLUMN settled.zone_future.read_at IS
  'When a session read the offsets, by the server''s wall clock. Readings from older sessions are ignored.';
COMMENT ON SCHEMA checkins IS 'Check-ins, streaks and closed days per time zone.';
COMMENT ON TABLE checkins.day IS 'Closed days. Each day is closed once per time zone.';
COMMENT ON COLUMN checkins.day.zone IS 'The time zone of the date.';
COMMENT ON COLUMN checkins.day.checked_in IS 'The number of check-ins on this date.';
COMMENT ON COLUMN checkins.day.streaks_ended IS 'The number of streaks that ended on this date.';
COMMENT ON TABLE checkins.entry IS 'Check-ins: one per person and date.';
COMMENT ON COLUMN checkins.entry.zone IS 'The person''s time zone at check-in, which determined the date.';
COMMENT ON COLUMN checkins.entry.metrics IS 'The metrics as sent by the app, without the date.';
COMMENT ON COLUMN checkins.profile.id IS 'The person''s id in this database.';
COMMENT ON COLUMN checkins.profile.user_id IS 'The app''s id for the person.';
COMMENT ON COLUMN checkins.profile.is_onboarded IS 'Whether onboarding is complete.';
COMMENT ON COLUMN checkins.profile.zone_since IS 'The local date in this time zone when the person started to use the zone.';
COMMENT ON COLUMN checkins.profile.bridged IS 'Dates after the last entry that were skipped because the time zone changed.';
COMMENT ON COLUMN checkins.profile.chronological_age_years IS 'The age in years at onboarding. Null if none was given.';
COMMENT ON COLUMN checkins.profile.delta_years IS
  'The sum of all daily deltas in years, including those of days whose entries have been pruned.';
COMMENT ON COLUMN checkins.profile.trend_days IS
  'The number of consecutive days, up to the last entry, whose deltas have the same sign. Negative for rejuvenation and positive for acceleration.';
COMMENT ON TABLE checkins.streak IS 'Streaks of check-ins on consecutive dates.';
COMMENT ON COLUMN checkins.streak.id IS 'The streak''s id.';
COMMENT ON COLUMN checkins.streak.zone IS 'The time zone that determines the streak''s days.';
COMMENT ON COLUMN checkins.streak.ends_on IS
  'The first date after last_on that is not bridged. If there is no entry on this date, the streak ends when the date ends in the streak''s time zone.';
COMMENT ON COLUMN checkins.streak.ended_at IS 'When the streak was marked as ended. Null if it is not marked.';
COMMENT ON TABLE checkins.tally IS 'Check-in counters for open days. Each day has several rows, to avoid lock contention.';
COMMENT ON COLUMN checkins.tally.zone IS 'The time zone of the date.';
COMMENT ON COLUMN checkins.tally.shard IS 'The row''s number among the rows for the same day.';
COMMENT ON COLUMN checkins.tally.checked_in IS 'The number of check-ins counted in this row.';
COMMENT ON TABLE checkins.zone IS 'The time zones that profiles use, each with the next day to close.';
COMMENT ON COLUMN checkins.zone.streaks_ended IS 'The number of streaks ended so far while closing next_date.';
COMMENT ON COLUMN checkins.zone.ended_on IS 'The ends_on date of the last streak ended. -infinity if no streak has been ended.';
COMMENT ON COLUMN checkins.zone.ended_id IS 'The id of the last streak ended. 0 if no streak has been ended.';
COMMENT ON TABLE seasons.activity_type IS 'Activity types and their points.';
COMMENT ON COLUMN seasons.activity_type.points IS 'The points awarded per activity.';
COMMENT ON COLUMN seasons.app_user.id IS 'The person''s id in this database.';
COMMENT ON COLUMN seasons.app_user.username IS 'The username that the app uses for the person.';
COMMENT ON COLUMN seasons.app_user.display_name IS 'The name shown to other people.';
COMMENT ON TABLE seasons.comment IS 'Comments and replies on team talks.';
COMMENT ON COLUMN seasons.comment.id IS 'The comment''s sequence number.';
COMMENT ON COLUMN seasons.comment.uuid IS 'The id that apps use for the comment.';
COMMENT ON COLUMN seasons.comment.talk_id IS 'The team talk that was commented on.';
COMMENT ON COLUMN seasons.comment.parent_id IS 'The parent comment of a reply. Null for a comment on the talk itself.';
COMMENT ON COLUMN seasons.comment.depth IS 'The nesting depth of a reply. 0 for a comment on the talk itself.';
COMMENT ON TABLE seasons.earning IS 'Earned points. Rows change only when a person is erased.';
COMMENT ON COLUMN seasons.earning.id IS 'The earning''s sequence number.';
COMMENT ON COLUMN seasons.earning.activity_uuid IS 'The app''s id for the activity. Null if there is none.';
COMMENT ON COLUMN seasons.earning.activity_digest IS
  'The digest of activity_uuid, which can be too long for an index. Null if there is none.';
COMMENT ON COLUMN seasons.earning.season IS 'xc or track. Null if the points do not belong to a season.';
COMMENT ON COLUMN seasons.earning.year IS 'The year of the season. Null if the points do not belong to a season.';
COMMENT ON COLUMN seasons.earning.points IS 'The points awarded for the activity.';
COMMENT ON COLUMN seasons.earning.description IS 'The app''s description. Null if there is none.';
COMMENT ON COLUMN seasons.earning.version IS 'The version whose team total includes the points. Null if no version includes them.';
COMMENT ON TABLE seasons.own_earning_day IS
  'How many times each runner earned points without a coach on the latest day, per activity type.';
COMMENT ON COLUMN seasons.own_earning_day.day IS 'The date in the time zone set by seasons.time_zone.';
COMMENT ON COLUMN seasons.reaction.talk_id IS 'The talk that the reaction belongs to.';
COMMENT ON COLUMN seasons.reaction.emoji IS 'The emoji.';
COMMENT ON TABLE seasons.recent_view IS 'The twenty latest counted views of each talk.';
COMMENT ON COLUMN seasons.recent_view.id IS 'The view''s id.';
COMMENT ON COLUMN seasons.recent_view.display_name IS 'The person''s display name when the talk was viewed.';
COMMENT ON TABLE seasons.reward IS 'Rewards that teams earn together.';
COMMENT ON COLUMN seasons.reward.id IS 'The reward''s id.';
COMMENT ON COLUMN seasons.reward.description IS 'A description of the reward.';
COMMENT ON COLUMN seasons.reward.display_order IS 'The position in lists. Unique within a season.';
COMMENT ON COLUMN seasons.reward.achieved_date IS
  'When the team reached the reward. Set once by the reward-check job. Null if the reward has not been reached.';
COMMENT ON COLUMN seasons.reward.created_by IS
  'The name of the person who created the reward, as sent by the app. Null if none was sent.';
COMMENT ON TABLE seasons.runner IS 'The teams'' runners. Calls for a runner are serialised by a lock on the runner''s row.';
COMMENT ON COLUMN seasons.runner.id IS 'The runner''s id.';
COMMENT ON COLUMN seasons.runner.graduating_class IS 'The graduation year.';
COMMENT ON COLUMN seasons.runner.points IS 'All points that the runner has ever earned.';
COMMENT ON COLUMN seasons.runner.does_xc IS 'Whether the runner competes in the xc season.';
COMMENT ON COLUMN seasons.runner.does_track IS 'Whether the runner competes in the track season.';
COMMENT ON TABLE seasons.seasonal_total IS 'Each runner''s points per season.';
COMMENT ON COLUMN seasons.seasonal_total.points IS 'The runner''s points in the season.';
COMMENT ON TABLE seasons.team_change IS 'Additions to team_total that the reward-check job has not applied yet.';
COMMENT ON COLUMN seasons.team_change.id IS 'The addition''s sequence number.';
COMMENT ON COLUMN seasons.team_change.version IS 'The version whose total receives the points.';
COMMENT ON COLUMN seasons.team_change.earned IS 'The points earned.';
COMMENT ON COLUMN seasons.team_change.moved IS 'The points that a roster change adds or removes.';
COMMENT ON TABLE seasons.team_talk IS 'Team talks, which are posts to a team.';
COMMENT ON COLUMN seasons.team_talk.id IS 'The talk''s sequence number.';
COMMENT ON COLUMN seasons.team_talk.uuid IS 'The id that apps use for the talk.';
COMMENT ON COLUMN seasons.team_talk.author IS 'The author''s name, as sent by the app.';
COMMENT ON COLUMN seasons.team_total.earned IS 'The points earned in this version.';
COMMENT ON COLUMN seasons.team_total.moved IS 'The points that the version''s roster change added or removed.';
COMMENT ON TABLE seasons.threshold IS 'Each reward''s thresholds over time. A threshold applies from its version onwards.';
COMMENT ON COLUMN seasons.threshold.reward_id IS 'The reward that the threshold belongs to.';
COMMENT ON TABLE seasons.uncounted_view IS 'Views that the view-rollup job has not counted yet.';
COMMENT ON COLUMN seasons.uncounted_view.id IS 'The view''s id.';
COMMENT ON COLUMN seasons.uncounted_view.display_name IS 'The person''s display name when the talk was viewed.';
COMMENT ON TABLE seasons.version IS 'Changes to rosters and thresholds, in order. A lock on row 0 serialises them.';
COMMENT ON COLUMN seasons.version.number IS 'The version''s number.';
COMMENT ON TABLE seasons.view IS
  'Views of team talks, in monthly partitions. The seasons.view_retention setting defines how long they are kept.';
COMMENT ON COLUMN seasons.view.id IS 'The view''s id.';
COMMENT ON COLUMN seasons.view.display_name IS 'The person''s display name when the talk was viewed.';
COMMENT ON COLUMN seasons.view.team IS 'UA or NU, as sent by the app. Null if none was sent.';
COMMENT ON TABLE seasons.view_total IS 'Counted views and viewers per talk.';
COMMENT ON TABLE seasons.viewer IS 'The people whose views of a talk have been counted.';
COMMENT ON SCHEMA achievements IS 'People, their counters, and the achievements they have unlocked.';
COMMENT ON TABLE achievements.completion IS 'Permanent step completions, one row per person and step.';
COMMENT ON TABLE achievements.achievement IS 'Achievements as displayed. Their requirements are stored in their editions.';
COMMENT ON COLUMN achievements.achievement.id IS 'The achievement''s id.';
COMMENT ON COLUMN achievements.achievement.slug IS 'The slug that apps use to identify the achievement.';
COMMENT ON COLUMN achievements.achievement.name IS 'The displayed name.';
COMMENT ON COLUMN achievements.achievement.description IS 'The displayed description.';
COMMENT ON COLUMN achievements.achievement.icon IS 'The icon: an object with the keys type, color, symbol and svg_url.';
COMMENT ON COLUMN achievements.achievement.unlock_requirements IS 'The displayed requirements. Null if the steps contain them.';
COMMENT ON COLUMN achievements.achievement.display_order IS 'The position in lists.';
COMMENT ON COLUMN achievements.completion.completed_at IS 'The time of the report or definition that completed the step.';
COMMENT ON TABLE achievements.counter IS 'Each person''s counters, per metric and target.';
COMMENT ON COLUMN achievements.counter.user_id IS 'The person to whom the counter belongs.';
COMMENT ON COLUMN achievements.counter.target_key IS 'The target''s key. Empty if there is no target.';
COMMENT ON COLUMN achievements.counter.metric IS 'The counter''s metric.';
COMMENT ON TABLE achievements.criterion IS
  'Required counter values: one row per edition, or one row per step if the edition has steps.';
COMMENT ON COLUMN achievements.criterion.place IS 'The step''s position.';
COMMENT ON COLUMN achievements.criterion.step_id IS
  'The step''s id. It stays the same as long as each new edition has a step in this position. Null if the edition has no steps.';
COMMENT ON COLUMN achievements.criterion.target IS 'The displayed target. Null if there is none.';
COMMENT ON COLUMN achievements.criterion.target_key IS 'The target''s key. Empty if there is no target.';
COMMENT ON COLUMN achievements.criterion.needs_previous IS 'Whether the previous step must be completed before this one.';
COMMENT ON COLUMN achievements.criterion.name IS 'The step''s name. Null if the edition has no steps.';
COMMENT ON COLUMN achievements.criterion.description IS 'The step''s description. Null if the edition has no steps.';
COMMENT ON COLUMN achievements.criterion.edition IS 'The edition that the criterion belongs to.';
COMMENT ON COLUMN achievements.criterion.metric IS 'The metric of the counter that must reach the value.';
COMMENT ON TABLE achievements.edition IS
  'Versions of achievements'' requirements, numbered in commit order. Each version applies until the achievement is redefined.';
COMMENT ON COLUMN achievements.edition.number IS 'The edition''s number.';
COMMENT ON COLUMN achievements.edition.reward IS 'The points for unlocking the achievement under this edition.';
COMMENT ON COLUMN achievements.edition.defined_at IS 'When this edition was defined.';
COMMENT ON COLUMN achievements.edition.replaced_by IS
  'The number of the edition that replaced this one. Null if this edition is current.';
COMMENT ON TABLE achievements.evaluation IS
  'Groups of people to evaluate against a new edition. A group is selected by a counter or a step, or contains all people. A row is deleted when its whole group has been evaluated.';
COMMENT ON COLUMN achievements.evaluation.id IS 'The evaluation''s sequence number.';
COMMENT ON COLUMN achievements.evaluation.metric IS 'The counter''s metric, if people are selected by a counter. Null otherwise.';
COMMENT ON COLUMN achievements.evaluation.target_key IS
  'The counter''s target, if people are selected by a counter. Null otherwise.';
COMMENT ON COLUMN achievements.evaluation.step_id IS 'The step, if people are selected by a step. Null otherwise.';
COMMENT ON COLUMN achievements.evaluation.last_value IS
  'The counter value of the last person evaluated. People are evaluated in order of value, then id.';
COMMENT ON COLUMN achievements.evaluation.last_user IS 'The id of the last person evaluated.';
COMMENT ON COLUMN achievements.evaluation.done IS 'The number of people evaluated so far.';
COMMENT ON COLUMN achievements.evaluation.total IS 'The number of people to evaluate. Null until the evaluation begins.';
COMMENT ON COLUMN achievements.evaluation.left_users IS 'People skipped because their rows were locked.';
COMMENT ON TABLE achievements.latch IS 'Rows used only as locks.';
COMMENT ON COLUMN achievements.latch.name IS 'The lock''s name.';
COMMENT ON TABLE achievements.person IS 'People, each with the latest change whose results have not been recorded yet.';
COMMENT ON COLUMN achievements.person.id IS 'The app''s id for the person.';
COMMENT ON COLUMN achievements.person.earned_points IS
  'The points earned from rewards. The counter for the points metric includes them.';
COMMENT ON COLUMN achievements.person.unlock_count IS 'The number of achievements the person has unlocked.';
COMMENT ON COLUMN achievements.person.edition IS
  'The edition that was the latest when the counters last changed or were last evaluated.';
COMMENT ON COLUMN achievements.person.due_at IS 'When an evaluation became due. Null if none is due.';
COMMENT ON COLUMN achievements.person.changed_at IS 'When the latest change was made. Null if all results have been recorded.';
COMMENT ON COLUMN achievements.person.changed_metric IS
  'The metric of the counter that changed last. Null if the person is new, or if all results have been recorded.';
COMMENT ON COLUMN achievements.person.changed_target_key IS
  'The target of the counter that changed last. Null if changed_metric is null.';
COMMENT ON COLUMN achievements.person.changed_from IS
  'The counter''s value before the latest change. Null if changed_metric is null.';
COMMENT ON COLUMN achievements.person.name IS 'The person''s name.';
COMMENT ON TABLE achievements.report IS 'Metric reports by idempotency key, in monthly partitions.';
COMMENT ON COLUMN achievements.report.idempotency_key IS 'The report''s idempotency key.';
COMMENT ON COLUMN achievements.report.reported_on IS 'The date of the report, in UTC.';
COMMENT ON COLUMN achievements.report.target_key IS 'The target''s key. Empty if there is no target.';
COMMENT ON COLUMN achievements.report.metric IS 'The reported metric.';
COMMENT ON COLUMN achievements.report.value IS 'The reported value.';
COMMENT ON TYPE achievements.standing IS
  'A person''s results that have not been recorded yet, and the person''s points including those results.';
COMMENT ON TABLE achievements.total IS 'Unlock counts per achievement, excluding the unlocks in achievements.uncounted.';
COMMENT ON TABLE achievements.uncounted IS 'Unlocks not yet included in achievements.total.';
COMMENT ON COLUMN achievements.uncounted.id IS 'The unlock''s sequence number.';
COMMENT ON COLUMN achievements.unlock.unlocked_at IS 'The time of the report or definition that unlocked the achievement.';
COMMENT ON COLUMN achievements.unlock.reward IS 'The points added by the unlock.';
COMMENT ON COLUMN achievements.unlock.is_announced IS 'Whether the event for the unlock has been written.';
COMMENT ON SCHEMA accounts IS 'People''s log-in accounts, linked to identities in the other schemas. Times are by the wall clock.';
COMMENT ON TABLE accounts.account IS 'Accounts of people who log in.';
COMMENT ON COLUMN accounts.account.username IS 'The person''s username in seasons.';
COMMENT ON COLUMN accounts.account.password_hash IS 'The password hash with its parameters. Null if no password has been set.';
COMMENT ON COLUMN accounts.account.checkin_id IS 'The person''s user id in checkins.';
COMMENT ON COLUMN accounts.account.epoch IS 'Incremented to revoke all earlier tokens.';
COMMENT ON COLUMN accounts.account.verified_at IS
  'When a one-time link for this account was first used, which verifies the address. Null if none has been used.';
COMMENT ON TABLE accounts.attempt IS 'Failed log-ins by name, whether or not an account with that name exists.';
COMMENT ON COLUMN accounts.attempt.addresses IS
  'The callers'' addresses, oldest first. The failed_at column has the corresponding times.';
COMMENT ON TABLE accounts.known_address IS
  'The addresses from which a name has logged in within the last 30 days, at most five per name.';
COMMENT ON COLUMN accounts.known_address.address IS 'An IPv4 address, or the /64 prefix of an IPv6 address.';
COMMENT ON TABLE accounts.one_time_token IS 'Tokens that allow a person to set a password. Each can be used once.';
COMMENT ON SCHEMA gateway IS 'The functions that the gateway calls, and stored responses.';
COMMENT ON TABLE gateway.answer IS 'Responses to requests with an Idempotency-Key header, kept for 30 days.';
COMMENT ON COLUMN gateway.answer.fingerprint IS
  'A fingerprint of the request''s text. Different requests have different fingerprints.';
COMMENT ON COLUMN gateway.answer.answer IS
  'The response. Null until the request''s transaction has one; other transactions cannot see the row before then.';
COMMENT ON COLUMN gateway.answer.value_fingerprint IS
  'A fingerprint of the value that the request writes, with members compared by name and numbers by value. Null if an earlier release wrote the row.';
COMMENT ON TABLE gateway.caller_person IS
  'The people represented by the callers of stored responses. A row is deleted about a month after its caller''s last stored response.';
COMMENT ON COLUMN gateway.caller_person.person IS 'The person, such as account:17, athlete:42 or username:coach.';
COMMENT ON COLUMN gateway.caller_person.caller IS 'The caller, as recorded in gateway.answer.';
COMMENT ON COLUMN gateway.caller_person.seen_at IS 'A wall-clock time, at most a day before the caller''s latest stored response.';
