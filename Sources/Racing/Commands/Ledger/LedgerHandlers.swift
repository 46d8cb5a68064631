import Operations
import ControlAPI
import Postgres

/// The operators' commands that read the ledger.
enum LedgerHandlers {
  static var commands: [Command] {
    [
      Command(.ledgerHead, .read { try await LedgerHead.read($1) }),
      Command(.ledgerBalances, .read { try await $1.query(LedgerBalances.statement).one(JSON.self) }),
      Command(.ledgerDays, .read(LedgerDays.run)),
      Command(.ledgerJournals, .read(JournalList.run)),
      Command(.ledgerJournal, .read(journal)),
    ]
  }

  private static func journal(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let id = call.integer("id") ?? 0
    guard let shown = try await transaction.query(JournalList.journal(id)).first(JSON.self) else {
      throw CommandError(.missing, rule: "journal", "there is no journal \(id)")
    }
    return shown
  }
}
