-- Clearer comments of the tables and columns in strava and racing: sql/schema.sql shows them.
COMMENT ON TABLE strava.access IS
  'Access tokens in plaintext, because SQL cannot unseal. Only strava.access_token reads them.';
COMMENT ON TABLE strava.account_keeper IS
  'One row: the functions that another module has registered to manage accounts at the provider. Only the owner writes here.';
COMMENT ON COLUMN strava.account_keeper.claim IS
  'The signature of the function, such as f.g(bigint, bigint). Names survive a dump, and object ids do not.';
COMMENT ON TABLE strava.call_error IS 'Failed calls by class since the installation.';
COMMENT ON COLUMN strava.connection.provider_athlete_id IS
  'The athlete''s number at the provider. Null if it is not known.';
COMMENT ON COLUMN strava.connection.reason IS
  'Why the athlete must connect again. Null unless the status is needs_reauth.';
COMMENT ON COLUMN strava.connection.tokens_given IS
  'How often the provider has issued tokens. The count is kept when the tokens are deleted.';
COMMENT ON COLUMN strava.connection.expires_at IS
  'When the access token expires, according to the provider. Null if there is none.';
COMMENT ON COLUMN strava.connection.next_call_at IS
  'When to exchange the code, refresh or revoke. Null if no call is needed.';
COMMENT ON COLUMN strava.connection.refreshed_at IS
  'The latest token request. One is allowed at most every 15 minutes. Null if there was none.';
COMMENT ON COLUMN strava.connection.is_in_races IS
  'Whether the athlete has entries in races that have not ended. race_period lists these races.';
COMMENT ON COLUMN strava.connection.refused_expiry IS
  'The expires_at of the token that the provider refused. Reads wait for another token. Null if none was refused.';
COMMENT ON COLUMN strava.connection.refused_attempt IS
  'The attempt whose new code was refused once and is being retried. Null if there is none.';
COMMENT ON COLUMN strava.connection.listed_at IS 'When the latest completed listing began. Null if there is none.';
COMMENT ON COLUMN strava.connection.doubted_generation IS
  'A hint reports the end of the grant. The refresh token of this generation, or a later one, decides. Null if there is no such hint.';
COMMENT ON COLUMN strava.connection.refused_codes IS
  'The number of codes that the provider has refused in a row. Each doubles the pause before the next one.';
COMMENT ON COLUMN strava.connection.code_refused_at IS 'When the latest code was refused. Null if none was.';
COMMENT ON TABLE strava.found_activity IS
  'Unused since release 8 of the functions, except by daemons of earlier releases. A later release drops it.';
COMMENT ON COLUMN strava.found_activity.summary IS
  'The activity in the keys of racing.import_activity, without streams.';
COMMENT ON COLUMN strava.found_activity.until_at IS 'When the activity is imported without streams.';
COMMENT ON TABLE strava.hint IS
  'The provider''s hints: one row for each athlete, kind and object, for 7 days. Hints are not signed, so each one only requests a read.';
COMMENT ON COLUMN strava.hint.athlete_id IS 'The athlete to whom the hint refers.';
COMMENT ON COLUMN strava.hint.kind IS 'create, update or delete for an activity; revoke for the athlete.';
COMMENT ON COLUMN strava.hint.event_at IS
  'When the event happened, according to the provider. Never later than the arrival of the hint.';
COMMENT ON COLUMN strava.hint.digest IS 'The SHA-256 of the hint. A repetition of the hint requests nothing.';
COMMENT ON COLUMN strava.hint.received_at IS 'When the hint arrived.';
COMMENT ON TABLE strava.hint_taker IS
  'One row: the functions that another module has registered to decide about hints. Only the owner writes here.';
COMMENT ON COLUMN strava.hint_taker.follows IS
  'The signature of the function, such as f.g(bigint, bigint). Names survive a dump, and object ids do not.';
COMMENT ON TABLE strava.import_request IS
  'Unused since release 8 of the functions, except by daemons of earlier releases. A later release drops it.';
