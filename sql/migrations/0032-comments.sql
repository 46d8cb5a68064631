-- Comments of schemas, tables and columns: sql/schema.sql shows them. Generated and renamed columns have their rule.
COMMENT ON SCHEMA settled IS
  'The engine: clock, settings, schedules, failures, events, nodes and audit. Knows no other schema.';
COMMENT ON SCHEMA strava IS 'Connections to the provider of activities: tokens, calls and imports.';
COMMENT ON SCHEMA racing IS 'Athletes, races, entries, activities, reviews and the ledger.';
COMMENT ON SCHEMA checkins IS 'Check-ins, streaks and the days of each time zone.';
COMMENT ON SCHEMA seasons IS 'Runners, points, rewards and team talks.';
COMMENT ON SCHEMA achievements IS 'People, their counters, and the achievements that they unlock.';
COMMENT ON SCHEMA accounts IS 'Log-ins of people, linked to their identities in the other schemas. Times are real.';
COMMENT ON SCHEMA gateway IS 'The functions that the gateway calls, and its kept answers.';

COMMENT ON TABLE settled.migration IS 'The migrations that were applied; written by settled migrate.';
COMMENT ON COLUMN settled.migration.breaking IS 'Programs without this migration cannot work with the database.';
COMMENT ON TABLE settled.function_script IS 'The functions that were applied last, as one script.';
COMMENT ON COLUMN settled.function_script.roles IS
  'The product''s roles that existed then: a new role needs its grants.';
COMMENT ON COLUMN settled.function_script.release IS
  'The number in sql/functions/0-release.sql; 0: from before releases were numbered.';
COMMENT ON TABLE settled.installation IS 'One row: the kind and identity of this database.';
COMMENT ON COLUMN settled.installation.clock_base IS 'The simulated time that was set last.';
COMMENT ON COLUMN settled.installation.clock_set_at IS 'The real time at which it was set.';
COMMENT ON COLUMN settled.installation.clock_running IS 'Whether the simulated clock runs on from clock_base.';
COMMENT ON COLUMN settled.installation.id IS 'The identity by which nodes recognise the database after a restore.';
COMMENT ON TABLE settled.time_zone IS
  'Zones that people and settings may name; filled by every migration from the server''s tz data.';
COMMENT ON TABLE settled.setting IS 'Rules that may be changed while the service runs.';
COMMENT ON COLUMN settled.setting.value IS 'Null: default_value applies.';
COMMENT ON COLUMN settled.setting.low IS 'The least value: seconds of a span, else the number.';
COMMENT ON COLUMN settled.setting.high IS 'The greatest value, in the unit of low.';
COMMENT ON TABLE settled.event_pending IS 'Events without a position: a node numbers them after their commit.';
COMMENT ON TABLE settled.event IS 'Events as readers see them, in the order of position.';
COMMENT ON TABLE settled.event_counter IS 'One row, whose lock orders the numbering of events.';
COMMENT ON COLUMN settled.event_counter.pruned_through IS 'Readers at an older position have missed events.';
COMMENT ON TABLE settled.event_closing IS 'Closed default partitions of events: kept from closed_at for the retention.';
COMMENT ON COLUMN settled.event_closing.through IS 'The last position in the partition.';
COMMENT ON TABLE settled.failure IS 'Items of jobs that failed and have not succeeded since. Times are real.';
COMMENT ON COLUMN settled.failure.next_attempt_at IS 'The end of the back-off.';
COMMENT ON COLUMN settled.failure.quarantined IS 'The item waits for an operator.';
COMMENT ON COLUMN settled.failure.dropped_at IS 'When an operator dropped the item; null: it was not dropped.';
COMMENT ON TABLE settled.node IS 'Nodes of the cluster. Times are real.';
COMMENT ON COLUMN settled.node.needs_notify IS
  'Writers notify only while a node asks for it, because NOTIFY serialises commits. Formerly asleep.';
COMMENT ON COLUMN settled.node.backend_pid IS 'The process of the session that holds the node''s name.';
COMMENT ON COLUMN settled.node.backend_start IS 'The start of that session.';
COMMENT ON COLUMN settled.node.backend_role IS
  'The role of that session: it decides whether other sessions can see backend_start.';
