import Postgres

/// The preparation of the migration of all text keys to `COLLATE "C"`, before its transaction.
///
/// Two rows can have the same key if the server's locale data changed under an index: then the migrator fails.
/// Otherwise it builds the indexes of large tables while writers continue, so that the migration only exchanges them.
/// Both steps may be repeated after a kill.
struct KeyCollation {
  /// Whether `mark_..._doubles()` of a table's module is called. An operator removes the duplicates of other tables.
  let marksDoubles: Bool
  let begins: @Sendable (_ step: String) -> Void

  /// Indexes of smaller tables are built in the transaction.
  private static let largeBytes: Int64 = 8 << 20
  private static let statementTimeout: Duration = .seconds(3600)

  /// - Parameter migrating: holds the migrators' lock. Its last statement must not be a query, whose portal keeps a
  ///   snapshot: each build waits for all snapshots.
  func prepare(_ options: ConnectionOptions, isOwner: Bool, beside migrating: Transaction) async throws {
    try await migrating.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    var options = options
    options.statementTimeout = Self.statementTimeout
    options.lockTimeout = Self.statementTimeout
    let connection = try await Connection.connect(options)
    do {
      if isOwner { try await connection.execute("SET ROLE \(raw: Ownership.owner)") }
      try await refuseForeign(connection)
      try await clearDoubles(connection)
      try await buildLarge(connection)
      await connection.close()
    } catch {
      await connection.close()
      throw error
    }
  }

  private func refuseForeign(_ connection: Connection) async throws {
    let foreign = try await connection.query(KeyCollationStatements.foreign).decode(String.self)
    guard !foreign.isEmpty else { return }
    throw EngineError(
      .inTheWay,
      """
      these objects depend on key columns whose collation will change: \(foreign.joined(separator: "; ")). \
      Drop them, migrate, and recreate them
      """)
  }

  private func clearDoubles(_ connection: Connection) async throws {
    var doubles = try await doubles(connection)
    let markers = marksDoubles ? Set(doubles.compactMap(\.key.marker)) : []
    if !markers.isEmpty {
      begins("marking rows with duplicate keys")
      for marker in markers.sorted() {
        try await connection.transaction { transaction in
          try await MigrationLocks.shortenWaits(transaction, to: Self.statementTimeout)
          try await transaction.execute("SELECT \(raw: marker)")
        }
      }
      doubles = try await self.doubles(connection)
    }
    guard !doubles.isEmpty else { return }
    let remedy =
      doubles.contains { $0.key.marker != nil }
      ? "settled migrate --mark-doubles marks the later journal of each pair, and ledger verify lists these journals"
      : "keep only one row for each key"
    throw EngineError(
      .doubles,
      """
      the server's locale data changed, and some rows have duplicate keys: \
      \(doubles.map(\.description).joined(separator: "; ")). No keys were changed; \(remedy)
      """)
  }

  /// Changed columns lose their statistics, and autovacuum creates new ones only after rows change.
  static func analyze(_ transaction: Transaction) async throws {
    for table in try await transaction.query(KeyCollationStatements.unanalyzed).decode(String.self) {
      try await transaction.execute("ANALYZE \(raw: table)")
    }
  }

  private func doubles(_ connection: Connection) async throws -> [DoubledKey] {
    var doubles: [DoubledKey] = []
    for key in try await connection.query(KeyCollationStatements.keys).decodeAll(as: Key.init) {
      let rows = try await connection.query("\(raw: key.doubles)")
      doubles += try rows.decodeAll { row in
        DoubledKey(key: key, value: try row["value"], rows: try row["rows"])
      }
    }
    return doubles
  }

  private func buildLarge(_ connection: Connection) async throws {
    let broken = try await connection.query(KeyCollationStatements.invalid).decode(String.self)
    for name in broken { try await connection.execute("DROP INDEX CONCURRENTLY \(raw: name)") }
    let large = try await connection.query(KeyCollationStatements.large(bytes: Self.largeBytes)).decode(
      String.self, String.self)
    for (name, statement) in large {
      begins("building index \(name) concurrently")
      try await connection.execute("\(raw: statement)")
    }
  }
}

extension KeyCollation {
  /// A unique key over text that does not compare bytes.
  private struct Key {
    let relation: String
    let name: String
    /// The statement that finds its duplicates.
    let doubles: String
    /// The call that marks them, if the table's module has one.
    let marker: String?

    init(_ row: Row) throws(PostgresError) {
      relation = try row["relation"]
      name = try row["key"]
      doubles = try row["doubles"]
      marker = try row["marker"]
    }
  }

  /// A key that two rows or more have.
  private struct DoubledKey: CustomStringConvertible {
    let key: Key
    let value: String
    /// Their ids, or their number if the table has none.
    let rows: String

    var description: String { "\(key.relation) \(key.name) (\(value)): \(rows)" }
  }
}
