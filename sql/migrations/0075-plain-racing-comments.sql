-- Clearer comments on the schemas, tables and columns of strava and racing. sql/schema.sql contains them.
COMMENT ON SCHEMA strava IS 'Connections to the activity provider: tokens, calls and imports.';
COMMENT ON TABLE strava.access IS
  'Access tokens in plaintext, because SQL cannot unseal sealed values. Only strava.access_token reads them.';
COMMENT ON TABLE strava.account_keeper IS
  'One row: the functions that another module has registered to manage provider accounts. Only the schema''s owner writes to this table.';
COMMENT ON COLUMN strava.account_keeper.claim IS
  'The function''s signature, such as f.g(bigint, bigint). Unlike object ids, signatures survive a dump.';
COMMENT ON TABLE strava.call_error IS 'The number of failed calls per class since installation.';
COMMENT ON COLUMN strava.call_error.class IS 'The failure class.';
COMMENT ON COLUMN strava.call_error.count IS 'The number of failed calls in this class.';
COMMENT ON COLUMN strava.call_error.last_at IS 'When a call last failed in this class.';
COMMENT ON TABLE strava.connection IS 'Athletes'' connections to the provider.';
COMMENT ON COLUMN strava.connection.athlete_id IS 'The athlete''s id in racing.';
COMMENT ON COLUMN strava.connection.missing_scopes IS 'The required scopes that the athlete has not granted.';
COMMENT ON COLUMN strava.connection.provider_athlete_id IS 'The athlete''s id at the provider. Null if unknown.';
COMMENT ON COLUMN strava.connection.attempt IS
  'Incremented when the app connects or disconnects. A late reply is recognised by its lower attempt number.';
COMMENT ON COLUMN strava.connection.tokens_given IS
  'How many times the provider has issued tokens. The count is kept when the tokens are deleted.';
COMMENT ON COLUMN strava.connection.next_call_at IS
  'When to exchange the code, refresh the tokens or revoke the connection. Null if no call is needed.';
COMMENT ON COLUMN strava.connection.refreshed_at IS
  'When tokens were last requested. Requests are at least 15 minutes apart. Null if never.';
COMMENT ON COLUMN strava.connection.is_in_races IS
  'Whether the athlete has entries in races that have not ended. The race_period table lists these races.';
COMMENT ON COLUMN strava.connection.refused_expiry IS
  'The expires_at value of the token that the provider refused. Reads wait for a different token. Null if none was refused.';
COMMENT ON COLUMN strava.connection.read_turns IS 'The latest turns of the athlete''s reads in classes 1 to 3.';
COMMENT ON COLUMN strava.connection.doubted_generation IS
  'The lowest refresh token generation that can settle a hint that the grant has ended. Null if there is no such hint.';
COMMENT ON COLUMN strava.connection.refused_codes IS
  'The number of consecutive codes that the provider has refused. Each refusal doubles the delay before the next code.';
COMMENT ON COLUMN strava.connection.code_refused_at IS 'When a code was last refused. Null if none has been refused.';
COMMENT ON TABLE strava.found_activity IS
  'Used only by daemons that predate release 8 of the functions. A later release will drop the table.';
COMMENT ON COLUMN strava.found_activity.summary IS
  'The activity without streams, with the keys of racing.import_activity.';
COMMENT ON COLUMN strava.found_activity.until_at IS
  'The instant at which the activity is imported even without its streams.';
COMMENT ON TABLE strava.hint IS
  'The provider''s hints: one row per athlete, kind and object, kept for 7 days. Hints are not signed, so each one only triggers a read.';
COMMENT ON COLUMN strava.hint.object_id IS 'The activity''s or athlete''s id at the provider.';
COMMENT ON COLUMN strava.hint.event_at IS
  'When the event happened, according to the provider. Never later than received_at.';
COMMENT ON COLUMN strava.hint.digest IS 'The SHA-256 of the hint. A repeated hint does not trigger another read.';
COMMENT ON TABLE strava.hint_taker IS
  'One row: the functions that another module has registered to evaluate hints. Only the schema''s owner writes to this table.';
COMMENT ON COLUMN strava.hint_taker.follows IS
  'The function''s signature, such as f.g(bigint, bigint). Unlike object ids, signatures survive a dump.';
COMMENT ON TABLE strava.import_request IS
  'Used only by daemons that predate release 8 of the functions. A later release will drop the table.';
