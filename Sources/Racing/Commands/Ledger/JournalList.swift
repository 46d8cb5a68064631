import Operations
import Postgres

/// `ledger journals`: journals newest first, and `ledger journal`: one with its postings.
enum JournalList {
  /// Journals that one page looks at for its kind.
  static let lookedAtMax: Int64 = 10_000
  /// Postings of one journal that are shown.
  static let postingsMax: Int64 = 500

  private static let kinds = ["deposit", "withdrawal", "entry_fee", "prize", "refund", "correction"]

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let page = try ListPage(call)
    let kind = call.text("kind")
    if let kind, !kinds.contains(kind) {
      throw CommandError(.usage, rule: "kind", "kind must be one of \(kinds.joined(separator: ", "))")
    }
    let statement = statement(
      race: call.integer("race"), athlete: call.integer("athlete"), kind: kind, before: page.after ?? .max,
      limit: page.limit)
    return try await transaction.query(statement).one(JSON.self)
  }

  /// The whole answer. Of a race or an athlete all journals are looked at, else a page may end early for its kind.
  static func statement(race: Int64?, athlete: Int64?, kind: String?, before: Int64, limit: Int64) -> Statement {
    let newest: Statement = "SELECT j.* FROM racing.journal AS j WHERE j.id < \(before) ORDER BY j.id DESC"
    let looked: Statement
    let rest: Statement
    switch (athlete, race) {
    case (let athlete?, _):
      looked =
        "SELECT j.* FROM racing.journal AS j WHERE j.id < \(before) AND j.id IN (\(fragment: ofAthlete(athlete)))"
      rest = "NULL"
    case (nil, let race?):
      looked = "SELECT j.* FROM racing.journal AS j WHERE j.id < \(before) AND j.id IN (\(fragment: ofRace(race)))"
      rest = "NULL"
    case (nil, nil):
      looked = "\(fragment: newest) LIMIT \(lookedAtMax)"
      rest = "(SELECT n.id::text FROM (\(fragment: newest) OFFSET \(lookedAtMax) - 1 LIMIT 1) AS n)"
    }
    return """
      WITH looked AS NOT MATERIALIZED (
        \(fragment: looked)
      ), found AS MATERIALIZED (
        SELECT l.* FROM looked AS l
        WHERE (\(kind)::text IS NULL OR l.kind = \(kind)) AND (\(race)::bigint IS NULL OR l.race_id = \(race))
        ORDER BY l.id DESC LIMIT \(limit) + 1
      ), page AS (
        SELECT f.* FROM found AS f ORDER BY f.id DESC LIMIT \(limit)
      )
      SELECT jsonb_build_object('rows', coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', p.id, 'at', settled.iso(p.occurred_at), 'kind', p.kind,
            'raceId', p.race_id, 'athleteId', s.athlete, 'reference', p.idempotency_key, 'description', p.description,
            'pence', s.pence) ORDER BY p.id DESC)
          FROM page AS p CROSS JOIN LATERAL (
            SELECT CASE WHEN min(x.athlete_id) = max(x.athlete_id) THEN min(x.athlete_id) END AS athlete,
              coalesce(sum(x.amount_pence) FILTER (WHERE x.amount_pence > 0), 0)::bigint AS pence
            FROM racing.posting AS x WHERE x.journal_id = p.id) AS s), '[]'),
        'next', CASE WHEN (SELECT count(*) FROM found) > \(limit) THEN (SELECT min(p.id) FROM page AS p)::text
          ELSE \(fragment: rest) END)
      """
  }

  /// The journals that moved something in the athlete's wallet, or ended a withdrawal from it.
  private static func ofAthlete(_ athlete: Int64) -> Statement {
    """
    SELECT x.journal_id FROM racing.posting AS x WHERE x.account = 'wallet' AND x.athlete_id = \(athlete)
    UNION SELECT x.journal_id FROM racing.posting AS x WHERE x.entry_id IS NOT NULL AND x.athlete_id = \(athlete)
    UNION SELECT e.journal_id FROM racing.posting AS x JOIN racing.transaction_end AS e ON e.posting_id = x.id
      WHERE x.account = 'wallet' AND x.athlete_id = \(athlete)
    """
  }

  /// The journals of the race's pool, and those of its settlements.
  private static func ofRace(_ race: Int64) -> Statement {
    """
    SELECT x.journal_id FROM racing.posting AS x WHERE x.account = 'pool' AND x.race_id = \(race)
    UNION SELECT s.journal_id FROM racing.settlement AS s WHERE s.race_id = \(race) AND s.journal_id IS NOT NULL
    """
  }

  /// A journal with its first postings, and its link of the chain; no row where there is none.
  static func journal(_ id: Int64) -> Statement {
    """
    SELECT jsonb_build_object('id', j.id, 'at', settled.iso(j.occurred_at), 'kind', j.kind, 'raceId', j.race_id,
      'reference', j.idempotency_key, 'description', j.description,
      'postings', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', p.id, 'account', p.account, 'athleteId', p.athlete_id,
          'entryId', p.entry_id, 'pence', p.amount_pence) ORDER BY p.id)
        FROM (SELECT x.* FROM racing.posting AS x WHERE x.journal_id = j.id ORDER BY x.id LIMIT \(postingsMax)) AS p),
        '[]'),
      'postingsCount', (SELECT count(*) FROM racing.posting AS x WHERE x.journal_id = j.id),
      'position', l.position, 'previousHash', encode(b.hash, 'hex'), 'hash', encode(l.hash, 'hex'))
    FROM racing.journal AS j LEFT JOIN racing.chain_link AS l ON l.journal_id = j.id
    LEFT JOIN racing.chain_link AS b ON b.position = l.position - 1
    WHERE j.id = \(id)
    """
  }
}