COMMENT ON COLUMN settled.node.beats IS 'Heartbeats of the node: one that remembers more has lost commits.';
COMMENT ON TABLE settled.job IS 'Jobs that operators paused or resumed.';
COMMENT ON TABLE settled.audit IS 'One row for each mutating command; only erasing changes it.';
COMMENT ON TABLE settled.request IS
  'Answers to commands with a request id, so that a repeated command returns the same answer.';
COMMENT ON COLUMN settled.request.request IS 'The hash of command and parameters.';
COMMENT ON TABLE settled.clock_baseline IS
  'The database''s clock beside each node''s boot clock when both were last known to be right.';
COMMENT ON COLUMN settled.clock_baseline.established IS 'The baseline''s number among those of all nodes.';
COMMENT ON COLUMN settled.clock_baseline.agreed IS
  'How many baselines were established when the node last saw the clocks agree.';
COMMENT ON COLUMN settled.clock_baseline.acceptances IS 'The generation of clock_acceptance that the node knows.';
COMMENT ON COLUMN settled.clock_baseline.accepted_milliseconds IS
  'The accepted_milliseconds of clock_acceptance that the node knows.';
COMMENT ON COLUMN settled.clock_baseline.host_milliseconds IS
  'How far the node''s wall clock may lag behind the database.';
COMMENT ON TABLE settled.clock_hold IS
  'Nodes that saw the database''s clock jump. A row that is neither lifted nor accepted stops all settlement.';
COMMENT ON COLUMN settled.clock_hold.agreed IS
  'How many baselines were established when the node last saw the clocks agree.';
COMMENT ON COLUMN settled.clock_hold.lifted IS 'Another node saw the clocks agree: the row stops its own node only.';
COMMENT ON COLUMN settled.clock_hold.accepted IS
  'An operator accepted the difference: the row stops no node, and its node deletes it.';
COMMENT ON TABLE settled.clock_acceptance IS 'One row: the clock differences that operators accepted.';
COMMENT ON COLUMN settled.clock_acceptance.generation IS 'How often operators accepted a difference.';
COMMENT ON COLUMN settled.clock_acceptance.accepted_milliseconds IS 'The sum of the accepted differences.';
COMMENT ON COLUMN settled.clock_acceptance.baselines IS 'How many baselines were established.';
COMMENT ON TABLE settled.schedule IS 'A schedule as it is now.';
COMMENT ON COLUMN settled.schedule.call IS 'The function to call, schema.function(); null: a built-in schedule.';
COMMENT ON COLUMN settled.schedule.cursor_at IS 'Every tick up to this instant has its row in occurrence.';
COMMENT ON COLUMN settled.schedule.next_tick_at IS 'The first tick after cursor_at; null: there is none.';
COMMENT ON TABLE settled.schedule_period IS
  'The definition of a schedule over time: it applies to ticks after valid_from and up to valid_to.';
COMMENT ON COLUMN settled.schedule_period.offsets IS
  'The zone''s offsets from UTC in a period that ended because the tz data changed.';
COMMENT ON TABLE settled.occurrence IS 'The ledger of ticks: each tick has one row.';
COMMENT ON COLUMN settled.occurrence.due_at IS 'The instant plus the schedule''s splay.';
COMMENT ON COLUMN settled.occurrence.claimed_at IS 'Real time of the latest claim.';
COMMENT ON COLUMN settled.occurrence.attempts IS 'How often the run was begun.';
COMMENT ON TABLE settled.occurrence_history IS 'One row: the start of the complete ledger of ticks.';
COMMENT ON COLUMN settled.occurrence_history.kept_from IS 'Moved forward by pruning.';
COMMENT ON TABLE settled.run IS
  'Occurrences that are planned or run. A claimed row that nobody has locked for 2 seconds is dead.';
COMMENT ON COLUMN settled.run.is_own IS 'A run of a built-in schedule.';
COMMENT ON COLUMN settled.run.is_first IS 'The run of its schedule that runs, or is the next to begin.';
COMMENT ON COLUMN settled.run.started_at IS 'Business time.';
COMMENT ON COLUMN settled.run.claimed_at IS 'Real time.';
COMMENT ON COLUMN settled.run.backend IS 'The server process that runs an operator''s function.';
COMMENT ON TABLE settled.zone_future IS
  'The offsets of each zone in use for the years ahead: a change shows new tz data.';