COMMENT ON COLUMN strava.import_request.athlete_id IS 'The athlete whose activities were requested.';
COMMENT ON COLUMN strava.import_request.since IS
  'The start of the listing''s span. Activities that started earlier are not listed.';
COMMENT ON COLUMN strava.import_request.before IS
  'The end of the listing''s span. Activities that started at this instant or later are not listed.';
COMMENT ON COLUMN strava.import_request.until_at IS 'When the request expires.';
COMMENT ON TABLE strava.lost_reply IS
  'Calls without a reply that the provider may have carried out: one row for each token or code.';
COMMENT ON COLUMN strava.lost_reply.kind IS
  'code if an authorization code was used, or refresh if a refresh token was used.';
COMMENT ON COLUMN strava.lost_reply.number IS 'The attempt of the code, or the generation of the refresh token.';
COMMENT ON COLUMN strava.lost_reply.cause IS 'wire if the reply was lost, or node if the waiting node stopped or hung.';
COMMENT ON COLUMN strava.lost_reply.lost_at IS 'When the loss was detected.';
COMMENT ON COLUMN strava.lost_reply.is_lost IS
  'Whether the provider has refused the token or code since then. If so, the athlete must connect again.';
COMMENT ON COLUMN strava.provider.failures_in_row IS 'The number of failed calls since the last success.';
COMMENT ON COLUMN strava.provider.open_since IS 'When the breaker opened. Null if it is closed.';
COMMENT ON COLUMN strava.provider.open_class IS 'The class of the failure that opened it. Null if it is closed.';
COMMENT ON COLUMN strava.provider.read_turns IS 'The current turns in classes 1 to 3 of reads.';
COMMENT ON TABLE strava.read_request IS 'The queue of reads that the daemon makes with athletes'' tokens.';
COMMENT ON COLUMN strava.read_request.kind IS
  'listing for a list of the athlete''s activities, activity for one by its id, or streams for the streams of one.';
COMMENT ON COLUMN strava.read_request.activity_id IS 'The provider''s id of the activity. 0 for a listing.';
COMMENT ON COLUMN strava.read_request.class IS
  'The priority: 0 results that are due, 1 claims of entrants, 2 claims of others, 3 hints.';
COMMENT ON COLUMN strava.read_request.turn IS
  'The order within a class. Reads for results count up from a million times their deadline in seconds since 1970 UTC. Other reads take the athlete''s turn.';
COMMENT ON COLUMN strava.read_request.asked_at IS 'When the read was last requested.';
COMMENT ON COLUMN strava.read_request.next_call_at IS
  'The instant until which the request waits; infinity if it waits for the athlete''s next token. Null if it is queued.';
COMMENT ON COLUMN strava.read_request.until_at IS 'When the request expires.';
COMMENT ON COLUMN strava.read_request.follows_switch IS 'Whether the request is dropped if strava.import is off.';
COMMENT ON COLUMN strava.read_request.since IS
  'The start of a listing''s span. Activities that started earlier are not listed. Null for other kinds.';
COMMENT ON COLUMN strava.read_request.before IS
  'The end of a listing''s span. Activities that started at this instant or later are not listed. Null for other kinds.';
COMMENT ON COLUMN strava.read_request.page IS 'The page to read next. Null for kinds other than listing.';
COMMENT ON COLUMN strava.read_request.began_at IS
  'When the first page of this listing was claimed. Null if it has not begun.';
COMMENT ON COLUMN strava.read_request.summary IS
  'The activity whose streams are read, in the keys of racing.import_activity, without streams. Null for other kinds.';
COMMENT ON COLUMN strava.read_request.failures IS
  'How often in a row the read has failed. Failures that affect all athletes do not count.';
COMMENT ON COLUMN strava.read_request.account IS
  'The account at the provider that showed the summary. Null if the request has no summary, or if the account is unknown.';
