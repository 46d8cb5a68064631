import Postgres
import TestSupport
import Testing

/// What must be true after all blows.
struct ClusterBalance {
  let cluster: Cluster
  let load: ClientLoad
  let web: GatewayLoad
  let depositors: [Depositor]
  let seed: String

  func strike() async throws -> String {
    let owner = try await cluster.owner()
    try await Books.check(owner, seed)
    #expect(load.errors == [] && web.errors == [], "\(seed)")
    #expect(web.repeated > 0, "no request of a gateway was struck, \(seed)")
    #expect(depositors.flatMap { $0.errors } == [], "\(seed)")
    #expect(try await load.broken(owner) + web.broken(owner) == [], "\(seed)")
    let gone = try await deposits(owner)
    // Each failover was one that lost nothing, and every node saw that.
    let findings = try await owner.query("SELECT finding FROM settled.restoration").decode(String.self)
    #expect(findings.isEmpty, "\(findings), \(seed)")
    let failures = try await owner.query("SELECT concat_ws(' ', job, key, error) FROM settled.failure").decode(
      String.self)
    #expect(failures.isEmpty, "\(failures), \(seed)")
    for words in [["audit", "schedule"], ["ledger", "verify"]] {
      let checked = try await cluster.settlectl(2, words[0], words[1])
      #expect(checked.exit == .code(0), "\(words), \(seed): \(checked.output)\(checked.errors)")
    }
    let ticks = try await ticks(owner)
    let races = try await owner.query("SELECT count(*) FROM racing.settlement").one(Int64.self)
    await owner.close()
    return """
      \(races) races settled once each, ticks: \(ticks); \(load.calls) calls (\(load.repeated) repeated), \
      \(web.calls) requests of gateways (\(web.repeated) repeated); \
      \(load.acknowledged.count + web.acknowledged + depositors.map(\.acknowledged.count).reduce(0, +)) deposits acknowledged and booked, \
      \(depositors.map(\.unanswered.count).reduce(0, +)) without an answer, \(gone) of them not booked; \(seed)
      """
  }

  /// Each deposit that was acknowledged is booked once; returns how many of the others are not booked.
  private func deposits(_ owner: Connection) async throws -> Int {
    let rows = try await owner.query(
      """
      SELECT split_part(j.idempotency_key, '/', 3), sum(p.amount_pence)::bigint
      FROM racing.journal AS j JOIN racing.posting AS p ON p.journal_id = j.id AND p.account = 'wallet'
      WHERE j.kind = 'deposit' GROUP BY 1
      """
    ).decode(String.self, Int64.self)
    let booked = Dictionary(rows) { $0 + $1 }
    let lost = depositors.flatMap { $0.acknowledged }.filter { booked[$0] != 7 }
    #expect(lost.isEmpty, "acknowledged and not booked once: \(lost.prefix(20)), \(seed)")
    let twice = depositors.flatMap { $0.unanswered }.filter { (booked[$0] ?? 7) != 7 }
    #expect(twice.isEmpty, "\(twice.prefix(20)), \(seed)")
    return depositors.flatMap { $0.unanswered }.count { booked[$0] == nil }
  }

  /// What became of the ticks; those that ran have left one row each.
  private func ticks(_ owner: Connection) async throws -> String {
    let outcomes = try await owner.query(
      "SELECT status, count(*) FROM settled.occurrence WHERE schedule = 'each-second' GROUP BY status ORDER BY status"
    ).decode(String.self, Int64.self)
    let ran = outcomes.first { $0.0 == "ran" }?.1 ?? 0
    #expect(try await owner.query("SELECT count(*) FROM ops.effect").one(Int64.self) == ran, "\(seed)")
    #expect(!outcomes.contains { $0.0 == "failed" } && ran > 5, "\(outcomes), \(seed)")
    return outcomes.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
  }
}
