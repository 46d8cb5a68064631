/// A case breaks its named constraint, and nothing else. The world has athletes 1 and 2, race 1, entry 1 and activity
/// 1, each of athlete 1, and settlement 1 of race 1.
enum ConstraintCases {
  static let all: [(name: String, statement: String)] =
    racing + ledger + house + schedules + ownSchedules + checkIns + seasons + talks + achievements + accounts

  static let racing = [
    ("athlete_gender", "UPDATE racing.athlete SET gender = 'x'"),
    ("athlete_provider_gender", "UPDATE racing.athlete SET provider_gender = 'other'"),
    ("athlete_user_type", "UPDATE racing.athlete SET user_type = 'coach'"),
    ("athlete_display_name", "UPDATE racing.athlete SET display_name = ''"),
    ("athlete_display_name", "UPDATE racing.athlete SET display_name = repeat('x', 10001)"),
    (
      "connection_athlete",
      "INSERT INTO strava.connection (athlete_id, status, changed_at) VALUES (99, 'active', now())"
    ),
    ("connection_status", "UPDATE strava.connection SET status = 'gone'"),
    ("connection_reason", "UPDATE strava.connection SET status = 'needs_reauth'"),
    ("connection_reason", "UPDATE strava.connection SET reason = 'grant'"),
    ("connection_provider_athlete", "UPDATE strava.connection SET provider_athlete_id = 7"),
    ("secret_kind", "UPDATE strava.secret SET kind = 'key'"),
    ("lost_reply_kind", "INSERT INTO strava.lost_reply VALUES (1, 'access', 1, 'wire', now())"),
    ("lost_reply_cause", "INSERT INTO strava.lost_reply VALUES (1, 'code', 1, 'fate', now())"),
    ("provider_one", "INSERT INTO strava.provider (is_it) VALUES (false)"),
    ("importer_one", "INSERT INTO strava.importer VALUES (false, 'w', 'k')"),
    ("reader_one", "UPDATE strava.reader SET is_it = false"),
    ("read_request_kind", readRequest("'pages', 7", "NULL, NULL, NULL, NULL")),
    ("read_request_class", readRequest("'activity', 7", "NULL, NULL, NULL, NULL", class: 4)),
    ("read_request_activity", readRequest("'activity', 0", "NULL, NULL, NULL, NULL")),
    ("read_request_span", readRequest("'listing', 0", "now(), now(), 1, NULL")),
    ("read_request_page", readRequest("'listing', 0", "now(), now() + interval '1 h', 4, NULL")),
    ("read_request_summary", readRequest("'streams', 7", "NULL, NULL, NULL, NULL")),
    ("account_keeper_one", "UPDATE strava.account_keeper SET is_it = false"),
    ("hint_taker_one", "UPDATE strava.hint_taker SET is_it = false"),
    ("hint_kind", "INSERT INTO strava.hint VALUES (1, 'rename', 1, now(), 'd', now())"),
    ("subscription_one", "\(subscription), false FROM strava.provider"),
    ("subscription_digests", subscription.replacing("sha256('p')", with: "'p'") + ", true FROM strava.provider"),
    ("subscription_confirmed", subscription.replacing("NULL", with: "7") + ", true FROM strava.provider"),
    ("import_request_once", importRequest("1, now(), now() + interval '1 h'", "2, now(), now() + interval '1 h'")),
    ("import_request_span", importRequest("1, now(), now()")),
    ("import_request_page", importRequest("4, now(), now() + interval '1 h'")),
    ("provider_open", "UPDATE strava.provider SET open_since = now()"),
    (
      "race_key",
      """
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, next_check_at, created_at)
      SELECT type, duration, category, starts_at, ends_at, due_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, next_check_at, created_at FROM racing.race
      """
    ),
    ("race_date", "UPDATE racing.race SET local_date = '2031-03-29', local_zone = NULL"),
    (
      "race_once_a_date",
      """
      UPDATE racing.race SET local_date = '2031-03-29', local_zone = 'UTC';
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence, local_date, local_zone,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, next_check_at, created_at)
      SELECT type, duration, category, starts_at - interval '1 hour', ends_at, due_at, entry_fee_pence, local_date, local_zone,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, next_check_at, created_at FROM racing.race
      """
    ),
    ("race_type", "UPDATE racing.race SET type = 'longest'"),
    ("race_duration", "UPDATE racing.race SET duration = 'yearly'"),
    ("race_category", "UPDATE racing.race SET category = 'men'"),
    ("race_status", "UPDATE racing.race SET status = 'void'"),
    ("race_window", "UPDATE racing.race SET starts_at = ends_at"),
    ("race_due", "UPDATE racing.race SET due_at = ends_at - interval '1 microsecond'"),
    ("race_due", "UPDATE racing.race SET next_check_at = due_at - interval '1 microsecond'"),
    ("race_fee", "UPDATE racing.race SET entry_fee_pence = 0"),
    ("race_platform_fee", "UPDATE racing.race SET platform_fee_percent = 50.01"),
    ("race_platform_fee", "UPDATE racing.race SET platform_fee_percent = -0.01"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{75,20,4}'"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{40,40,20}'"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{60,40,0}'"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{60,30,8,2}'"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{75,20,NULL}'"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{{75,20,5}}'"),
    ("race_shares", "UPDATE racing.race SET prize_shares = '{}'"),
    ("race_waiting", "UPDATE racing.race SET waiting_activities = '{1}'"),
    ("race_reinstating", "UPDATE racing.race SET is_reinstating = true"),
    ("race_correction_due", "UPDATE racing.race SET status = 'cancelled', correction_due_at = now()"),
    ("activity_strava_id", "UPDATE racing.activity SET strava_id = 1"),
    ("activity_status", "UPDATE racing.activity SET status = 'new'"),
    ("activity_reasons", "UPDATE racing.activity SET reasons = '{uk}'"),
    ("activity_reasons", "UPDATE racing.activity SET status = 'rejected'"),
    ("activity_reasons", "UPDATE racing.activity SET status = 'rejected', reasons = '{speed}'"),
    ("activity_reasons", "UPDATE racing.activity SET status = 'rejected', reasons = '{NULL}'"),
    ("activity_scored", "UPDATE racing.activity SET status = 'verified'"),
    ("activity_scored", "UPDATE racing.activity SET fastest_5km_ms = 1"),
    ("activity_locations", "UPDATE racing.activity SET start_latitude = NULL"),
    ("activity_locations", "UPDATE racing.activity SET end_longitude = NULL"),
    ("activity_flag_count", "UPDATE racing.activity SET flag_count = -1"),
    ("activity_flag_count", "UPDATE racing.activity SET flag_count = 1"),
    ("activity_flag_count", "UPDATE racing.activity SET flag_count = 1, flagged_at = now(), status = 'disqualified'"),
    ("activity_uncounted_flags", "UPDATE racing.activity SET uncounted_flags = -1"),
    ("activity_uncounted_flags", "UPDATE racing.activity SET uncounted_flags = 1, status = 'disqualified'"),
    ("activity_approvals", "UPDATE racing.activity SET approvals = -1"),
    (
      "activity_displaced",
      "UPDATE racing.activity SET strava_id = NULL, status = 'rejected', reasons = '{provider}', scored = false"
    ),
    ("activity_displaced", "UPDATE racing.activity SET displaced_strava_id = 5"),
    ("activity_displaced", "UPDATE racing.activity SET strava_id = NULL, displaced_strava_id = 5, status = 'pending'"),
    ("claim_strava_id", claim("2, 0, NULL, NULL")),
    ("claim_reason", claim("2, 5, 'other', NULL")),
    ("claim_rejected", claim("2, 5, NULL, now()")),
    ("stream_pruning_one", "INSERT INTO racing.stream_pruning VALUES (false, 0)"),
    ("claim_athlete", claim("99, 5, NULL, NULL")),
    ("claim_once", claim("1, 5, NULL, NULL") + ";" + claim("1, 5, NULL, NULL").replacing("91", with: "92")),
    ("import_day_counts", "INSERT INTO racing.import_day VALUES (1, '2031-06-03', 0, 0)"),
    ("import_day_counts", "INSERT INTO racing.import_day VALUES (1, '2031-06-03', 1, -1)"),
    ("code_day_codes", "INSERT INTO racing.code_day VALUES (1, '2031-06-03', 0)"),
    ("flag_reason", flag("'ugly', NULL, NULL")),
    ("flag_closed", flag("'other', now(), NULL")),
    ("flag_closed", flag("'other', NULL, ''")),
    (
      "race_order_race",
      "INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at) VALUES (99, 'cancel', false, now())"
    ),
    (
      "race_order_kind",
      "INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at) VALUES (1, 'pay', false, now())"
    ),
    (
      "race_order_settles",
      "INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at) VALUES (1, 'cancel', true, now())"
    ),
    (
      "race_order_refusal",
      "INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at, finished_at, rule) VALUES (1, 'settle', true, now(), now(), 'a')"
    ),
    (
      "race_order_finished",
      "INSERT INTO racing.race_order (race_id, kind, overrides, ordered_at, finished_at) VALUES (1, 'settle', true, now(), now())"
    ),
    ("activity_visibility", "UPDATE racing.activity SET visibility = 'friends'"),
    ("review_reasons", "INSERT INTO racing.review (activity_id, opened_at, reasons) VALUES (1, now(), '{speed}')"),
    ("review_bounds", "INSERT INTO racing.review (activity_id, opened_at, bounds) VALUES (1, now(), '{}')"),
    ("review_state", "INSERT INTO racing.review (activity_id, opened_at, state) VALUES (1, now(), 'closed')"),
    ("review_level", "INSERT INTO racing.review (activity_id, opened_at, level) VALUES (1, now(), -1)"),
    (
      "decision_decision",
      "INSERT INTO racing.decision (review_id, activity_id, decision, reviewer, note, decided_at) VALUES (1, 1, 'maybe', '', '', now())"
    ),
    (
      "late_activity_once",
      "INSERT INTO racing.late_activity VALUES (1, 1, now()), (1, 1, now())"
    ),
    ("activity_stream_lengths", "INSERT INTO racing.activity_stream VALUES (1, '{1}', '{1,2}')"),
    (
      "activity_stream_limit",
      "INSERT INTO racing.activity_stream SELECT 1, a, a FROM (SELECT array_agg(g) FROM generate_series(0, 200000) g) t (a)"
    ),
    (
      "entry_once",
      "INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at) SELECT 1, 1, 100, now()"
    ),
    ("entry_status", "UPDATE racing.entry SET status = 'gone'"),
    ("entry_fee", "UPDATE racing.entry SET fee_pence = 0"),
    ("entry_refunded", "UPDATE racing.entry SET status = 'refunded'"),
    ("entry_refunded", "UPDATE racing.entry SET is_refunded = true"),
    ("entry_disqualified", "UPDATE racing.entry SET disqualified_by = 1"),
    ("entry_prize", "UPDATE racing.entry SET prize_pence = -1"),
    ("entry_prize", "UPDATE racing.entry SET prize_pence = 1"),
    ("entry_rank", "UPDATE racing.entry SET rank = 1, score = 1, activity_id = 1"),
    ("entry_rank", "UPDATE racing.entry SET rank = 0, score = 1, activity_id = 1, status = 'completed'"),
    ("entry_rank", "UPDATE racing.entry SET rank = 1, score = 1, status = 'completed'"),
    ("entry_rank", "UPDATE racing.entry SET rank = 1, activity_id = 1, status = 'completed'"),
    ("entry_rank", "UPDATE racing.entry SET score = 1, status = 'completed'"),
  ]