COMMENT ON COLUMN strava.import_request.id IS 'The request''s id.';
COMMENT ON COLUMN strava.import_request.since IS
  'The start of the listing''s time range. Activities that started earlier are not listed.';
COMMENT ON COLUMN strava.import_request.before IS
  'The end of the listing''s time range. Activities that started at this instant or later are not listed.';
COMMENT ON TABLE strava.importer IS 'Unused since release 8 of the functions. A later release will drop the table.';
COMMENT ON COLUMN strava.importer.keep IS 'The signature of the function that imports an activity.';
COMMENT ON TABLE strava.lost_reply IS
  'Calls that received no reply but that the provider may have processed: one row per token or code.';
COMMENT ON COLUMN strava.lost_reply.kind IS
  'code if an authorization code was used, or refresh if a refresh token was used.';
COMMENT ON COLUMN strava.lost_reply.number IS 'The code''s attempt number, or the refresh token''s generation.';
COMMENT ON COLUMN strava.lost_reply.is_lost IS
  'Whether the provider has since refused the token or code. If so, the athlete must connect again.';
COMMENT ON TABLE strava.provider IS 'One row: the provider''s circuit breaker.';
COMMENT ON COLUMN strava.provider.open_since IS 'When the breaker opened. Null if the breaker is closed.';
COMMENT ON COLUMN strava.provider.open_class IS
  'The class of the failure that opened the breaker. Null if the breaker is closed.';
COMMENT ON COLUMN strava.provider.read_turns IS 'The current turns of read classes 1 to 3.';
COMMENT ON TABLE strava.race_period IS
  'The periods during which an athlete''s tokens are refreshed before other athletes'' tokens.';
COMMENT ON COLUMN strava.race_period.starts_at IS 'When the race starts.';
COMMENT ON COLUMN strava.race_period.ends_at IS 'When the race ends.';
COMMENT ON TABLE strava.read_request IS 'The queue of reads that the daemon performs with athletes'' access tokens.';
COMMENT ON COLUMN strava.read_request.id IS 'The request''s id.';
COMMENT ON COLUMN strava.read_request.kind IS
  'listing for a list of the athlete''s activities, activity for one activity, or streams for the streams of one activity.';
COMMENT ON COLUMN strava.read_request.activity_id IS 'The activity''s id at the provider. 0 for a listing.';
COMMENT ON COLUMN strava.read_request.class IS
  'The priority: 0 for due results, 1 for entrants'' claims, 2 for other claims, 3 for hints.';
COMMENT ON COLUMN strava.read_request.turn IS
  'The request''s position within its class. In class 0, turns count up from one million times the deadline''s Unix time. In other classes, turns come from the athlete''s read_turns.';
COMMENT ON COLUMN strava.read_request.next_call_at IS
  'The instant until which the request is deferred. infinity if it is deferred until the athlete gets a new token. Null if the request is queued.';
COMMENT ON COLUMN strava.read_request.follows_switch IS 'Whether the request is dropped when strava.import is off.';
COMMENT ON COLUMN strava.read_request.since IS
  'The start of a listing''s time range. Activities that started earlier are not listed. Null for other kinds.';
COMMENT ON COLUMN strava.read_request.before IS
  'The end of a listing''s time range. Activities that started at this instant or later are not listed. Null for other kinds.';
COMMENT ON COLUMN strava.read_request.began_at IS
  'When the listing''s first page was claimed. Null if the listing has not begun.';
COMMENT ON COLUMN strava.read_request.summary IS
  'The activity whose streams are to be read, with the keys of racing.import_activity but without streams. Null for other kinds.';
COMMENT ON COLUMN strava.read_request.failures IS
  'The number of consecutive failures of the read. Failures that affect all athletes do not count.';
COMMENT ON COLUMN strava.read_request.account IS
  'The provider account that returned the summary. Null if the request has no summary, or if the account is unknown.';
COMMENT ON TABLE strava.reader IS 'One row: the functions of the module that receives the results of reads.';
COMMENT ON COLUMN strava.reader.take_listing IS 'The signature of the function that receives a listing''s page.';
COMMENT ON COLUMN strava.reader.end_read IS 'The signature of the function that is called when a request expires.';
COMMENT ON COLUMN strava.reader.demand IS
  'The signature of the function that counts the reads for results. Null if there is none.';
