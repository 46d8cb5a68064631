import Operations
import Postgres

/// `race list`: races newest first, each with its money and what it waits for.
enum RaceList {
  /// Races that one page looks at for its filter.
  static let lookedAtMax: Int64 = 10_000
  /// Entries of races that are not settled, whose fees one page adds up.
  static let entriesMax: Int64 = 100_000

  struct Filter: Sendable {
    var status: String?
    var type: String?
    var category: String?

    init(status: String? = nil, type: String? = nil, category: String? = nil) {
      (self.status, self.type, self.category) = (status, type, category)
    }

    /// Throws `CommandError` with the name of the parameter as its rule.
    init(_ call: CommandCall) throws(CommandError) {
      status = try Self.value(call, "status", RaceStatus.allCases.map(\.rawValue))
      type = try Self.value(call, "type", RaceType.allCases.map(\.rawValue))
      category = try Self.value(call, "category", Self.categories)
    }

    private static func value(
      _ call: CommandCall, _ name: String, _ allowed: [String]
    ) throws(CommandError) -> String? {
      guard let value = call.text(name) else { return nil }
      guard allowed.contains(value) else {
        throw CommandError(.usage, rule: name, "\(name) must be one of \(allowed.joined(separator: ", "))")
      }
      return value
    }

    private static let categories = [
      "junior_girls", "junior_boys", "women_u23", "men_u23", "senior_women", "senior_men", "masters_women",
      "masters_men",
    ]
  }

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let page = try ListPage(call)
    let statement = statement(try Filter(call), before: page.after ?? .max, limit: page.limit)
    return try await transaction.query(statement).one(JSON.self)
  }

  /// The whole answer. A page ends early where its races have many entries, or where few races match the filter.
  static func statement(_ filter: Filter, before: Int64, limit: Int64) -> Statement {
    let status: Statement = filter.status.map { "r.status = \($0) AND" } ?? ""
    return """
      WITH looked AS NOT MATERIALIZED (
        SELECT r.* FROM racing.race AS r WHERE \(fragment: status) r.id < \(before)
        ORDER BY r.id DESC LIMIT \(lookedAtMax)
      ), found AS MATERIALIZED (
        SELECT l.* FROM looked AS l
        WHERE (\(filter.type)::text IS NULL OR l.type = \(filter.type))
          AND (\(filter.category)::text IS NULL OR l.category = \(filter.category))
        ORDER BY l.id DESC LIMIT \(limit) + 1
      ), numbered AS (
        SELECT f.id, row_number() OVER w AS place,
          sum(CASE WHEN f.status IN ('settled', 'cancelled') THEN 0 ELSE f.entry_count END) OVER w AS entries
        FROM found AS f WINDOW w AS (ORDER BY f.id DESC)
      ), page AS (
        SELECT f.* FROM found AS f JOIN numbered AS n ON n.id = f.id
        WHERE n.place <= \(limit) AND (n.place = 1 OR n.entries <= \(entriesMax))
      )
      SELECT jsonb_build_object('rows', coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', p.id, 'type', p.type, 'duration', p.duration,
            'category', p.category, 'status', p.status, 'startsAt', settled.iso(p.starts_at),
            'endsAt', settled.iso(p.ends_at), 'dueAt', settled.iso(p.due_at), 'entries', p.entry_count,
            'feePence', p.entry_fee_pence, 'poolPence', CASE p.status WHEN 'settled' THEN s.prize_pool_pence
              WHEN 'cancelled' THEN 0 ELSE g.gross - floor(g.gross * p.platform_fee_percent / 100)::bigint END,
            'waitingFor', racing.waiting_json(r, t.now),
            'settledAt', settled.iso(s.settled_at)) ORDER BY p.id DESC)
          FROM page AS p JOIN racing.race AS r ON r.id = p.id CROSS JOIN settled.clock() AS t (now)
          LEFT JOIN LATERAL (
            SELECT x.prize_pool_pence, x.settled_at FROM racing.settlement AS x
            WHERE x.race_id = p.id ORDER BY x.revision DESC LIMIT 1) AS s ON true
          LEFT JOIN LATERAL (
            SELECT coalesce(sum(e.fee_pence), 0)::bigint AS gross FROM racing.entry AS e
            WHERE e.race_id = p.id AND p.status NOT IN ('settled', 'cancelled')
              AND e.status NOT IN ('disqualified', 'refunded')) AS g ON true), '[]'),
        'next', CASE WHEN (SELECT count(*) FROM found) > (SELECT count(*) FROM page)
          THEN (SELECT min(p.id) FROM page AS p)::text
          ELSE (SELECT r.id::text FROM racing.race AS r WHERE \(fragment: status) r.id < \(before)
            ORDER BY r.id DESC OFFSET \(lookedAtMax) - 1 LIMIT 1) END)
      """
  }
}
