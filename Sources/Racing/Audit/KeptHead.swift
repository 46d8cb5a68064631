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
    name: "ledgerHead", isMissing: "the ledger's chain does not hold the head",
    newest: "SELECT position || ':' || encode(hash, 'hex') FROM racing.chain_head"
  ) { text in
    let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return ChainStatements.holds(
      LedgerChain.Head(position: Int64(sides[0]) ?? -1, hash: sides.count > 1 ? sides[1] : ""))
  }

  static func newest(_ context: ModuleContext) -> LedgerChain.Head? {
    guard let fields = context.newest(record), fields.count > 1, let position = Int64(fields[0]) else { return nil }
    return LedgerChain.Head(position: position, hash: fields[1])
  }

  /// Whether it is still in the chain.
  static func check(_ context: ModuleContext) -> Check {
    Check("ledger heads") { transaction in
      guard let kept = newest(context) else {
        return .init("no head of the chain has been kept here yet")
      }
      let isHeld = try await transaction.query(ChainStatements.holds(kept)).one(Bool.self)
      return isHeld
        ? .init("the chain holds the head at \(kept.position) that this node kept")
        : .init(
          "the chain does not hold the head \(kept.position):\(kept.hash) that this node kept", ok: false,
          remedy: "settlectl ledger verify --head \(kept.position):\(kept.hash)")
    }
  }
}