COMMENT ON TABLE strava.sealing_key IS
  'Sealing keys, named by a prefix of their digest. New secrets are sealed with the key that is not retired.';
COMMENT ON TABLE strava.secret IS 'Sealed authorization codes and refresh tokens.';
COMMENT ON COLUMN strava.secret.number IS 'The code''s attempt number, or the refresh token''s tokens_given value.';
COMMENT ON TABLE strava.subscription IS
  'One row: the subscription to the provider''s webhooks. Its secrets are stored as digests.';
COMMENT ON COLUMN strava.subscription.callback IS 'The base URL through which the provider reaches a gateway.';
COMMENT ON COLUMN strava.subscription.verify_digest IS
  'The SHA-256 of the token that the provider sends to verify the path.';
COMMENT ON COLUMN strava.subscription.subscription_id IS
  'The subscription''s id at the provider. Null if the provider has not responded yet.';
COMMENT ON COLUMN strava.subscription.confirmed_at IS
  'When the provider confirmed the subscription. Null if the subscription is not confirmed.';
COMMENT ON TABLE racing.activity IS
  'Imported activities and their verdicts. An activity flagged before its validation can be under review without scores.';
COMMENT ON COLUMN racing.activity.id IS 'The activity''s id.';
COMMENT ON COLUMN racing.activity.athlete_id IS 'The athlete who recorded the activity.';
COMMENT ON COLUMN racing.activity.strava_id IS
  'The activity''s id at the provider. Null if proof assigned the id to another athlete.';
COMMENT ON COLUMN racing.activity.activity_type IS
  'The provider''s activity type. Only activities of type Canoeing or Kayaking can count.';
COMMENT ON COLUMN racing.activity.content_hash IS
  'A digest of all imported content. Importing the same content again changes nothing.';
COMMENT ON COLUMN racing.activity.reasons IS
  'Why the activity was rejected: type, gps, uk or provider. Empty if the activity is not rejected.';
COMMENT ON COLUMN racing.activity.flagged_at IS 'When the latest flag that counts was added. Null if there is none.';
COMMENT ON COLUMN racing.activity.top_speed_mm_per_s IS
  'The top-speed score in millimetres per second. Null if there is none.';
COMMENT ON COLUMN racing.activity.fastest_1km_ms IS 'The one-kilometre score in milliseconds. Null if there is none.';
COMMENT ON COLUMN racing.activity.fastest_5km_ms IS 'The five-kilometre score in milliseconds. Null if there is none.';
COMMENT ON COLUMN racing.activity.visibility IS
  'The visibility at the provider: everyone, followers_only or only_me. Only activities visible to everyone appear in other people''s lists. Rows that predate this column have the value everyone.';
COMMENT ON COLUMN racing.activity.approvals IS
  'How many times the current measured content has been approved. Each approval doubles the number of flags required to open a review.';
COMMENT ON COLUMN racing.activity.is_proved IS
  'Whether the provider has confirmed that the activity belongs to its athlete.';
COMMENT ON COLUMN racing.activity.displaced_strava_id IS
  'The activity''s former id at the provider, if proof assigned that id to another athlete. Null otherwise.';
COMMENT ON COLUMN racing.activity.disputed_at IS
  'When the provider first attributed the activity to another athlete, after the activity had counted in a settled race. Null if never.';
COMMENT ON COLUMN racing.activity.shown_at IS
  'When the provider last returned the activity. Null if the provider has not returned it since the import.';
COMMENT ON COLUMN racing.activity.deleted_at IS
  'When a read found that the activity had been deleted at the provider. A deleted activity counts only in settlements that had already counted it. Null if it is not deleted.';
COMMENT ON COLUMN racing.activity.forgotten_at IS
  'When the name, places, track and streams were erased. Null if they have not been erased.';
COMMENT ON COLUMN racing.activity.streams_digest IS
  'The SHA-256 of the imported streams. It is kept after the streams are erased. Null if the activity had no streams, or if the digest has not been computed yet.';
COMMENT ON COLUMN racing.activity.shown_again_at IS
  'When the provider last returned the activity after it had been deleted. The activity counts in races that were not yet due at that time. Null if never.';
COMMENT ON COLUMN racing.activity.proved_by IS
  'The provider account that last returned the activity. Null if none has returned it since this column was added; the activity can still count.';
COMMENT ON COLUMN racing.activity.is_changed_late IS
  'Whether the activity was proved after a race''s due instant, and either differs from its claim or was not claimed in time.';
