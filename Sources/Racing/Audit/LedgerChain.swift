import Engine
import TextCoding
import Postgres

/// The hash chain over the journals: extended in batches, checked from its start.
///
/// Its rows and hashes are SQL's (`racing.extend_chain`, `racing.check_chain`): nothing of them has to move.
enum LedgerChain {
  static let name = "ledger-chain"

  /// Journals of one transaction of the extension, links of one statement of the check.
  static let extensionMax: Int32 = 1000
  static let checkMax: Int32 = 5000
  /// Findings that a check lists: it stops at so many.
  static let findingsMax = 1000
  /// A journal with an id so far below the newest one is no longer looked for by the extension, only by the audit.
  static let lookback: Int64 = 10_000

  struct Head: Equatable, Sendable {
    let position: Int64
    /// Hexadecimal; empty where the chain is.
    let hash: String
  }

  static func head(_ session: some Session) async throws -> Head {
    let row = try await session.query(ChainStatements.head).one(Int64.self, String.self)
    return Head(position: row.0, hash: row.1)
  }

  /// Adds the committed journals, batch by batch, each in a transaction of its own; returns how many.
  ///
  /// `everything` looks for journals of any age: one that was written by a very long transaction may be far behind.
  static func extend(
    _ session: Connection, everything: Bool = false, until stopFlag: StopFlag = StopFlag()
  ) async throws -> Int {
    var above: Int64 = 0
    if !everything {
      above = max(0, try await session.query(ChainStatements.newest).one(Int64.self) - lookback)
    }
    var total = 0
    while !stopFlag.isRequested {
      let (added, last) = try await session.query(ChainStatements.extend(above: above, max: extensionMax))
        .one(Int32.self, Int64.self)
      total += Int(added)
      above = last
      if added < extensionMax { break }
    }
    return total
  }

  /// The faults of the chain, as differences of `ledger verify`; `known` are older heads that must be in it.
  ///
  /// `tell` hears before each page how many links are checked, and how many there are.
  static func differences(
    known heads: [Head] = [], tell: (_ done: Int64, _ total: Int64) async throws -> Void = { _, _ in },
    _ session: some Session
  ) async throws -> [JSONValue] {
    var found: [JSONValue] = []
    for known in heads where try await session.query(ChainStatements.holds(known)).one(Bool.self) == false {
      found.append(
        difference("chain head \(known.position)", known.position, nil, "the chain does not contain this head"))
    }
    let end = try await session.query(ChainStatements.end).one(Int64.self)
    var after: Int64 = 0
    repeat {
      try await tell(after, end)
      found += try findings(try await session.query(ChainStatements.check(after: after, max: checkMax)))
      after += Int64(checkMax)
    } while after < end && found.count < findingsMax
    try await tell(end, end)
    return Array(found.prefix(findingsMax))
  }

  /// How many of the newest links there are, and how much is wrong with them.
  static func newest(_ max: Int64, _ session: some Session) async throws -> (links: Int64, differences: Int64) {
    let end = try await session.query(ChainStatements.end).one(Int64.self)
    let after = Swift.max(0, end - max)
    let found = try findings(try await session.query(ChainStatements.check(after: after, max: Int32(clamping: max))))
    return (end - after, Int64(found.count))
  }

  private static func findings(_ rows: Rows) throws(PostgresError) -> [JSONValue] {
    try rows.decode(Int64.self, Int64?.self, String.self).map { position, journal, finding in
      difference(journal.map { "chain journal \($0)" } ?? "chain link \(position)", position, journal, finding)
    }
  }

  /// A link whose journal is missing, in the shape of all differences, which have numbers.
  private static func difference(
    _ account: String, _ position: Int64, _ journal: Int64?, _ finding: String
  ) -> JSONValue {
    [
      "account": .text(account), "athleteId": .null, "stored": 1, "computed": 0, "finding": .text(finding),
      "position": .integer(position), "journalId": journal.map(JSONValue.integer) ?? .null,
    ]
  }
}

enum ChainStatements {
  static let head: Statement = "SELECT position, encode(hash, 'hex') FROM racing.chain_head"

  static let newest: Statement = "SELECT newest_journal FROM racing.chain_head"

  /// The last position that exists, or that has to exist.
  static let end: Statement = """
    SELECT greatest(h.position, (SELECT max(l.position) FROM racing.chain_link AS l)) FROM racing.chain_head AS h
    """

  static func extend(above: Int64, max: Int32) -> Statement {
    "SELECT added, last_journal FROM racing.extend_chain(\(above), \(max))"
  }

  static func check(after: Int64, max: Int32) -> Statement {
    "SELECT \"position\", journal_id, finding FROM racing.check_chain(\(after), \(max))"
  }

  static func holds(_ head: LedgerChain.Head) -> Statement {
    """
    SELECT \(head.position)::bigint = 0 AND \(head.hash) = '' OR EXISTS (
      SELECT FROM racing.chain_link WHERE position = \(head.position) AND encode(hash, 'hex') = lower(\(head.hash)))
    """
  }
}