COMMENT ON COLUMN settled.zone_future.offsets IS '[[start, offset], ...] in seconds.';
COMMENT ON TABLE settled.problem IS 'Problems that stand until they are solved; health and status show them.';
COMMENT ON COLUMN settled.problem.name IS 'The finder: ledger, or schedule NAME.';
COMMENT ON TABLE settled.retention IS
  'Tables with monthly partitions, which history pruning creates and drops. Written by retention.sql.';
COMMENT ON COLUMN settled.retention.column_name IS 'The partition key: a date or an instant.';
COMMENT ON COLUMN settled.retention.setting IS 'The setting with the age to which rows are kept.';
COMMENT ON TABLE settled.lease IS
  'Items of leased jobs that a node works on. A node takes over a lease whose generation it has seen unchanged for '
  'long enough.';
COMMENT ON COLUMN settled.lease.owner IS 'One run of a node: after a restart the node is another owner.';
COMMENT ON COLUMN settled.lease.generation IS 'Never used twice.';
COMMENT ON COLUMN settled.lease.taken_at IS 'Real time.';
COMMENT ON TABLE settled.call_window IS 'External calls that all nodes have spent, by length of window.';
COMMENT ON COLUMN settled.call_window.started_at IS
  'Real time; windows begin at multiples of their length since 1970 UTC.';
COMMENT ON COLUMN settled.call_window.told_limit IS 'The limit that the provider reported; it overrides the setting.';
COMMENT ON COLUMN settled.call_window.used_with_reserve IS 'Calls that were allowed to use the window''s reserve.';
COMMENT ON TABLE settled.restoration IS 'Findings of a database that is older than its nodes remember. Times are real.';
COMMENT ON COLUMN settled.restoration.node IS 'The node that noticed.';
COMMENT ON COLUMN settled.restoration.timeline IS 'The server''s timeline then.';
COMMENT ON COLUMN settled.restoration.jobs IS 'Jobs that stop until an operator accepts.';
COMMENT ON TABLE settled.granted_right IS
  'The rights that the last migration granted; doctor compares them with the present ones.';
COMMENT ON COLUMN settled.granted_right.object IS 'As GRANT names it: TABLE racing.race.';
COMMENT ON COLUMN settled.granted_right.privilege IS 'As GRANT names it, with the column if it has one.';

COMMENT ON TABLE strava.connection IS 'An athlete''s connection to the provider.';
COMMENT ON COLUMN strava.connection.provider_athlete_id IS 'The athlete''s number at the provider.';
COMMENT ON COLUMN strava.connection.reason IS 'Why the athlete must connect again.';
COMMENT ON COLUMN strava.connection.attempt IS
  'Incremented when the app connects or disconnects, so that a late reply is recognised.';
COMMENT ON COLUMN strava.connection.tokens_given IS
  'How often the provider has issued tokens; kept when they are deleted.';
COMMENT ON COLUMN strava.connection.expires_at IS 'The end of the access token, by the provider.';
COMMENT ON COLUMN strava.connection.next_call_at IS
  'When to exchange the code, refresh or revoke; null: no call is needed.';
COMMENT ON COLUMN strava.connection.refreshed_at IS
  'The latest request for the tokens, which is granted at most every 15 minutes.';
COMMENT ON COLUMN strava.connection.is_in_races IS
  'Whether the athlete has entries in races that have not ended: see race_period.';
COMMENT ON COLUMN strava.connection.refused_expiry IS
  'The expires_at of the token that the provider refused: reads wait for another token.';
COMMENT ON TABLE strava.secret IS 'Authorization codes and refresh tokens, sealed.';
COMMENT ON COLUMN strava.secret.number IS 'The attempt of a code; tokens_given of a refresh token.';
COMMENT ON COLUMN strava.secret.key_id IS 'The key that seals it; null: not sealed yet.';
COMMENT ON TABLE strava.access IS 'Access tokens in clear, which only strava.access_token reads: SQL cannot unseal.';
COMMENT ON TABLE strava.sealing_key IS
  'Sealing keys by a prefix of their digest. The one that is not retired seals new secrets.';