COMMENT ON COLUMN racing.activity.late_for IS
  'The settled races for which the activity was proved too late, although it was claimed in time. The activity never counts in these races.';
COMMENT ON COLUMN racing.activity.start_latitude IS 'The start latitude in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.start_longitude IS 'The start longitude in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.end_latitude IS 'The end latitude in degrees. Null if unknown.';
COMMENT ON COLUMN racing.activity.end_longitude IS 'The end longitude in degrees. Null if unknown.';
COMMENT ON TABLE racing.activity_stream IS 'Activities'' streams, stored separately because they are large.';
COMMENT ON COLUMN racing.activity_stream.activity_id IS 'The activity that the streams belong to.';
COMMENT ON COLUMN racing.activity_stream.times IS 'The times in nanoseconds, truncated.';
COMMENT ON COLUMN racing.activity_stream.distances IS 'The distances in nanometres, truncated.';
COMMENT ON TABLE racing.athlete IS 'Athletes'' profiles.';
COMMENT ON COLUMN racing.athlete.id IS 'The athlete''s id.';
COMMENT ON COLUMN racing.athlete.display_name IS 'The name shown to other people.';
COMMENT ON COLUMN racing.athlete.erased_at IS
  'When the athlete was last erased. Later profile changes, payments, entries and connections are refused. Null if the athlete was never erased.';
COMMENT ON COLUMN racing.athlete.provider_gender IS
  'The gender that the provider last reported while racing.proof was on. Null if the provider has not reported a gender since this column was added.';
COMMENT ON TABLE racing.chain_head IS
  'One row: the end of the hash chain. Transactions that extend the chain lock the row.';
COMMENT ON COLUMN racing.chain_head.position IS 'The last link''s position. 0 if the chain is empty.';
COMMENT ON COLUMN racing.chain_head.hash IS 'The last link''s hash. Empty if the chain is empty.';
COMMENT ON TABLE racing.chain_link IS
  'The hash chain over the journals, in the order in which committed journals were found.';
COMMENT ON COLUMN racing.chain_link.position IS 'The position in the chain. Positions start at 1 and have no gaps.';
COMMENT ON COLUMN racing.chain_link.journal_id IS 'The journal that the link covers.';
COMMENT ON COLUMN racing.chain_link.hash IS 'The hash of the previous link''s hash, the journal and its postings.';
COMMENT ON TABLE racing.claim IS
  'Activities that athletes have claimed but that the provider has not confirmed. When a claim is proved, it is replaced by an activity with the same id.';
COMMENT ON COLUMN racing.claim.id IS 'The claim''s id, from the id sequence of racing.activity.';
COMMENT ON COLUMN racing.claim.strava_id IS
  'The claimed activity''s id at the provider. Several athletes can claim the same activity.';
COMMENT ON COLUMN racing.claim.started_at IS
  'The claimed start. The claim applies to races whose windows contain this instant.';
COMMENT ON COLUMN racing.claim.claimed_at IS
  'When the claim was made. If the claim''s account proves the activity, this time becomes the activity''s import time.';
COMMENT ON COLUMN racing.claim.content IS
  'The submitted values without streams, in the format of an import. Only the claim''s athlete can see them.';
COMMENT ON COLUMN racing.claim.reason IS
  'Why the claim was rejected, or scope if the claim is open and the connection lacks the scope needed to read the activity. Null otherwise.';
COMMENT ON COLUMN racing.claim.shown_at IS
  'When the provider last returned the activity for the claiming athlete and the activity''s streams were requested. Null if never.';
COMMENT ON COLUMN racing.claim.account IS
  'The provider account with which the athlete was connected when the claim was made. Null if the provider had not named one.';
COMMENT ON COLUMN racing.claim.until_at IS 'When the daemon stops querying the provider for the activity.';
COMMENT ON COLUMN racing.claim.rejected_at IS 'When the claim was rejected. Null if the claim is open.';
COMMENT ON COLUMN racing.claim.athlete_id IS 'The athlete who claimed the activity.';
COMMENT ON TABLE racing.code_day IS
  'How many authorization codes each athlete sent through the gateway on the latest day.';
COMMENT ON COLUMN racing.code_day.day IS 'The date in the time zone set by racing.time_zone.';
COMMENT ON TABLE racing.decision IS
  'Reviewers'' decisions, which are kept forever. A review can have several requests for information, but only one final decision.';
