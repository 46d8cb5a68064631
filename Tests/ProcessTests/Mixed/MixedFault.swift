import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// What goes wrong, and is put right again after a while.
enum MixedFault: CaseIterable {
  case killNode, killBoth, killGateway
  /// All sessions of daemons and gateway end; or every second one, whose ever it is.
  case endSessions, endSomeSessions
  /// The server and its sessions stand still; it is restarted; it crashes; it rejects log-ins.
  case hang, restart, crash, shut
  /// All connections are taken.
  case exhaust
  case lockTable, lockRows
}

extension MixedWorld {
  private static let tables = [
    "racing.race", "racing.wallet", "racing.activity", "racing.journal", "settled.event_pending", "settled.occurrence",
    "settled.lease", "settled.node", "settled.setting", "settled.failure", "checkins.zone", "checkins.profile",
    "seasons.team_change", "achievements.person", "strava.connection",
  ]

  func strike(_ fault: MixedFault, _ random: inout SeededGenerator) async throws {
    let length = Duration.milliseconds(Int64.random(in: 1000...5000, using: &random))
    switch fault {
    case .killNode: process(Bool.random(using: &random) ? "one" : "two")?.killHard()
    case .killBoth: for node in ["one", "two"] { process(node)?.killHard() }
    case .killGateway: webProcess?.killHard()
    case .endSessions: try await endSessions("usename IN ('settled_daemon', 'settled_schedule', 'settled_gateway')")
    case .endSomeSessions: try await endSessions("pid % 2 = \(Int.random(in: 0...1, using: &random))")
    case .hang: try await hang(length)
    case .restart, .crash:
      if fault == .restart { try await cluster.pause() } else { try await cluster.kill() }
      try await pass(length / 2)
      try await cluster.resume()
    case .shut:
      try await setOpen(false)
      try await pass(length / 2)
      try await setOpen(true)
    case .exhaust: try await exhaust(length)
    case .lockTable:
      try await hold(
        "LOCK TABLE \(raw: Self.tables.randomElement(using: &random) ?? "") IN ACCESS EXCLUSIVE MODE", length)
    case .lockRows: try await hold("SELECT FROM racing.wallet ORDER BY athlete_id LIMIT 50 FOR UPDATE", length)
    }
  }

  /// Waits for a while: the fault lasts so long.
  func pass(_ duration: Duration) async throws {
    let start = ContinuousClock.now
    try await untilTrue("the passing of \(duration)", within: duration + .seconds(60)) {
      start.duration(to: .now) >= duration
    }
  }

  private func endSessions(_ which: String) async throws {
    try await ask(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND \(raw: which)
      """)
  }

  private func hang(_ length: Duration) async throws {
    let file = try String(contentsOfFile: "\(cluster.directory)/data/postmaster.pid", encoding: .utf8)
    let server = try #require(file.split(separator: "\n").first.flatMap { Int32($0) })
    let processes = [server] + (try ProcessTree.below(server).map(\.pid))
    for process in processes { kill(process, SIGSTOP) }
    defer { for process in processes.reversed() { kill(process, SIGCONT) } }
    try await pass(length)
  }

  private func setOpen(_ isOpen: Bool) async throws {
    var options = ConnectionOptions(url: cluster.url(), applicationName: "administrator")
    options.connectTimeout = .seconds(60)
    let administrator = try await Connection.connect(options)
    try await administrator.execute(
      "ALTER DATABASE \(raw: database.database.name.quotedIdentifier) ALLOW_CONNECTIONS \(raw: "\(isOpen)")")
    if !isOpen {
      try await administrator.execute(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename LIKE 'settled_%'")
    }
    await administrator.close()
  }

  /// Whoever holds a connection keeps it; a new one is not to be had but by a superuser.
  private func exhaust(_ length: Duration) async throws {
    var taken: [Connection] = []
    do {
      while taken.count < 200 { taken.append(try await database.connect(.app)) }
    } catch is PostgresError {}
    try await pass(length)
    for connection in taken { await connection.close() }
  }

  private func hold(_ lock: Statement, _ length: Duration) async throws {
    do {
      try await owner.transaction { [self] transaction in
        try await transaction.execute("SET LOCAL lock_timeout = '3s'")
        _ = try await transaction.query(lock)
        try await pass(length)
      }
    } catch let error as PostgresError where error.asksForRepetition {
      // It was not to be had: that is no fault.
    }
  }
}