  static let ledger = [
    ("wallet_balance", "UPDATE racing.wallet SET balance_pence = -1"),
    ("wallet_pending", "UPDATE racing.wallet SET pending_pence = -1"),
    ("wallet_receivable", "UPDATE racing.wallet SET receivable_pence = -1"),
    ("journal_once", journal("deposit", key: "athlete/1/start")),
    ("journal_kind", journal("gift", key: "new")),
    ("journal_double_later", "INSERT INTO racing.journal_double VALUES (1, 1, 'athlete/1/start')"),
    ("posting_account", posting("'bank', NULL, NULL, 1, NULL")),
    ("posting_amount", posting("'external', NULL, NULL, 0, NULL")),
    ("posting_owner", posting("'wallet', NULL, NULL, 1, 1")),
    ("posting_owner", posting("'pending', NULL, NULL, 1, NULL")),
    ("posting_owner", posting("'receivable', NULL, NULL, 1, NULL")),
    ("posting_owner", posting("'platform', 1, NULL, 1, NULL")),
    ("posting_owner", posting("'pool', NULL, NULL, 1, NULL")),
    ("posting_owner", posting("'pool', 1, 1, 1, NULL")),
    ("posting_owner", posting("'external', NULL, 1, 1, NULL")),
    ("posting_balance", posting("'wallet', 1, NULL, 1, NULL")),
    ("posting_balance", posting("'wallet', 1, NULL, 1, -1")),
    ("posting_balance", posting("'external', NULL, NULL, 1, 0")),
    ("settlement_once", settlement("1, 'paid', 100, 1, 99")),
    ("settlement_revision", settlement("0, 'paid', 100, 1, 99")),
    ("settlement_outcome", settlement("2, 'waiting', 100, 1, 99")),
    ("settlement_split", settlement("2, 'paid', 100, 1, 98")),
    ("settlement_split", settlement("2, 'paid', 100, -1, 101")),
    ("settlement_split", settlement("2, 'paid', 100, 101, -1")),
    ("settlement_split", settlement("2, 'void', 100, 1, 0")),
    ("settlement_split", settlement("2, 'void', 100, 0, 99")),
    ("settlement_split", settlement("2, 'void', -1, 0, 0")),
    ("payout_once", "INSERT INTO racing.payout VALUES (1, 1, 2, 1, 1, 5)"),
    ("payout_place", "INSERT INTO racing.payout VALUES (1, 1, 0, 1, 1, 5)"),
    ("payout_place", "INSERT INTO racing.payout VALUES (1, 1, 4, 1, 1, 5)"),
    ("payout_amount", "INSERT INTO racing.payout VALUES (1, 1, 2, 1, 1, 0)"),
    ("transaction_end_status", "INSERT INTO racing.transaction_end VALUES (1, 'gone', NULL, now(), 1)"),
    ("transaction_end_reason", "INSERT INTO racing.transaction_end VALUES (1, 'failed', NULL, now(), 1)"),
    ("transaction_end_reason", "INSERT INTO racing.transaction_end VALUES (1, 'completed', 'x', now(), 1)"),
  ]