COMMENT ON COLUMN racing.decision.id IS 'The decision''s sequence number.';
COMMENT ON COLUMN racing.decision.reviewer IS 'The reviewer''s name, as sent by the app or the operator.';
COMMENT ON COLUMN racing.decision.measured_hash IS
  'The digest of the measured content that was approved. Null for other decisions, and for approvals made by an earlier release.';
COMMENT ON COLUMN racing.decision.saw_scores IS 'Whether the activity had scores when it was approved.';
COMMENT ON COLUMN racing.decision.is_overruling IS
  'Whether an administrator overruled an earlier decision. Moderators cannot decide again until the activity''s content changes.';
COMMENT ON COLUMN racing.decision.reviewer_athlete IS
  'The reviewer''s athlete. Null for operators, for apps without athletes, and for decisions that predate this column.';
COMMENT ON COLUMN racing.decision.took_verified IS
  'Whether a request for information removed a verified activity from its races. If so, the reviewer is treated as having judged the activity.';
COMMENT ON COLUMN racing.decision.activity_id IS 'The reviewed activity.';
COMMENT ON TABLE racing.deletion IS 'Deleted activities whose names, places, tracks and streams are still stored.';
COMMENT ON COLUMN racing.deletion.forget_at IS 'When the activity''s data is due to be erased.';
COMMENT ON TABLE racing.entered_account IS
  'Provider accounts with which athletes have entered races. No other athlete can connect with such an account. Erasing an athlete deletes the athlete''s rows.';
COMMENT ON COLUMN racing.entered_account.provider_athlete_id IS 'The account''s id at the provider.';
COMMENT ON TABLE racing.entry IS 'Athletes'' race entries and their latest results.';
COMMENT ON COLUMN racing.entry.id IS 'The entry''s id.';
COMMENT ON COLUMN racing.entry.rank IS 'The rank among all entries. Tied entries share a rank. Null if there is none.';
COMMENT ON COLUMN racing.entry.prize_pence IS 'The prize from the latest settlement, in pence.';
COMMENT ON COLUMN racing.entry.disqualified_by IS
  'The disqualified activity that caused the entry to be disqualified. In a settled race, the entry''s status changes when the race is corrected. Null if there is none.';
COMMENT ON COLUMN racing.entry.reinstatement_count IS
  'How many times the fee was charged again after a refund, before the settlement. The journal keys of the refunds and charges contain this number.';
COMMENT ON COLUMN racing.entry.claims_listed_at IS
  'When a listing of the athlete''s activities was requested for this race''s results because of the athlete''s claims. At most one listing is requested per entry. Null if none was requested.';
COMMENT ON COLUMN racing.entry.account IS
  'The provider account with which the athlete entered. Null if there was none, or if the entry predates this column.';
COMMENT ON COLUMN racing.entry.race_id IS 'The race that the athlete entered.';
COMMENT ON TABLE racing.flag IS
  'Users'' reports of suspicious activities. A final decision closes all flags on the activity. A user cannot flag the same content again after a decision.';
COMMENT ON COLUMN racing.flag.id IS 'The flag''s sequence number.';
COMMENT ON COLUMN racing.flag.closed_content IS
  'The activity''s content_hash when the flag was closed. Null if the flag is open.';
COMMENT ON COLUMN racing.flag.counts IS
  'Whether the flag counts towards a review. This is determined when the flag is added.';
COMMENT ON COLUMN racing.flag.account_digest IS
  'A digest of the activity and the flagging athlete''s account. Only one flag per account counts for an activity, even if the account moves to another athlete. Null if there is no account.';
COMMENT ON COLUMN racing.flag.closed_at IS
  'When the flag was closed, for example by a final decision. Null if the flag is open.';
COMMENT ON COLUMN racing.flag.activity_id IS 'The flagged activity.';
COMMENT ON COLUMN racing.flag.notes IS 'The athlete''s notes. Null if there are none.';
COMMENT ON TABLE racing.import_day IS 'Each athlete''s imports through the gateway on the latest day.';
COMMENT ON COLUMN racing.import_day.day IS 'The date in the time zone set by racing.time_zone.';
COMMENT ON COLUMN racing.import_day.imports IS 'The number of imports that changed data.';
COMMENT ON COLUMN racing.import_day.bytes IS 'The total size of the imports'' bodies in bytes.';
COMMENT ON TABLE racing.journal IS 'The append-only ledger. A journal and its postings are written in one transaction.';
COMMENT ON COLUMN racing.journal.id IS 'The journal''s id.';
COMMENT ON COLUMN racing.journal.idempotency_key IS
  'The idempotency key. It ensures that the journal is booked only once.';
