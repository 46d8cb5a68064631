package import Postgres

extension ClientLoad {
  /// What was acknowledged and does not stand in the database exactly once: empty, where all is well.
  package func broken(_ owner: Connection) async throws -> [String] {
    var broken: [String] = []
    let booked = try await owner.query(
      """
      SELECT split_part(j.idempotency_key, '/', 3), p.amount_pence
      FROM racing.journal AS j JOIN racing.posting AS p ON p.journal_id = j.id AND p.account = 'wallet'
      WHERE j.kind = 'deposit' AND j.idempotency_key LIKE '%/load-%'
      """
    ).decode(String.self, Int64.self)
    let sums = Dictionary(booked) { $0 + $1 }
    for (key, pence) in acknowledged where sums[key] != pence {
      broken.append("deposit \(key) of \(pence): booked \(sums[key] ?? 0)")
    }
    broken += try await owner.query(
      """
      SELECT format('points %s: %s times', k, count(e.id)) FROM unnest(\(Array(points))) AS k
        LEFT JOIN seasons.earning AS e ON e.activity_uuid = k GROUP BY k HAVING count(e.id) <> 1
      """
    ).decode(String.self)
    broken += try await owner.query(
      """
      SELECT format('report %s: %s times', k, count(r.user_id)) FROM unnest(\(Array(reports))) AS k
        LEFT JOIN achievements.report AS r ON r.idempotency_key = achievements.key_of(k)
      GROUP BY k HAVING count(r.user_id) <> 1
      """
    ).decode(String.self)
    return broken
  }
}
