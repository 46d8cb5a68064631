import Engine
import Operations
import Postgres

/// The newest head of the chain that this node kept outside the database.
enum KeptHead {
  static let record = JournalRecord(
    text: "the head of the ledger's chain", messageID: "a45dcfcd39994d4999c42f6141dce59a", file: "ledger-heads",
    fields: ["position", "hash", "differences"])

  /// The head as `position:hash`, by which a restored database is noticed.
  static let mark = HistoryMark(
    name: "ledgerHead", isMissing: "the ledger's chain does not contain the head",
    newest: "SELECT position || ':' || encode(hash, 'hex') FROM racing.chain_head"
  ) { text in
    let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return ChainStatements.holds(
      LedgerChain.Head(position: Int64(sides[0]) ?? -1, hash: sides.count > 1 ? sides[1] : ""))
  }

  private static func newest(_ context: ModuleContext) -> (head: LedgerChain.Head, at: Timestamp)? {
    guard let kept = context.newest(record), kept.fields.count > 1, let position = Int64(kept.fields[0]) else {
      return nil
    }
    return (LedgerChain.Head(position: position, hash: kept.fields[1]), kept.at)
  }

  /// The head that must be in the chain; nil also where an operator has accepted a restored database since.
  static func binding(_ context: ModuleContext, _ transaction: Transaction) async throws -> LedgerChain.Head? {
    guard let kept = newest(context),
      try await !transaction.query(RestoreStatements.isAccepted(since: kept.at)).one(Bool.self)
    else { return nil }
    return kept.head
  }

  /// Whether it is still in the chain.
  static func check(_ context: ModuleContext) -> Check {
    Check("ledger heads") { transaction in
      guard let kept = newest(context) else {
        return .init("this node has not stored a head of the chain yet")
      }
      let head = kept.head
      if try await transaction.query(ChainStatements.holds(head)).one(Bool.self) {
        return .init("the chain contains the head at \(head.position) that this node stored")
      }
      let isLost = "the chain does not contain the head \(head.position):\(head.hash) that this node stored"
      return try await binding(context, transaction) == nil
        ? .init("\(isLost); a restore has been accepted since; the next audit will store a new head")
        : .init(
          isLost, ok: false,
          remedy:
            "settlectl ledger verify; if the database was restored, settlectl restore accept "
            + "once a node has detected the restore"
        )
    }
  }
}
