import Postgres

/// Restores objects of the schema that were dropped, disabled or changed.
struct SchemaRepair {
  /// A rule is first added for new rows; then old rows are checked.
  enum Step {
    case nothing, first, last
  }

  private let migrations: Migrations

  init(_ migrations: Migrations) { self.migrations = migrations }

  /// Keys before the foreign keys that need them, and all constraints before triggers.
  static func ordered(_ differences: [SchemaDifference]) -> [SchemaDifference] {
    let kinds = SchemaObject.Kind.allCases
    func rank(_ difference: SchemaDifference) -> (Int, Int) {
      (kinds.firstIndex(of: difference.object.kind) ?? kinds.count, difference.object.isReference ? 1 : 0)
    }
    return differences.sorted { rank($0) < rank($1) }
  }

  /// Runs the next step; nothing is left if another migrator has restored the object. Throws `PostgresError` if the
  /// step is not possible.
  func step(_ object: SchemaObject, _ transaction: Transaction) async throws -> Step {
    let now = try await SchemaDifference.all(from: migrations, transaction)
    guard let difference = now.first(where: { !$0.isForeign && $0.object == object }) else { return .nothing }
    for statement in difference.repair ?? [] { try await transaction.script(statement) }
    return difference.isOfOldRowsNext ? .first : .last
  }

  /// The difference, why it cannot be undone, and the rows that prevent it.
  func failure(_ difference: SchemaDifference, _ error: PostgresError, _ session: some Session) async -> String {
    let text = "\(difference) (\(error.message))"
    guard let query = difference.rowsInTheWay(namedBy: key(of: difference.object)) else { return text }
    // A column or table of the rule may also be missing.
    let rows = (try? await session.query("\(raw: query)").decode(String.self)) ?? []
    return rows.isEmpty ? text : text + ": rows " + rows.map { "(\($0))" }.joined(separator: ", ")
  }

  /// The columns of the primary key of an object's table.
  private func key(of object: SchemaObject) -> String {
    let key = migrations.objects?.first {
      $0.kind == .constraint && $0[.constraintKind] == "p" && $0.path == object.path
    }
    return key?[.constraintColumns] ?? "t"
  }
}