COMMENT ON TABLE strava.lost_reply IS
  'Calls without a reply that the provider may have carried out, one row for each token or code.';
COMMENT ON COLUMN strava.lost_reply.cause IS 'wire: the reply was lost. node: the waiting node ended or hung.';
COMMENT ON COLUMN strava.lost_reply.is_lost IS
  'The provider has refused the token or code since: the athlete must connect again.';
COMMENT ON TABLE strava.call_error IS 'Failed calls by class, since the installation.';
COMMENT ON TABLE strava.provider IS 'One row: the circuit breaker for the provider.';
COMMENT ON COLUMN strava.provider.open_since IS 'When the breaker opened; null: it is closed.';
COMMENT ON COLUMN strava.provider.open_class IS 'The class of the failure that opened it.';
COMMENT ON TABLE strava.race_period IS 'The periods in which an athlete''s tokens take precedence.';
COMMENT ON TABLE strava.importer IS 'One row: the functions of the module that wants activities.';
COMMENT ON COLUMN strava.importer.wanted IS
  'The signature of the function that chooses activities, such as f.g(jsonb).';
COMMENT ON COLUMN strava.importer.keep IS 'The signature of the function that imports one.';
COMMENT ON TABLE strava.import_request IS
  'Athletes whose activities are listed before races settle: one row for all races due together.';
COMMENT ON COLUMN strava.import_request.since IS 'Activities that started at this instant or later, and';
COMMENT ON COLUMN strava.import_request.before IS 'before this one.';
COMMENT ON COLUMN strava.import_request.until_at IS 'The request expires then.';
COMMENT ON COLUMN strava.import_request.page IS 'The page to read next.';
COMMENT ON TABLE strava.found_activity IS
  'Activities that were found; their streams are fetched before they are imported.';
COMMENT ON COLUMN strava.found_activity.summary IS 'In the keys of racing.import_activity, without streams.';
COMMENT ON COLUMN strava.found_activity.until_at IS 'The activity is imported without streams then.';

COMMENT ON TABLE racing.athlete IS 'An athlete''s profile.';
COMMENT ON COLUMN racing.athlete.updated_at IS 'The latest change of the profile; null: never.';
COMMENT ON TABLE racing.race IS 'A race, with a snapshot of the settings at its creation.';
COMMENT ON COLUMN racing.race.due_at IS 'ends_at plus the results grace: the earliest settlement.';
COMMENT ON COLUMN racing.race.prize_shares IS 'Percent of the pool for the first three places.';
COMMENT ON COLUMN racing.race.entry_cutoff IS 'Entries close this long before ends_at.';
COMMENT ON COLUMN racing.race.review_hold IS 'The longest that held activities delay the settlement after due_at.';
COMMENT ON COLUMN racing.race.next_check_at IS
  'When settlement next checks an ended race: due_at, or the end of the hold while it waits. Formerly attend_at.';
COMMENT ON COLUMN racing.race.waiting_activities IS 'The held activities that the settlement waits for.';
COMMENT ON COLUMN racing.race.correction_due_at IS
  'Since when a follow-up is due: refunds of disqualified entries, or a correction. Formerly marked_at.';
COMMENT ON COLUMN racing.race.settle_due_at IS
  'When the settlement job is due: next_check_at while the race is ended, or correction_due_at if that is earlier. '
  'Generated; formerly settle_at.';
COMMENT ON TABLE racing.activity IS
  'An activity as imported, with its verdict. One flagged before validation may be reviewed without scores.';
COMMENT ON COLUMN racing.activity.elapsed_time IS 'Seconds.';
COMMENT ON COLUMN racing.activity.moving_time IS 'Seconds.';
COMMENT ON COLUMN racing.activity.distance IS 'Metres.';
COMMENT ON COLUMN racing.activity.max_speed IS 'Metres per second.';
COMMENT ON COLUMN racing.activity.content_hash IS
  'Of all that was imported: importing the same content again changes nothing.';
COMMENT ON COLUMN racing.activity.imported_at IS 'When the present content was imported.';
COMMENT ON COLUMN racing.activity.flag_count IS 'Open flags.';
COMMENT ON COLUMN racing.activity.flagged_at IS 'The latest flag.';
COMMENT ON COLUMN racing.activity.scored IS 'Whether the scores of the present content are known.';
COMMENT ON TABLE racing.flag IS
  'Users'' reports of an activity. A final decision closes them; content that was decided on cannot be flagged '
  'again.';
