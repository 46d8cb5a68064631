import Engine
import TextCoding
import Operations
import Postgres

/// `ledger verify`: the books and the chain, as they are now, and whether the chain
/// holds the head that was kept elsewhere.
struct LedgerVerification: Sendable {
  let kept: @Sendable (Transaction) async throws -> LedgerChain.Head?

  /// A statement that is ended for its length is no fault of the database: the nightly audit has two hours.
  func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    do {
      return try await verify(call, transaction)
    } catch {
      guard let error = error as? PostgresError, error.verdict == .timeout else { throw error }
      throw CommandError(
        .unavailable, rule: "timeout",
        "the books are too large for one request: use settlectl job run ledger-audit, which can take up to two hours; "
          + "settlectl jobs shows its progress, and settlectl status its result"
      )
    }
  }

  private func verify(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let kept = try await kept(transaction)
    let asked = try call.text("head").map(Self.head)
    let known = [asked, kept == asked ? nil : kept].compactMap { $0 }
    let found = try await LedgerChain.differences(known: known, transaction)
    let head = try await LedgerChain.head(transaction)
    let keptHead = kept.map(Self.json) ?? .null
    return try await transaction.query(
      """
      SELECT v.books || jsonb_build_object('differences', (v.books -> 'differences') || \(JSONValue.array(found).json),
        'chain', \(Self.json(head).json), 'keptHead', \(keptHead.json))
      FROM (SELECT racing.verify_ledger() AS books) AS v
      """
    ).one(JSON.self)
  }

  private static func json(_ head: LedgerChain.Head) -> JSONValue {
    ["position": .integer(head.position), "hash": .text(head.hash)]
  }

  /// `1042:9f86...`, as the system journal has it.
  private static func head(_ text: String) throws -> LedgerChain.Head {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let position = Int64(parts[0]), position > 0, parts[1].count == 64,
      parts[1].allSatisfy(\.isHexDigit)
    else {
      throw CommandError(
        .usage, rule: "head", "head must be POSITION:HASH, a number and 64 hexadecimal digits, as in the system journal"
      )
    }
    return LedgerChain.Head(position: position, hash: String(parts[1]))
  }
}