  static let house = [
    ("installation_only_row", "UPDATE settled.installation SET only_row = false"),
    ("installation_simulated_clock", "UPDATE settled.installation SET clock_base = NULL"),
    ("installation_simulated_clock", "UPDATE settled.installation SET clock_set_at = NULL"),
    ("installation_simulated_clock", "UPDATE settled.installation SET simulated = false"),
    (
      "installation_real_clock_runs",
      "UPDATE settled.installation SET simulated = false, clock_base = NULL, clock_set_at = NULL, clock_running = true"
    ),
    ("function_script_only_row_check", "UPDATE settled.function_script SET only_row = false"),
    ("setting_kind", "UPDATE settled.setting SET kind = 'text'"),
    ("event_counter_only_row", "UPDATE settled.event_counter SET only_row = false"),
    ("event_counter_order", "UPDATE settled.event_counter SET pruned_through = last_position + 1"),
    ("event_counter_order", "UPDATE settled.event_counter SET pruned_through = -1"),
    ("event_epoch_range", "UPDATE settled.event_epoch SET epoch = 9223"),
    ("event_epoch_number", "UPDATE settled.event_epoch SET first_number = 0"),
    ("failure_item", failure("1, NULL, NULL") + "; " + failure("1, NULL, NULL")),
    ("failure_attempts", failure("-1, NULL, NULL")),
    ("failure_dropped", failure("1, now(), NULL")),
    ("failure_dropped", failure("1, NULL, 'because'")),
    ("node_state", "INSERT INTO settled.node VALUES ('n', '1', now(), now(), 'dead')"),
    (
      "node_backend",
      """
      INSERT INTO settled.node (node, version, started_at, last_seen_at, state, backend_pid)
      VALUES ('n', '1', now(), now(), 'ready', 1)
      """
    ),
    ("request_once", request + "; " + request),
    (
      "restoration_timeline",
      "INSERT INTO settled.restoration (node, found_at, timeline, finding, jobs) VALUES ('n', now(), 0, 'f', '{}')"
    ),
    ("clock_acceptance_only_row", "UPDATE settled.clock_acceptance SET only_row = false"),
  ]

