import ControlAPI
import ControlClient
import Figures
import Postgres
import TestSupport

/// `deploy/bench growth-audit`: pages of the audit log over the socket, by the operators' commands in it.
struct AuditGrowth {
  let scale: GrowthScale

  private static let calls = 100
  /// The uid of the rare commands, one in 500.
  private static let rare = 4242

  func run() async throws -> Report {
    try await scale.report(of: "commands", from: 1000, through: 10_000_000, bytesPerRow: 600) { rows, cluster, report in
      try await cluster.make("audit")
      let owner = try await cluster.connect("audit")
      try await owner.execute(
        """
        INSERT INTO settled.audit (at, node, uid, gid, pid, command, target, before, after, reason)
        SELECT clock_timestamp() - (\(Int64(rows)) - n) * interval '1 second', 'bench',
          CASE WHEN n % 500 = 0 THEN \(Int64(Self.rare)) ELSE 1000 END, 1000, 1, 'schedule.pause', 'schedule ' || n % 100,
          '{"paused": false}', '{"paused": true}', 'bench'
        FROM generate_series(1, \(Int64(rows))) AS n ORDER BY n
        """)
      try await owner.execute("VACUUM (FREEZE, ANALYZE)")
      let daemon = try await cluster.daemon(on: "audit", seenBy: owner, SettledProcess.adminsAreOurs)
      for _ in scale.repetitions(at: rows) { try await read(daemon, among: rows, into: &report) }
      try await daemon.end()
      await owner.close()
    }
  }

  private func read(_ daemon: SettledProcess, among rows: Int, into report: inout Report) async throws {
    let client = ControlClient(path: daemon.controlSocket)
    let pages = [
      ("newest commands", ControlRequest(.auditLog)),
      ("commands of one user", ControlRequest(.auditLog, ["uid": .integer(Int64(Self.rare)), "limit": .integer(2)])),
      ("commands on one target", ControlRequest(.auditLog, ["target": .text("schedule 7"), "limit": .integer(10)])),
    ]
    for (name, request) in pages {
      var times: [Double] = []
      for _ in 1...Self.calls {
        let start = ContinuousClock.now
        let answer = try await client.send(request)
        times.append(start.duration(to: .now) / .milliseconds(1))
        guard answer.status == 200 else { throw BenchError("\(name): \(answer.body)") }
      }
      report.grow(
        "page of \(name)", "ms", times.sorted().at(0.5), at: rows, "commands", target: GrowthScale.constant)
    }
  }
}