COMMENT ON COLUMN strava.read_request.was_read IS
  'Whether a listing was read and will be repeated before its deadline.';
COMMENT ON TABLE strava.reader IS 'One row: the functions of the module that receives what is read.';
COMMENT ON COLUMN strava.reader.take_listing IS 'The signature of the function that receives a page of a listing.';
COMMENT ON COLUMN strava.reader.take_activity IS 'The signature of the function that receives one activity.';
COMMENT ON COLUMN strava.reader.take_streams IS
  'The signature of the function that receives an activity with its streams.';
COMMENT ON COLUMN strava.reader.end_read IS 'The signature of the function that is called when a request has expired.';
COMMENT ON COLUMN strava.reader.demand IS
  'The signature of the function that counts the reads of results. Null if there is none.';
COMMENT ON TABLE strava.sealing_key IS
  'Sealing keys, named by a prefix of their digest. The key that is not retired seals new secrets.';
COMMENT ON COLUMN strava.secret.number IS 'The attempt of a code, or the tokens_given of a refresh token.';
COMMENT ON COLUMN strava.secret.key_id IS 'The key that sealed the secret. Null if it is not sealed yet.';
COMMENT ON TABLE strava.subscription IS
  'One row: the subscription to the provider''s webhooks. Secrets are stored as digests.';
COMMENT ON COLUMN strava.subscription.callback IS 'The base URL at which the provider reaches a gateway.';
COMMENT ON COLUMN strava.subscription.path_digest IS 'The SHA-256 of the secret in the path that the provider calls.';
COMMENT ON COLUMN strava.subscription.verify_digest IS
  'The SHA-256 of the token with which the provider verifies the path.';
COMMENT ON COLUMN strava.subscription.subscription_id IS
  'The provider''s number for the subscription. Null if the provider has not responded yet.';
COMMENT ON COLUMN strava.subscription.confirmed_at IS
  'When the provider confirmed the subscription. Null if it has not.';
COMMENT ON COLUMN racing.activity.name IS 'The activity''s title at the provider.';
COMMENT ON COLUMN racing.flag.flagged_by IS 'The athlete who flagged the activity.';
COMMENT ON COLUMN racing.ledger_difference.found_at IS 'When an audit first found the difference.';
COMMENT ON TABLE racing.activity IS
  'Imported activities with their verdicts. An activity that was flagged before its validation may be reviewed without scores.';
COMMENT ON COLUMN racing.activity.strava_id IS
  'The activity''s id at the provider. Null if proof gave the id to another athlete.';
COMMENT ON COLUMN racing.activity.activity_type IS 'The provider''s type. Only Canoeing and Kayaking can count.';
COMMENT ON COLUMN racing.activity.elapsed_time IS 'The elapsed time in seconds.';
COMMENT ON COLUMN racing.activity.moving_time IS 'The moving time in seconds.';
COMMENT ON COLUMN racing.activity.distance IS 'The distance in metres.';
COMMENT ON COLUMN racing.activity.max_speed IS 'The top speed in metres per second. Null if unknown.';
COMMENT ON COLUMN racing.activity.start_latitude IS 'The latitude of the start in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.start_longitude IS 'The longitude of the start in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.end_latitude IS 'The latitude of the end in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.end_longitude IS 'The longitude of the end in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.polyline IS 'The track in the provider''s encoding. Null if unknown.';
COMMENT ON COLUMN racing.activity.content_hash IS
  'The digest of everything that was imported. Importing the same content again changes nothing.';
COMMENT ON COLUMN racing.activity.imported_at IS 'When the current content was imported.';
COMMENT ON COLUMN racing.activity.reasons IS
  'Why the activity was rejected: type, gps, uk or provider. Empty if it is not rejected.';
COMMENT ON COLUMN racing.activity.flag_count IS 'The number of open flags that count.';
COMMENT ON COLUMN racing.activity.flagged_at IS 'When the latest flag that counts was added. Null if none was.';
COMMENT ON COLUMN racing.activity.scored IS 'Whether the scores of the current content are known.';
COMMENT ON COLUMN racing.activity.top_speed_mm_per_s IS
  'The top speed score in millimetres per second. Null if there is none.';
