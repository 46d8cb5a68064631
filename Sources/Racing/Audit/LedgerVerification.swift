import Engine
import Postgres

/// `ledger verify`: the books and the chain, as they are now.
enum LedgerVerification {
  /// A statement that is ended for its length is no fault of the database: the nightly audit has two hours.
  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    do {
      return try await verify(call, transaction)
    } catch {
      guard let error = error as? PostgresError, error.code == .timeout else { throw error }
      throw CommandError(
        .unavailable, rule: "timeout",
        "the books are too large for a request: settlectl job run ledger-audit has two hours, and status says what it finds"
      )
    }
  }

  private static func verify(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let known = try call.text("head").map(head)
    let found = try await LedgerChain.differences(known: known, transaction)
    let head = try await LedgerChain.head(transaction)
    let chain = JSONValue.object([("position", .number(head.position)), ("hash", .string(head.hash))])
    return try await transaction.query(
      """
      SELECT v.books || jsonb_build_object('differences', (v.books -> 'differences') || \(JSONValue.array(found).json),
        'chain', \(chain.json))
      FROM (SELECT racing.verify_ledger() AS books) AS v
      """
    ).one(JSON.self)
  }

  /// `1042:9f86...`, as the system journal has it.
  private static func head(_ text: String) throws -> LedgerChain.Head {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let position = Int64(parts[0]), position > 0, parts[1].count == 64,
      parts[1].allSatisfy(\.isHexDigit)
    else {
      throw CommandError(
        .usage, rule: "head", "head is POSITION:HASH, a number and 64 hexadecimal digits, as the journal has it")
    }
    return LedgerChain.Head(position: position, hash: String(parts[1]))
  }
}
