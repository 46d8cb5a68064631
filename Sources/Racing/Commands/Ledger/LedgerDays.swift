import Engine
import Operations
import Postgres

/// `ledger days`: what was booked on each day of a time zone.
///
/// Fees are charged to pools. Prizes are net of later corrections, deposits of those that were charged back, and
/// withdrawals are those that were paid out, on that day.
enum LedgerDays {
  static let daysMax: Int64 = 400

  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let zone = call.text("zone") ?? "UTC"
    let range = try await InstantRange.read(call, daysMax: daysMax, transaction)
    let (from, to) = (range.from, range.to)
    try await transaction.execute(zoneCheck(zone))
    let (low, high) = (from.advanced(by: .zero - JournalSearch.slack), to.advanced(by: JournalSearch.slack))
    let first = try await transaction.query(JournalSearch.last(before: low ?? from)).one(Int64.self)
    let last = try await transaction.query(JournalSearch.last(before: high ?? to)).one(Int64.self)
    return try await transaction.query(statement(zone: zone, from: from, to: to, journals: first, last)).one(JSON.self)
  }

  /// Refuses a zone that the server does not know.
  static func zoneCheck(_ zone: String) -> Statement { "SELECT settled.check_zone(\(zone))" }

  /// The whole answer, from the journals behind `first` up to `last`.
  static func statement(
    zone: String, from: Timestamp, to: Timestamp, journals first: Int64, _ last: Int64
  ) -> Statement {
    """
    WITH day AS MATERIALIZED (
      SELECT d.date, d.start FROM (
        SELECT g.day::date AS date, settled.day_start(g.day::date, \(zone)) AS start
        FROM generate_series(settled.local_date(\(from), \(zone))::timestamp,
          settled.local_date(\(to)::timestamptz - interval '1 microsecond', \(zone))::timestamp, interval '1 day')
          AS g (day)) AS d
      WHERE d.start IS NOT NULL
    ), starts AS (
      SELECT array_agg(d.start ORDER BY d.start) AS list FROM day AS d
    ), journal AS MATERIALIZED (
      SELECT j.id, j.kind, width_bucket(j.occurred_at, s.list) AS place
      FROM racing.journal AS j CROSS JOIN starts AS s
      WHERE j.id > \(first) AND j.id <= \(last) AND j.occurred_at >= \(from) AND j.occurred_at < \(to)
    ), counted AS (
      SELECT j.place, count(*) AS journals FROM journal AS j GROUP BY j.place
    ), booked AS (
      SELECT j.place,
        sum(p.amount_pence) FILTER (WHERE p.account = 'pool' AND p.amount_pence > 0) AS fees,
        -sum(p.amount_pence) FILTER (WHERE p.account = 'pool' AND j.kind = 'refund') AS refunds,
        sum(p.amount_pence) FILTER (WHERE j.kind = 'prize' AND p.account IN ('wallet', 'receivable')) AS prizes,
        sum(p.amount_pence) FILTER (WHERE j.kind = 'correction' AND p.account = 'platform') AS kept,
        -sum(p.amount_pence) FILTER (WHERE j.kind IN ('deposit', 'correction') AND p.account = 'external') AS deposits,
        sum(p.amount_pence) FILTER (WHERE j.kind = 'withdrawal' AND p.account = 'external') AS withdrawals
      FROM journal AS j JOIN racing.posting AS p ON p.journal_id = j.id GROUP BY j.place
    )
    SELECT jsonb_build_object('zone', \(zone)::text, 'days', jsonb_agg(jsonb_build_object('day', n.date::text,
      'journals', coalesce(c.journals, 0), 'feesPence', coalesce(b.fees, 0)::bigint,
      'prizesPence', (coalesce(b.prizes, 0) - coalesce(b.kept, 0))::bigint,
      'refundsPence', coalesce(b.refunds, 0)::bigint, 'depositsPence', coalesce(b.deposits, 0)::bigint,
      'withdrawalsPence', coalesce(b.withdrawals, 0)::bigint) ORDER BY n.place))
    FROM (SELECT d.date, row_number() OVER (ORDER BY d.start) AS place FROM day AS d) AS n
    LEFT JOIN counted AS c ON c.place = n.place LEFT JOIN booked AS b ON b.place = n.place
    """
  }
}
