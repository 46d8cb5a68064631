package import Postgres

/// The conditions of every database at every instant, computed from the rows and not by the code under test.
///
/// All checks read one snapshot. Each returns a text for every row that breaks it.
package enum Books {
  /// The sums that do not add up, one line for each difference; empty: all is well.
  package static func differences(_ owner: Connection) async throws -> [String] {
    let replies = try await owner.transaction(.repeatableRead, readOnly: true) { transaction in
      try await transaction.pipeline(
        all.map(\.statement) + ["SELECT d::text FROM jsonb_array_elements(racing.verify_ledger()->'differences') AS d"])
    }
    var found: [String] = []
    for (name, rows) in zip(all.map(\.name) + ["verify_ledger"], replies) {
      found += try rows.decode(String.self).map { "\(name): \($0)" }
    }
    return found
  }

  /// Throws all differences, with what `context` says (a seed).
  package static func check(_ owner: Connection, _ context: String = "") async throws {
    let found = try await differences(owner)
    guard found.isEmpty else { throw BooksError(description: ([context] + found.prefix(50)).joined(separator: "\n")) }
  }

  struct Check: Sendable {
    let name: String
    let statement: Statement

    init(_ name: String, _ statement: Statement) {
      self.name = name
      self.statement = statement
    }
  }

  private static let all = moneyChecks + raceChecks + placeChecks
}

/// The books are wrong.
package struct BooksError: Error, CustomStringConvertible {
  package let description: String
}