COMMENT ON COLUMN racing.activity.distance_cm IS 'The distance score in centimetres. Null if there is none.';
COMMENT ON COLUMN racing.activity.fastest_1km_ms IS
  'The score over one kilometre in milliseconds. Null if there is none.';
COMMENT ON COLUMN racing.activity.fastest_5km_ms IS
  'The score over five kilometres in milliseconds. Null if there is none.';
COMMENT ON COLUMN racing.activity.visibility IS
  'The visibility at the provider: everyone, followers_only or only_me. Only activities that everyone may see appear in other people''s lists. Rows older than this column: everyone.';
COMMENT ON COLUMN racing.activity.provider_flagged IS 'Whether the provider has flagged the activity.';
COMMENT ON COLUMN racing.activity.uncounted_flags IS 'The number of open flags that do not count.';
COMMENT ON COLUMN racing.activity.approvals IS
  'How often the current measured content was approved. Each approval doubles the number of flags that a review needs.';
COMMENT ON COLUMN racing.activity.is_proved IS
  'Whether the provider has confirmed that the activity is its athlete''s.';
COMMENT ON COLUMN racing.activity.displaced_strava_id IS
  'The id at the provider that proof gave to another athlete. Null if the activity still has its id.';
COMMENT ON COLUMN racing.activity.disputed_at IS
  'When the provider first showed the activity as another athlete''s, after it had counted in a settled race. Null if never.';
COMMENT ON COLUMN racing.activity.shown_at IS
  'When the provider last showed the activity. Null if it has not shown it since the import.';
COMMENT ON COLUMN racing.activity.deleted_at IS
  'When the activity was found to be deleted at the provider. It then counts only where a settlement had already counted it. Null if it is not deleted.';
COMMENT ON COLUMN racing.activity.forgotten_at IS
  'When the name, places, track and streams were erased. Null if they were not.';
COMMENT ON COLUMN racing.activity.streams_digest IS
  'The SHA-256 of the imported streams, kept after the streams are erased. Null if there were none, or if it has not been computed yet.';
COMMENT ON COLUMN racing.activity.shown_again_at IS
  'When the provider last showed the activity again after a deletion. It counts in races that were not due by then. Null if never.';
COMMENT ON COLUMN racing.activity.proved_by IS
  'The account at the provider that last showed the activity. Null if none has since this column was added; the activity then counts as before.';
COMMENT ON COLUMN racing.activity.late_for IS
  'The settled races for which the activity was proved too late, although it was claimed in time. It never counts in them.';
COMMENT ON COLUMN racing.activity.is_changed_late IS
  'Whether the activity was proved after the due instant of a race, and either differs from its claim or was not claimed in time.';
COMMENT ON TABLE racing.activity_stream IS 'The activities'' streams, stored separately because they are large.';
COMMENT ON COLUMN racing.activity_stream.times IS 'The times in billionths of a second, truncated.';
COMMENT ON COLUMN racing.activity_stream.distances IS 'The distances in billionths of a metre, truncated.';
COMMENT ON TABLE racing.athlete IS 'The athletes'' profiles.';
COMMENT ON COLUMN racing.athlete.date_of_birth IS 'The date of birth. Null if unknown.';
COMMENT ON COLUMN racing.athlete.gender IS 'female, male or other. Null if unknown.';
COMMENT ON COLUMN racing.athlete.updated_at IS 'When the profile was last changed. Null if never.';
COMMENT ON COLUMN racing.athlete.erased_at IS
  'When the athlete was last erased. Later profile changes, payments, entries and connections are refused. Null if never.';
COMMENT ON COLUMN racing.athlete.provider_gender IS
  'The gender that the provider last reported while racing.proof was on. Null if it has reported none since this column was added.';
