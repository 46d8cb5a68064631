package import Postgres

/// A property of the installation or of a module's data that `doctor` checks.
package struct Check: Sendable {
  package struct Finding: Sendable, Equatable {
    package let isOk: Bool
    package let finding: String
    /// The remedy; nil if nothing is wrong.
    package let remedy: String?

    package init(_ finding: String, ok: Bool = true, remedy: String? = nil) {
      self.finding = finding
      isOk = ok
      self.remedy = remedy
    }
  }

  package let name: String
  package let run: @Sendable (Transaction) async throws -> Finding

  package init(_ name: String, run: @escaping @Sendable (Transaction) async throws -> Finding) {
    self.name = name
    self.run = run
  }
}

extension Check {
  /// A check whose statement counts faults.
  package static func none(
    _ name: String, _ statement: Statement, good: String, bad: @escaping @Sendable (Int64) -> String, remedy: String
  ) -> Check {
    Check(name) { transaction in
      let count = try await transaction.query(statement).one(Int64.self)
      return count == 0 ? Finding(good) : Finding(bad(count), ok: false, remedy: remedy)
    }
  }
}