COMMENT ON COLUMN racing.flag.closed_content IS 'The content_hash that was decided on.';
COMMENT ON TABLE racing.review IS 'A review of a flagged activity: one at a time.';
COMMENT ON COLUMN racing.review.level IS 'How often a reminder escalated it.';
COMMENT ON TABLE racing.decision IS
  'Reviewers'' decisions, kept for ever: any number of requests and one final decision for each review.';
COMMENT ON TABLE racing.activity_stream IS 'An activity''s streams, apart because they are large.';
COMMENT ON COLUMN racing.activity_stream.times IS 'Billionths of a second, truncated.';
COMMENT ON COLUMN racing.activity_stream.distances IS 'Billionths of a metre, truncated.';
COMMENT ON TABLE racing.entry IS 'An athlete''s entry in a race, with its latest result.';
COMMENT ON COLUMN racing.entry.activity_id IS 'The activity that the settlement counted.';
COMMENT ON COLUMN racing.entry.disqualified_by IS
  'The disqualified activity; in a settled race the status follows with the correction.';
COMMENT ON COLUMN racing.entry.is_refunded IS 'Whether the fee was paid back.';
COMMENT ON TABLE racing.wallet IS 'An athlete''s balances: each equals the sum of its postings.';
COMMENT ON COLUMN racing.wallet.pending_pence IS 'Withdrawals that the payment provider has not confirmed.';
COMMENT ON COLUMN racing.wallet.receivable_pence IS 'The athlete''s debt after a correction.';
COMMENT ON TABLE racing.journal IS
  'The ledger, append-only: a journal and its postings are written by one transaction.';
COMMENT ON COLUMN racing.journal.written_by IS 'The transaction that wrote it.';
COMMENT ON TABLE racing.posting IS 'Double-entry postings: those of one journal sum to zero.';
COMMENT ON COLUMN racing.posting.athlete_id IS 'Of the accounts wallet, pending and receivable.';
COMMENT ON COLUMN racing.posting.race_id IS 'Of the account pool.';
COMMENT ON COLUMN racing.posting.amount_pence IS 'The account''s gain; negative for a receivable that grows.';
COMMENT ON COLUMN racing.posting.balance_pence IS 'The wallet''s balance just after.';
COMMENT ON TABLE racing.transaction_end IS
  'The end of a withdrawal, or a charged-back deposit. A withdrawal without a row is pending.';
COMMENT ON TABLE racing.settlement IS 'Settlements of a race: revision 1, then its corrections.';
COMMENT ON COLUMN racing.settlement.journal_id IS 'Null: nothing was booked.';
COMMENT ON COLUMN racing.settlement.counted_activities IS 'The activities that counted.';
COMMENT ON COLUMN racing.settlement.held_activities IS 'The activities that were held when the race settled.';
COMMENT ON TABLE racing.payout IS 'The payouts of each revision, as decided then.';
COMMENT ON TABLE racing.late_activity IS
  'Activities that revision 1 held and that were verified since: later revisions count them.';
COMMENT ON TABLE racing.chain_link IS
  'The hash chain over the journals, in the order in which they were found committed.';
COMMENT ON COLUMN racing.chain_link.hash IS 'Of the previous hash, the journal and its postings.';
COMMENT ON TABLE racing.chain_head IS 'One row: the end of the chain. Extensions lock it.';
COMMENT ON COLUMN racing.chain_head.newest_journal IS 'The highest journal id in the chain.';
COMMENT ON TABLE racing.ledger_difference IS 'Differences that the latest audit found, so that each is reported once.';
COMMENT ON COLUMN racing.ledger_difference.finding IS 'Account, athlete and amount.';

