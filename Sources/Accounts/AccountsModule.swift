package import Engine
package import Operations
package import Postgres
package import Scheduling

/// Accounts: who logs in at the gateway, and whom of the systems they are; here what operators do with them.
///
/// The daemon reads no account's password hash, and keeps no one-time token: it calls functions of schema `accounts`.
/// Source: Accounts.docc/AccountChanges.md.
package struct AccountsModule: Module {
  private let random: @Sendable (Int) -> [UInt8]

  /// - Parameter random: so many bytes that nobody can guess.
  package init(random: @escaping @Sendable (Int) -> [UInt8]) {
    self.random = random
  }

  package func works(in context: JobContext) -> [any Work] { [] }

  package func schedules(in context: JobContext) -> [BuiltInSchedule] { [AnswerPruning.schedule] }

  package func checks(in context: ModuleContext) -> [Check] { GatewayRoleCheck.checks }

  package func commands(in context: ModuleContext) -> [Command] { AccountHandlers(random: random).commands }

  package let forks: [Statement] = ["SELECT accounts.fork()"]

  package var erasures: [Erasure] {
    ["account", "athlete", "runner", "user", "reader", "checkin"].map { kind in
      Erasure(kind, .text { "SELECT gateway.erase_person(\(kind), \($0))" })
    }
  }
}