COMMENT ON TABLE racing.chain_head IS
  'One row: the end of the hash chain. A transaction that extends the chain locks the row.';
COMMENT ON COLUMN racing.chain_head."position" IS 'The position of the last link. 0 if the chain is empty.';
COMMENT ON COLUMN racing.chain_head.hash IS 'The hash of the last link. Empty if the chain is empty.';
COMMENT ON COLUMN racing.chain_link.hash IS 'The hash of the previous hash, the journal and its postings.';
COMMENT ON TABLE racing.claim IS
  'Activities that athletes claim and the provider has not confirmed. Proof replaces the row with an activity that has the same id.';
COMMENT ON COLUMN racing.claim.id IS 'The number of the claim, from the sequence of racing.activity.';
COMMENT ON COLUMN racing.claim.strava_id IS
  'The id of the claimed activity at the provider. Any number of athletes may claim it.';
COMMENT ON COLUMN racing.claim.started_at IS
  'The claimed start. Races whose windows contain this instant hold the claim.';
COMMENT ON COLUMN racing.claim.claimed_at IS
  'When the claim was made. If the claim''s account proves the activity, the activity counts as imported at this instant.';
COMMENT ON COLUMN racing.claim.until_at IS 'The instant until which the daemon queries the provider.';
COMMENT ON COLUMN racing.claim.content IS
  'The submitted values, without streams, in the keys of an import. Only the claim''s athlete sees them.';
COMMENT ON COLUMN racing.claim.reason IS
  'Why the claim was rejected. In an open claim, scope: the connection lacks the scope with which the provider would show the activity. Null otherwise.';
COMMENT ON COLUMN racing.claim.rejected_at IS 'When the claim was rejected. Null if it is open.';
COMMENT ON COLUMN racing.claim.shown_at IS
  'When the provider last showed the activity as its athlete''s, and its streams were requested. Null if never.';
COMMENT ON COLUMN racing.claim.account IS
  'The account at the provider with which the athlete was connected at the time of the claim. Null if the provider had not named one.';
COMMENT ON TABLE racing.code_day IS
  'The number of authorization codes that each athlete sent through the gateway on the latest day.';
COMMENT ON COLUMN racing.code_day.day IS 'The day, as a date in racing.time_zone.';
COMMENT ON TABLE racing.decision IS
  'Reviewers'' decisions, kept forever. A review has any number of requests for information, and one final decision.';
COMMENT ON COLUMN racing.decision.activity_id IS 'The activity that was reviewed.';
COMMENT ON COLUMN racing.decision.note IS 'The reviewer''s note. Empty if there is none.';
COMMENT ON COLUMN racing.decision.measured_hash IS
  'The digest of the measured content that was approved. Null for other decisions, and for approvals by an earlier release.';
COMMENT ON COLUMN racing.decision.saw_scores IS 'Whether the activity had its scores when it was approved.';
COMMENT ON COLUMN racing.decision.is_overruling IS
  'Whether an administrator overruled. No moderator can decide after that while the activity keeps its content.';
COMMENT ON COLUMN racing.decision.reviewer_athlete IS
  'The reviewer''s athlete. Null for an operator, an app without athletes, or a decision older than this column.';
COMMENT ON COLUMN racing.decision.took_verified IS
  'Whether a request for information took a verified activity out of its races. If so, the reviewer counts as having judged the activity.';
COMMENT ON TABLE racing.deletion IS 'Deleted activities whose name, places, track and streams are still stored.';
COMMENT ON COLUMN racing.deletion.forget_at IS 'When the erasure of these data is due.';
COMMENT ON TABLE racing.entered_account IS
  'Accounts at the provider that have entered a race. No other athlete can connect with them. Erasing an athlete deletes the athlete''s rows.';