COMMENT ON TABLE checkins.profile IS 'A person as the app names them.';
COMMENT ON COLUMN checkins.profile.time_zone IS 'As it was sent; null: UTC applies.';
COMMENT ON COLUMN checkins.profile.zone_since IS 'The zone''s date when the person began to use it.';
COMMENT ON COLUMN checkins.profile.streak_id IS 'The latest streak.';
COMMENT ON COLUMN checkins.profile.bridged IS 'Dates after the last entry that a change of zone skipped.';
COMMENT ON TABLE checkins.entry IS 'Check-ins: one for each person and date.';
COMMENT ON COLUMN checkins.entry.zone IS 'The zone in which the date was the person''s.';
COMMENT ON TABLE checkins.streak IS 'Entries on successive dates.';
COMMENT ON COLUMN checkins.streak.ends_on IS
  'The streak ends with this date in its zone, unless there is an entry: the first date after last_on that is not '
  'bridged.';
COMMENT ON TABLE checkins.zone IS 'Zones with profiles, and the next of their days to close.';
COMMENT ON COLUMN checkins.zone.next_at IS 'The instant at which next_date ends.';
COMMENT ON COLUMN checkins.zone.streaks_ended IS 'Streaks that the closing of next_date has ended so far.';
COMMENT ON COLUMN checkins.zone.ended_on IS 'The ends_on of the last of them; -infinity: none.';
COMMENT ON COLUMN checkins.zone.ended_id IS 'The id of the last of them; 0: none.';
COMMENT ON TABLE checkins.tally IS
  'Check-ins of a day that is open, in several rows so that callers do not wait for each other.';
COMMENT ON TABLE checkins.day IS 'Days that were closed, each once.';

COMMENT ON TABLE seasons.activity_type IS 'The points of each type of activity.';
COMMENT ON TABLE seasons.runner IS 'Runners of the teams. The row''s lock orders the calls for one runner.';
COMMENT ON COLUMN seasons.runner.points IS 'All points ever earned.';
COMMENT ON TABLE seasons.version IS 'Changes of rosters and thresholds, in order. The lock of row 0 serialises them.';
COMMENT ON TABLE seasons.earning IS 'Points that were earned; only erasing changes a row.';
COMMENT ON COLUMN seasons.earning.activity_digest IS 'The digest of activity_uuid, which may be too long for an index.';
COMMENT ON COLUMN seasons.earning.version IS 'The version whose team total has the points; null: none.';
COMMENT ON TABLE seasons.seasonal_total IS 'A runner''s points in a season.';
COMMENT ON TABLE seasons.team_total IS 'What each version adds to a team''s total.';
COMMENT ON COLUMN seasons.team_total.moved IS 'What the version''s change of the roster added or removed.';
COMMENT ON COLUMN seasons.team_total.earned IS 'What was earned in the version.';
COMMENT ON TABLE seasons.team_change IS 'Additions to team_total that reward-check has not made yet.';
COMMENT ON TABLE seasons.reward IS 'Rewards that a team reaches together.';
COMMENT ON COLUMN seasons.reward.achieved_date IS 'Set once, by reward-check.';
COMMENT ON TABLE seasons.threshold IS 'The threshold of a reward from a version on.';
COMMENT ON TABLE seasons.app_user IS 'People as the app names them.';
COMMENT ON TABLE seasons.team_talk IS 'Team talks.';
COMMENT ON TABLE seasons.reaction IS 'Reactions to team talks.';
COMMENT ON TABLE seasons.comment IS 'Comments on team talks, and replies to them.';
COMMENT ON COLUMN seasons.comment.parent_id IS 'The comment replied to.';
COMMENT ON COLUMN seasons.comment.depth IS '0: a comment on the talk itself.';
COMMENT ON TABLE seasons.view IS 'Every view of a team talk, in monthly partitions, until seasons.view_retention.';
COMMENT ON TABLE seasons.uncounted_view IS 'Views that view-rollup has not counted yet.';
COMMENT ON TABLE seasons.view_total IS 'Counted views of a talk.';
COMMENT ON TABLE seasons.viewer IS 'Counted viewers of a talk.';
COMMENT ON TABLE seasons.recent_view IS 'The latest twenty counted views of a talk.';

COMMENT ON TABLE achievements.latch IS 'Rows that only serve as locks.';
COMMENT ON TABLE achievements.achievement IS 'An achievement as it is shown; its requirements are in its editions.';
COMMENT ON TABLE achievements.edition IS
  'The requirements of an achievement from one definition to the next, numbered in the order of commits.';