COMMENT ON COLUMN racing.journal.race_id IS 'The race that the journal belongs to. Null if there is none.';
COMMENT ON COLUMN racing.journal.description IS 'The text shown to the athlete.';
COMMENT ON COLUMN racing.journal.occurred_at IS 'The business time at which the journal was booked.';
COMMENT ON TABLE racing.journal_double IS
  'Journals booked with the same key as an earlier journal. The settled migrate --mark-doubles command records them.';
COMMENT ON COLUMN racing.journal_double.idempotency_key IS 'The key with which both journals were booked.';
COMMENT ON TABLE racing.late_activity IS
  'Activities that were held when the race was first settled and have since been verified. Later revisions count them.';
COMMENT ON COLUMN racing.late_activity.race_id IS 'The race in which the activity was held.';
COMMENT ON COLUMN racing.late_activity.activity_id IS 'The held activity.';
COMMENT ON TABLE racing.ledger_difference IS
  'Differences that the latest ledger audit found. Each difference is stored so that it is reported only once.';
COMMENT ON COLUMN racing.ledger_difference.difference IS
  'The difference, in the output format of settlectl ledger verify.';
COMMENT ON COLUMN racing.ledger_difference.finding IS 'The account, athlete and amount of the difference.';
COMMENT ON COLUMN racing.ledger_difference.found_at IS 'When a ledger audit first found the difference.';
COMMENT ON TABLE racing.payout IS 'The payouts of each settlement revision, as calculated in that revision.';
COMMENT ON COLUMN racing.payout.revision IS 'The settlement revision.';
COMMENT ON COLUMN racing.payout.place IS 'The place in the ranking: 1, 2 or 3.';
COMMENT ON COLUMN racing.payout.race_id IS 'The settled race.';
COMMENT ON COLUMN racing.posting.id IS
  'The posting''s sequence number. For a wallet posting, this is the transaction''s id.';
COMMENT ON COLUMN racing.posting.journal_id IS 'The posting''s journal.';
COMMENT ON COLUMN racing.posting.athlete_id IS
  'The athlete, if the account is wallet, pending or receivable. Null for other accounts.';
COMMENT ON COLUMN racing.posting.race_id IS 'The race, if the account is pool. Null for other accounts.';
COMMENT ON COLUMN racing.posting.entry_id IS 'The entry that the posting relates to. Null if there is none.';
COMMENT ON COLUMN racing.posting.amount_pence IS
  'The amount credited to the account, in pence. Negative for a debit, such as an increase in a receivable.';
COMMENT ON COLUMN racing.posting.balance_pence IS
  'The wallet''s balance immediately after the posting, in pence. Null for other accounts.';
COMMENT ON TABLE racing.race IS 'Races. Each race has a snapshot of the settings, taken when the race was created.';
COMMENT ON COLUMN racing.race.id IS 'The race''s id.';
COMMENT ON COLUMN racing.race.type IS
  'The score that determines the ranking: top_speed, furthest_distance, fastest_1km or fastest_5km.';
COMMENT ON COLUMN racing.race.duration IS
  'The length of the race''s window, in the time zone set by racing.time_zone: daily, weekly or monthly.';
COMMENT ON COLUMN racing.race.category IS 'The gender and age group of the athletes who can enter, such as women_u23.';
COMMENT ON COLUMN racing.race.due_at IS 'The earliest settlement time: ends_at plus the results grace.';
COMMENT ON COLUMN racing.race.prize_shares IS 'The shares of the prize pool for the first three places, in percent.';
COMMENT ON COLUMN racing.race.entry_cutoff IS 'Entries close this long before ends_at.';
COMMENT ON COLUMN racing.race.review_hold IS
  'The longest time after due_at that held activities can delay the settlement.';
COMMENT ON COLUMN racing.race.status IS
  'upcoming, active, ended or settled, in this order. A race in any of the first three states can become cancelled.';
COMMENT ON COLUMN racing.race.entry_count IS 'The number of entries, including disqualified and refunded entries.';
COMMENT ON COLUMN racing.race.waiting_activities IS
  'The held activities and open claims that are delaying the settlement.';