COMMENT ON COLUMN racing.entered_account.provider_athlete_id IS 'The account''s number at the provider.';
COMMENT ON TABLE racing.entry IS 'Athletes'' entries in races, with their latest results.';
COMMENT ON COLUMN racing.entry.activity_id IS 'The activity that the settlement counted. Null if there is none.';
COMMENT ON COLUMN racing.entry.score IS
  'The score that the settlement counted, in the unit of the race''s type. Null if there is none.';
COMMENT ON COLUMN racing.entry.rank IS
  'The place among all entries. Tied entries share a place. Null if there is none.';
COMMENT ON COLUMN racing.entry.prize_pence IS 'The prize of the latest settlement, in pence.';
COMMENT ON COLUMN racing.entry.disqualified_by IS
  'The disqualified activity that removes the entry. In a settled race the status changes with the correction. Null if there is none.';
COMMENT ON COLUMN racing.entry.is_refunded IS 'Whether the fee was refunded.';
COMMENT ON COLUMN racing.entry.reinstatement_count IS
  'How often the fee was charged again after a refund, before the settlement. The keys of the journals of both contain this number.';
COMMENT ON COLUMN racing.entry.claims_listed_at IS
  'When the athlete''s claims requested a listing in the queue for this race''s results, at most once. Null if they have not.';
COMMENT ON COLUMN racing.entry.account IS
  'The account at the provider with which the athlete entered. Null if there was none, or if the entry is older than this column.';
COMMENT ON TABLE racing.flag IS
  'Users'' reports of activities. A final decision closes them. A user cannot flag the same content again after a decision.';
COMMENT ON COLUMN racing.flag.notes IS 'The athlete''s own words. Null if there are none.';
COMMENT ON COLUMN racing.flag.closed_at IS
  'When the flag was closed, for example by a final decision. Null if it is open.';
COMMENT ON COLUMN racing.flag.closed_content IS
  'The content_hash of the activity when the flag was closed. Null if it is open.';
COMMENT ON COLUMN racing.flag.counts IS
  'Whether the flag counts towards a review. This is decided when the flag is made.';
COMMENT ON COLUMN racing.flag.account_digest IS
  'The digest of the activity and the flagging athlete''s account. Only one flag of an account counts for an activity, whichever athlete has the account. Null if there is no account.';
COMMENT ON TABLE racing.import_day IS 'The imports of each athlete through the gateway on the latest day.';
COMMENT ON COLUMN racing.import_day.day IS 'The day, as a date in racing.time_zone.';
COMMENT ON COLUMN racing.import_day.imports IS 'The number of imports that changed something.';
COMMENT ON COLUMN racing.import_day.bytes IS 'The total size of these imports'' bodies in bytes.';
COMMENT ON TABLE racing.journal IS
  'The ledger, which is append-only. One transaction writes a journal and its postings.';
COMMENT ON COLUMN racing.journal.idempotency_key IS 'The idempotency key. A journal is booked exactly once under it.';
COMMENT ON COLUMN racing.journal.race_id IS 'The race whose money the journal moves. Null if there is none.';
COMMENT ON COLUMN racing.journal.written_by IS 'The transaction that wrote the journal.';
COMMENT ON TABLE racing.journal_double IS
  'Journals that were booked under the key of an earlier journal. settled migrate --mark-doubles lists them here.';
COMMENT ON COLUMN racing.journal_double.marked_at IS 'When the journal was marked, by the wall clock.';
COMMENT ON TABLE racing.late_activity IS
  'Activities that revision 1 held and that have been verified since then. Later revisions count them.';
COMMENT ON TABLE racing.ledger_difference IS
  'Differences that the latest audit found. They are kept so that each is reported only once.';
COMMENT ON COLUMN racing.ledger_difference.finding IS 'The account, the athlete and the amount.';
COMMENT ON COLUMN racing.ledger_difference.difference IS
  'The difference in the form that settlectl ledger verify shows.';