  private static let subscription = """
    INSERT INTO strava.subscription (callback, path_digest, verify_digest, asked_at, subscription_id, is_it)
    SELECT 'https://x', sha256('p'), sha256('v'), now(), NULL::bigint
    """

  private static func readRequest(_ what: String, _ values: String, class readClass: Int = 1) -> String {
    """
    INSERT INTO strava.read_request
      (athlete_id, class, turn, asked_at, until_at, kind, activity_id, since, before, page, summary)
    VALUES (1, \(readClass), 1, now(), now(), \(what), \(values))
    """
  }

  private static func importRequest(_ rows: String...) -> String {
    let rows = rows.map { "(1, now(), now(), \($0))" }
    return """
      INSERT INTO strava.import_request (athlete_id, until_at, next_call_at, page, since, before)
      VALUES \(rows.joined(separator: ", "))
      """
  }

  private static func journal(_ kind: String, key: String) -> String {
    """
    INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at) VALUES ('\(kind)', '\(key)', '', now())
    """
  }

  private static func posting(_ values: String) -> String {
    """
    INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, amount_pence, balance_pence) VALUES (1, \(values))
    """
  }

  private static func settlement(_ values: String) -> String {
    """
    INSERT INTO racing.settlement (race_id, revision, outcome, fees_pence, platform_fee_pence, prize_pool_pence,
      settled_at, input_hash, counted_activities, held_activities) VALUES (1, \(values), now(), '', '{}', '{}')
    """
  }

  private static func failure(_ values: String) -> String {
    """
    INSERT INTO settled.failure (job, key, attempts, dropped_at, dropped_reason, first_at, last_at, next_attempt_at, error)
    VALUES ('j', 'k', \(values), now(), now(), now(), '')
    """
  }

  private static let request =
    "INSERT INTO settled.request (uid, request_id, request, answer) VALUES (0, 'r', '', '{}')"

  private static func claim(_ rest: String) -> String {
    """
    INSERT INTO racing.claim (id, started_at, claimed_at, until_at, content, athlete_id, strava_id, reason, rejected_at)
    VALUES (91, now(), now(), now(), '{}', \(rest))
    """
  }

  private static func flag(_ rest: String) -> String {
    "INSERT INTO racing.flag (activity_id, flagged_by, flagged_at, reason, closed_at, closed_content) VALUES (1, 2, now(), \(rest))"
  }
}
