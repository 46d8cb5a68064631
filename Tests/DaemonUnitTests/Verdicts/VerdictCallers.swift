import HostProcess
import Postgres

@testable import Daemon
@testable import Engine
@testable import Gateway
@testable import Operations
@testable import Scheduling

/// What every caller does about an error of the database: one column each.
enum VerdictCallers {
  static let columns: [(name: String, answer: @Sendable (PostgresError) -> String)] = [
    ("verdict", { $0.verdict.rawValue }),
    ("item", { ItemFate(of: $0).rawValue }),
    ("reply", { ReplyFate(of: $0).rawValue }),
    ("built-in", { RunFate($0.verdict, attempt: 1, isOperators: false).rawValue }),
    ("built-in-5th", { RunFate($0.verdict, attempt: 5, isOperators: false).rawValue }),
    ("operators", { RunFate($0.verdict, attempt: 1, isOperators: true).rawValue }),
    ("operators-5th", { RunFate($0.verdict, attempt: 5, isOperators: true).rawValue }),
    ("pause", { Interruptions.passes($0.verdict) ? "short" : "long" }),
    ("others", { $0.verdict.allowsOthers ? "go-on" : "stop" }),
    ("command", { "\(CommandError.of($0).kind)" }),
    ("local-command", { CommandDispatcher.isSilent($0.verdict) ? "succeeds" : "throws" }),
    ("doctor", { DoctorHandler.ends($0) ? "ends" : "goes-on" }),
    ("gateway", { "\(GatewayError($0).status)" }),
    ("standby", { Database.asksMain($0.verdict) ? "main" : "-" }),
    ("migrate", { "\(MigrateCommand.exitCode($0.verdict).rawValue)" }),
    ("migration-lock", { MigrationLocks.isRefusal($0.verdict) ? "retried" : "-" }),
  ]

  static func line(_ label: String, _ error: PostgresError) -> String {
    ([label] + columns.map { $0.answer(error) }).joined(separator: " ")
  }
}