COMMENT ON TABLE racing.payout IS 'The payouts of each revision, as they were decided at that time.';
COMMENT ON COLUMN racing.payout.entry_id IS 'The winning entry.';
COMMENT ON COLUMN racing.payout.athlete_id IS 'The winning athlete.';
COMMENT ON TABLE racing.posting IS 'Double-entry postings. The postings of a journal sum to zero.';
COMMENT ON COLUMN racing.posting.id IS 'The order of the postings. For a wallet it is also the id of the transaction.';
COMMENT ON COLUMN racing.posting.athlete_id IS
  'The athlete, for the accounts wallet, pending and receivable. Null for other accounts.';
COMMENT ON COLUMN racing.posting.race_id IS 'The race, for the account pool. Null for other accounts.';
COMMENT ON COLUMN racing.posting.entry_id IS 'The entry for which money moves. Null if there is none.';
COMMENT ON COLUMN racing.posting.amount_pence IS
  'The amount in pence that the account gains. Negative if a receivable grows.';
COMMENT ON COLUMN racing.posting.balance_pence IS
  'The wallet''s balance in pence just after the posting. Null for other accounts.';
COMMENT ON TABLE racing.race IS 'Races, each with a snapshot of the settings at its creation.';
COMMENT ON COLUMN racing.race.type IS
  'The score that decides: top_speed, furthest_distance, fastest_1km or fastest_5km.';
COMMENT ON COLUMN racing.race.duration IS
  'daily, weekly or monthly: the period that the window covers, in the zone of racing.time_zone.';
COMMENT ON COLUMN racing.race.category IS 'The ages and gender that may enter, such as women_u23.';
COMMENT ON COLUMN racing.race.starts_at IS 'The start of the window. Activities that start earlier do not count.';
COMMENT ON COLUMN racing.race.ends_at IS
  'The end of the window. Activities that start at this instant or later do not count.';
COMMENT ON COLUMN racing.race.due_at IS 'The earliest settlement: ends_at plus the results grace.';
COMMENT ON COLUMN racing.race.platform_fee_percent IS 'The platform''s share of all fees, in percent.';
COMMENT ON COLUMN racing.race.prize_shares IS 'The shares of the first three places in the prize pool, in percent.';
COMMENT ON COLUMN racing.race.review_hold IS 'The longest time that held activities delay the settlement after due_at.';
COMMENT ON COLUMN racing.race.status IS
  'upcoming, active, ended or settled, in this order; or cancelled, from any of the first three.';
COMMENT ON COLUMN racing.race.entry_count IS 'The number of all entries, including disqualified and refunded ones.';
COMMENT ON COLUMN racing.race.next_check_at IS
  'When the settlement job next checks an ended race: due_at, or the end of the hold while the race waits. Formerly named attend_at.';
COMMENT ON COLUMN racing.race.waiting_activities IS
  'The held activities and open claims that the settlement waits for.';
COMMENT ON COLUMN racing.race.correction_due_at IS
  'The instant since which a follow-up is due: refunds of disqualified entries, or a correction. Null if none is due. Formerly named marked_at.';
COMMENT ON COLUMN racing.race.settle_due_at IS
  'When the settlement job is due: next_check_at while the race is ended, or correction_due_at if that is earlier. Null if neither applies. Generated; formerly named settle_at.';
COMMENT ON COLUMN racing.race.local_date IS
  'The first date of a regular race''s window, in local_zone. Null for a special race.';
COMMENT ON COLUMN racing.race.local_zone IS
  'The value of racing.time_zone when the regular race was created. Null for a special race.';
COMMENT ON COLUMN racing.race.is_reinstating IS
  'Whether the next correction reinstates entries that were removed because of an activity that is no longer disqualified.';
COMMENT ON COLUMN racing.race.knows_claims IS
  'Set by a daemon that supports claims, in the statement that makes the race wait. A trigger resets it.';
COMMENT ON TABLE racing.race_order IS 'Operators'' orders about races. The job race-orders carries them out.';
COMMENT ON COLUMN racing.race_order.overrides IS 'Whether the order skips the results grace and the review hold.';
COMMENT ON COLUMN racing.race_order.expected_hash IS
  'The hash of the inputs that the operator saw. Null if any inputs are accepted.';
