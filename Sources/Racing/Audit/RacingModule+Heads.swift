package import Engine
import Postgres

/// The newest head of the chain that was kept outside the database; nil where none was.
package typealias KeptHead = @Sendable () -> (position: Int64, hash: String)?

extension RacingModule {
  /// Whether a head that was kept elsewhere is still in the chain.
  package static func headCheck(_ kept: @escaping KeptHead) -> Check {
    Check("ledger heads") { transaction in
      guard let kept = kept() else {
        return .init("no head of the chain has been kept here yet")
      }
      let head = LedgerChain.Head(position: kept.position, hash: kept.hash)
      let isHeld = try await transaction.query(ChainStatements.holds(head)).one(Bool.self)
      return isHeld
        ? .init("the chain holds the head at \(kept.position) that this node kept")
        : .init(
          "the chain does not hold the head \(kept.position):\(kept.hash) that this node kept", ok: false,
          remedy: "settlectl ledger verify --head \(kept.position):\(kept.hash)")
    }
  }
}