COMMENT ON COLUMN racing.race.correction_due_at IS
  'The instant at which follow-up work became due: refunds for disqualified entries, or a correction. Null if none is due. Formerly named marked_at.';
COMMENT ON COLUMN racing.race.local_date IS
  'The first date of a regular race''s window, in the local_zone time zone. Null for a special race.';
COMMENT ON COLUMN racing.race.knows_claims IS
  'Set by a daemon that supports claims, in the same statement that makes the race wait. A trigger resets it.';
COMMENT ON TABLE racing.race_order IS
  'Operators'' orders to settle or cancel races, carried out by the race-orders job.';
COMMENT ON COLUMN racing.race_order.id IS 'The order''s id.';
COMMENT ON COLUMN racing.race_order.race_id IS 'The race to which the order applies.';
COMMENT ON COLUMN racing.race_order.expected_hash IS
  'The hash of the inputs that the operator reviewed. Null if any inputs are accepted.';
COMMENT ON COLUMN racing.race_order.reason IS
  'The operator''s reason, which is included in the event for a cancellation. Null if there is none.';
COMMENT ON COLUMN racing.race_order.rule IS 'The rule that the order violated. Null if the order was not refused.';
COMMENT ON COLUMN racing.race_order.refusal IS 'The error message of the refusal. Null if the order was not refused.';
COMMENT ON COLUMN racing.race_order.answer IS 'The response for the operator. Null if the order was not carried out.';
COMMENT ON COLUMN racing.race_order.finished_at IS
  'When the order was carried out or refused. Null if the order is open.';
COMMENT ON COLUMN racing.race_order.ordered_at IS 'When the operator issued the order.';
COMMENT ON TABLE racing.review IS 'Activity reviews. An activity has at most one undecided review.';
COMMENT ON COLUMN racing.review.id IS 'The review''s id.';
COMMENT ON COLUMN racing.review.level IS 'How many times a reminder has escalated the review.';
COMMENT ON COLUMN racing.review.bounds IS
  'The scores that exceed their bounds, each with score, value and bound. The value and the bound are in the score''s unit.';
COMMENT ON TABLE racing.revocation IS
  'Revoked connections. The names, places, tracks and streams of these athletes'' activities are erased when forget_at is reached.';
COMMENT ON COLUMN racing.revocation.provider_athlete_id IS
  'The connection''s provider account. 0 if it was unknown. Connecting with the same account again cancels the revocation.';
COMMENT ON COLUMN racing.revocation.forget_at IS 'When the activities'' data is due to be erased.';
COMMENT ON COLUMN racing.revocation.revoked_at IS
  'When the connection was revoked. Activities imported later keep their content.';
COMMENT ON TABLE racing.settlement IS 'Race settlements: revision 1, followed by any corrections.';
COMMENT ON COLUMN racing.settlement.revision IS '1 for the first settlement, incremented with each correction.';
COMMENT ON COLUMN racing.settlement.fees_pence IS 'The total fees of participating entries, in pence.';
COMMENT ON COLUMN racing.settlement.prize_pool_pence IS 'The share of the fees that funds the prizes, in pence.';
COMMENT ON COLUMN racing.settlement.journal_id IS 'The settlement''s journal. Null if no journal was booked.';
COMMENT ON COLUMN racing.settlement.held_activities IS
  'The activities that were held and the claims that were open when the race was settled.';
COMMENT ON COLUMN racing.settlement.race_id IS 'The settled race.';
COMMENT ON TABLE racing.stream_pruning IS
  'One row: the position from which the next run of the stream-pruning job continues.';
COMMENT ON TABLE racing.transaction_end IS
  'Completed and failed withdrawals, and charged-back deposits. A withdrawal without a row is pending.';
COMMENT ON COLUMN racing.transaction_end.posting_id IS 'The wallet posting of the withdrawal or deposit.';
COMMENT ON COLUMN racing.transaction_end.ended_at IS
  'When the withdrawal was completed or failed, or when the deposit was charged back.';
COMMENT ON COLUMN racing.transaction_end.journal_id IS 'The journal that books the completion, failure or chargeback.';
COMMENT ON TABLE racing.wallet IS 'Athletes'' balances. Each balance equals the sum of the wallet''s postings.';
COMMENT ON COLUMN racing.wallet.pending_pence IS 'The total of pending withdrawals, in pence.';