COMMENT ON COLUMN racing.race_order.reason IS
  'The operator''s reason. The event of a cancellation contains it. Null if there is none.';
COMMENT ON COLUMN racing.race_order.finished_at IS 'When the order was carried out or refused. Null if it is open.';
COMMENT ON COLUMN racing.race_order.rule IS 'The rule that refused the order. Null if none has.';
COMMENT ON COLUMN racing.race_order.refusal IS 'The refusal in words. Null if the order was not refused.';
COMMENT ON COLUMN racing.race_order.answer IS
  'The response that the operator gets. Null if the order was not carried out.';
COMMENT ON TABLE racing.review IS 'Reviews of activities. An activity has at most one undecided review.';
COMMENT ON COLUMN racing.review.level IS 'How often a reminder has escalated the review.';
COMMENT ON COLUMN racing.review.reasons IS 'Why the daemon opened the review. Empty if flags or a decision opened it.';
COMMENT ON COLUMN racing.review.bounds IS
  'The scores that exceed their bounds: score, value and bound, in the unit of the score.';
COMMENT ON TABLE racing.revocation IS
  'Revoked connections. The names, places, tracks and streams of these athletes'' activities are erased.';
COMMENT ON COLUMN racing.revocation.provider_athlete_id IS
  'The account of the connection. 0 if it was not known. Connecting with the account again ends the revocation.';
COMMENT ON COLUMN racing.revocation.revoked_at IS
  'When the connection was revoked. Activities imported after this instant keep their content.';
COMMENT ON COLUMN racing.revocation.forget_at IS 'When the erasure is due.';
COMMENT ON TABLE racing.settlement IS 'Settlements of races: revision 1, then the corrections.';
COMMENT ON COLUMN racing.settlement.revision IS '1 for the first settlement, and one more for each correction.';
COMMENT ON COLUMN racing.settlement.outcome IS 'paid, or void if no entry had a rank.';
COMMENT ON COLUMN racing.settlement.fees_pence IS 'The total fees of entries that took part, in pence.';
COMMENT ON COLUMN racing.settlement.platform_fee_pence IS 'The platform''s share of the fees, in pence.';
COMMENT ON COLUMN racing.settlement.prize_pool_pence IS 'The share of the fees that prizes are paid from, in pence.';
COMMENT ON COLUMN racing.settlement.journal_id IS 'The journal of the settlement. Null if nothing was booked.';
COMMENT ON COLUMN racing.settlement.input_hash IS 'The hash of the inputs that determined the result.';
COMMENT ON COLUMN racing.settlement.held_activities IS
  'The activities that were held when the race settled, and the claims that were open then.';
COMMENT ON TABLE racing.stream_pruning IS 'One row: the place at which the next run of stream-pruning continues.';
COMMENT ON COLUMN racing.stream_pruning.activity_id IS
  'The last activity whose streams were checked. 0 if there is none.';
COMMENT ON TABLE racing.transaction_end IS
  'Ends of withdrawals, and deposits that were charged back. A withdrawal without a row is pending.';
COMMENT ON COLUMN racing.transaction_end.reason IS
  'Why the withdrawal failed, or why the deposit was charged back. Null if the withdrawal was completed.';
COMMENT ON COLUMN racing.transaction_end.ended_at IS 'When the withdrawal ended, or the deposit was charged back.';
COMMENT ON COLUMN racing.transaction_end.journal_id IS 'The journal that books the end of the transaction.';
COMMENT ON TABLE racing.wallet IS 'Athletes'' balances. Each equals the sum of its postings.';
COMMENT ON COLUMN racing.wallet.pending_pence IS 'Withdrawals that the payment provider has not confirmed, in pence.';
COMMENT ON COLUMN racing.wallet.receivable_pence IS 'The athlete''s debt after a correction, in pence.';
