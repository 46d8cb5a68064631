import Operations
import Postgres

/// `athlete show`: an athlete's money, latest entries and latest activities.
///
/// Date of birth and gender are left out: only `person correct` needs them.
enum AthleteOverview {
  /// The newest entries, and the newest activities, that are shown.
  static let listedMax: Int64 = 20

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let id = call.integer("id") ?? 0
    guard let shown = try await transaction.query(statement(id)).first(JSON.self) else {
      throw CommandError(.missing, rule: "athlete", "there is no athlete \(id)")
    }
    return shown
  }

  /// No row where there is no such athlete.
  static func statement(_ id: Int64) -> Statement {
    """
    SELECT jsonb_build_object('id', a.id, 'displayName', a.display_name, 'userType', a.user_type,
      'createdAt', settled.iso(a.created_at), 'erasedAt', settled.iso(a.erased_at),
      'balancePence', w.balance_pence, 'pendingPence', w.pending_pence, 'receivablePence', w.receivable_pence,
      'entries', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', e.id, 'raceId', e.race_id, 'status', e.status,
          'enteredAt', settled.iso(e.entered_at), 'rank', e.rank, 'prizePence', e.prize_pence) ORDER BY e.id DESC)
        FROM (SELECT x.* FROM racing.entry AS x WHERE x.athlete_id = a.id ORDER BY x.id DESC LIMIT \(listedMax)) AS e),
        '[]'),
      'activities', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', v.id, 'startedAt', settled.iso(v.started_at), 'type', v.activity_type,
          'status', v.status, 'openFlags', v.flag_count + v.uncounted_flags) ORDER BY v.started_at DESC, v.id DESC)
        FROM (SELECT x.* FROM racing.activity AS x WHERE x.athlete_id = a.id
          ORDER BY x.started_at DESC LIMIT \(listedMax)) AS v), '[]'))
    FROM racing.athlete AS a JOIN racing.wallet AS w ON w.athlete_id = a.id WHERE a.id = \(id)
    """
  }
}
