package import Postgres

/// One call of an app to the contract.
package struct LoadCall: Sendable {
  /// What its acknowledgement promises.
  package enum Promise: Sendable {
    case nothing
    /// A deposit is booked once under this key.
    case deposit(key: String, pence: Int64)
    /// The answer is the id of a race that others may enter.
    case race
    /// There is one row of this key among the points, or among the reports.
    case points(uuid: String)
    case report(key: String)
  }

  let name: String
  let promise: Promise
  /// Yields one number.
  let statement: Statement

  package init(_ name: String, promising promise: Promise = .nothing, _ statement: Statement) {
    (self.name, self.promise, self.statement) = (name, promise, statement)
  }
}

/// Which client calls for how many times now, and the races that were made so far.
package struct LoadTurn: Sendable {
  package let client: Int
  package let turn: Int
  package let races: [Int64]
}

/// Draws the next call.
package typealias LoadScript = @Sendable (LoadTurn, inout SeededGenerator) -> LoadCall
