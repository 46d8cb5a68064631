package import Engine
import ControlAPI
import TextCoding
import Postgres

/// `doctor`: runs every check, also the local ones that need no database.
package struct DoctorHandler: Sendable {
  let checks: [Check]
  let local: @Sendable () async -> [(name: String, Check.Finding)]
  let heavy: HeavyReads
  private let time: Timekeeper

  /// The findings are useful even if a table is locked, or a check takes long: so the lock wait of each check is
  /// limited, and after a total time no further check starts.
  private static let lockTimeout = "1s"
  private static let budget: Duration = .seconds(30)

  package init(
    checks: [Check], heavy: HeavyReads, time: Timekeeper,
    local: @escaping @Sendable () async -> [(name: String, Check.Finding)]
  ) {
    self.checks = checks
    self.heavy = heavy
    self.time = time
    self.local = local
  }

  package var command: Command {
    Command(
      .doctor, .local { CommandChange(reading: try await findings(heavy.pool(for: $0.caller))) })
  }

  /// Throws if other large reads are running.
  private func findings(_ pool: Pool) async throws -> JSONValue {
    var rows = await local().map { Self.row($0.name, $0.1) }
    let end = time.now() + Self.budget
    for (index, check) in checks.enumerated() {
      guard time.now() < end else {
        let left = checks[index...].map(\.name).joined(separator: ", ")
        let finding = Check.Finding(
          "the earlier checks took \(Self.budget.components.seconds) s, so these were skipped: \(left)", ok: false,
          remedy: "check pg_stat_activity for locked tables and load, then run settlectl doctor again")
        rows.append(Self.row("time", finding))
        return .array(rows)
      }
      do {
        rows.append(Self.row(check.name, try await result(of: check, pool)))
      } catch {
        switch error.verdict {
        case .resource, .caller: throw error
        case .item, .contention, .connection, .timeout, .installation: break
        }
        // Reported once: the other checks would fail for the same reason, each after its own wait.
        let left = checks.count - index
        let finding = Check.Finding(
          "the database is unreachable, so \(left) checks were skipped: \(error)", ok: false,
          remedy: error.loginRemedy
            ?? ProblemKind.databaseAway.remedy())
        rows.append(Self.row("database", finding))
        return .array(rows)
      }
    }
    rows.append(Self.row("database", .init("the database responds")))
    return .array(rows)
  }

  /// Throws only if the database is unreachable, or the caller is gone.
  private func result(of check: Check, _ pool: Pool) async throws(PostgresError) -> Check.Finding {
    do {
      return try await pool.transaction(.readCommitted, readOnly: true) { transaction in
        try await transaction.execute("SELECT set_config('lock_timeout', \(Self.lockTimeout), true)")
        return try await check.run(transaction)
      }
    } catch {
      if let error = error as? PostgresError, Self.ends(error) { throw error }
      let isRight = (error as? PostgresError)?.isDenied ?? false
      return .init(
        "cannot be checked: \(error)", ok: false,
        remedy: isRight ? EngineChecks.rightsRemedy : "check the database and the journal")
    }
  }

  /// Whether every other check would fail too.
  static func ends(_ error: PostgresError) -> Bool {
    switch error.verdict {
    case .connection, .caller: true
    // A connection of the pool, as opposed to resources that the server lacks for one check.
    case .resource: error.code == .poolExhausted
    case .item, .contention, .timeout, .installation: false
    }
  }

  private static func row(_ name: String, _ finding: Check.Finding) -> JSONValue {
    [
      "check": .text(name), "ok": .boolean(finding.isOk), "finding": .text(finding.finding),
      "remedy": .optional(finding.remedy),
    ]
  }
}