COMMENT ON COLUMN achievements.edition.replaced_by IS 'The number of the edition that replaced it; null: in force.';
COMMENT ON TABLE achievements.criterion IS
  'A counter and the value that it must reach: one for an edition, or one for each of its steps.';
COMMENT ON COLUMN achievements.criterion.place IS 'The order of the step.';
COMMENT ON COLUMN achievements.criterion.step_id IS
  'Null: the only criterion. Kept while each edition has a step at the place.';
COMMENT ON COLUMN achievements.criterion.target IS 'As it is shown.';
COMMENT ON TABLE achievements.person IS 'A person, and their latest change whose results are not recorded yet.';
COMMENT ON COLUMN achievements.person.id IS 'The app''s id.';
COMMENT ON COLUMN achievements.person.earned_points IS 'Rewards; the counter of points includes them.';
COMMENT ON COLUMN achievements.person.edition IS 'The latest edition when the counters last changed or were judged.';
COMMENT ON COLUMN achievements.person.due_at IS 'Since when a check is due.';
COMMENT ON COLUMN achievements.person.changed_at IS 'Null: all results are recorded.';
COMMENT ON COLUMN achievements.person.changed_metric IS 'Null: the person is new.';
COMMENT ON TABLE achievements.counter IS 'A person''s count by metric and target.';
COMMENT ON TABLE achievements.report IS 'Reports by idempotency key, in monthly partitions.';
COMMENT ON TABLE achievements.unlock IS 'Achievements that a person has for good.';
COMMENT ON COLUMN achievements.unlock.unlocked_at IS 'The time of the report or definition that unlocked it.';
COMMENT ON COLUMN achievements.unlock.is_announced IS 'Whether its event was written.';
COMMENT ON TABLE achievements.completion IS 'Steps that a person has completed for good.';
COMMENT ON TABLE achievements.total IS 'Unlocks of each achievement, without the uncounted ones.';
COMMENT ON TABLE achievements.uncounted IS 'Unlocks that are not in total yet.';
COMMENT ON TABLE achievements.evaluation IS
  'People to judge by a new edition: by counter, by step, or everybody. Deleted when all were judged.';
COMMENT ON COLUMN achievements.evaluation.last_value IS
  'The value of the last person judged, in the order of values and ids.';
COMMENT ON COLUMN achievements.evaluation.last_user IS 'The id of the last person judged.';
COMMENT ON COLUMN achievements.evaluation.total IS 'Counted when the evaluation begins.';
COMMENT ON COLUMN achievements.evaluation.left_users IS 'People whose rows were locked.';
COMMENT ON TYPE achievements.standing IS 'A person''s results that are not recorded yet, and their points with them.';
COMMENT ON COLUMN achievements.standing.through IS 'The latest edition included.';

COMMENT ON TABLE accounts.account IS 'A person who logs in.';
COMMENT ON COLUMN accounts.account.username IS 'The person''s name in seasons.';
COMMENT ON COLUMN accounts.account.password_hash IS 'With its parameters; null: no password was set.';
COMMENT ON COLUMN accounts.account.checkin_id IS 'The person''s name in checkins.';
COMMENT ON COLUMN accounts.account.epoch IS 'Incremented to expire all tokens issued before.';
COMMENT ON TABLE accounts.attempt IS 'Failed log-ins by name, whether or not such an account exists.';
COMMENT ON COLUMN accounts.attempt.name_digest IS 'The SHA-256 of the address or username in lower case.';
COMMENT ON COLUMN accounts.attempt.addresses IS 'The callers'' addresses, oldest first; failed_at has their instants.';
COMMENT ON TABLE accounts.one_time_token IS 'Tokens that let a person set a password once.';
COMMENT ON COLUMN accounts.one_time_token.digest IS 'The token''s SHA-256.';
COMMENT ON COLUMN accounts.one_time_token.kind IS
  'set-password: created by an operator. reset: requested by the person.';

COMMENT ON TABLE gateway.answer IS 'Answers to requests with an Idempotency-Key, kept for 30 days.';
COMMENT ON COLUMN gateway.answer.digest IS 'The SHA-256 of scope and key.';
COMMENT ON COLUMN gateway.answer.fingerprint IS 'Distinguishes one request from another.';
COMMENT ON COLUMN gateway.answer.answer IS
  'Null until its transaction has one: no other transaction sees the row before.';
