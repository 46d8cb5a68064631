import Engine
import ControlAPI
import TextCoding
import Postgres

/// `doctor`: asks every check, also the local ones that need no database.
package struct DoctorCommand: Sendable {
  let checks: [Check]
  let local: @Sendable () async -> [(name: String, Check.Finding)]
  let heavy: HeavyReads

  package init(
    checks: [Check], heavy: HeavyReads, local: @escaping @Sendable () async -> [(name: String, Check.Finding)]
  ) {
    self.checks = checks
    self.heavy = heavy
    self.local = local
  }

  package var command: Command {
    Command(
      .doctor, .local { CommandChange(reading: try await findings(heavy.pool(for: $0.caller))) }, isHeavy: true)
  }

  /// Throws where other large reads are under way.
  private func findings(_ pool: Pool) async throws -> JSONValue {
    var rows = await local().map { Self.row($0.name, $0.1) }
    for (index, check) in checks.enumerated() {
      do {
        rows.append(Self.row(check.name, try await result(of: check, pool)))
      } catch  where error.code == .poolExhausted {
        throw error
      } catch {
        // Said once: the other checks would fail for the same reason, each after its own wait.
        let left = checks.count - index
        let finding = Check.Finding(
          "the database is away, so \(left) checks were not made: \(error)", ok: false,
          remedy: "look at the database and at database_url; the daemon goes on by itself when it is back")
        rows.append(Self.row("database", finding))
        return .array(rows)
      }
    }
    rows.append(Self.row("database", .init("the database answers")))
    return .array(rows)
  }

  /// Throws only where there is no database to ask.
  private func result(of check: Check, _ pool: Pool) async throws(PostgresError) -> Check.Finding {
    do {
      return try await pool.transaction(.readCommitted, readOnly: true) { try await check.run($0) }
    } catch {
      if let error = error as? PostgresError, error.isConnectionProblem || error.code == .poolExhausted { throw error }
      return .init("cannot be checked: \(error)", ok: false, remedy: "look at the database and the journal")
    }
  }

  private static func row(_ name: String, _ finding: Check.Finding) -> JSONValue {
    [
      "check": .text(name), "ok": .boolean(finding.isOk), "finding": .text(finding.finding),
      "remedy": .optional(finding.remedy),
    ]
  }
}
