/// A statement and the values that accompany it.
///
/// `"SELECT a FROM t WHERE id = \(id) AND k = ANY(\(keys))"` is the text `... id = $1 AND k = ANY($2)` with two
/// binds: a value never becomes part of the text. `\(raw: text)` inserts text as it is, for identifiers and
/// constants from code; `\(fragment: statement)` splices another statement and renumbers its binds.
package struct Statement: Sendable, Hashable {
  package let sql: String
  package let binds: [Bind]

  fileprivate let parts: [Part]

  fileprivate enum Part: Sendable, Hashable {
    case text(String)
    case bind(Bind)
  }

  fileprivate init(parts: [Part]) {
    var sql = ""
    var binds: [Bind] = []
    for part in parts {
      switch part {
      case .text(let text): sql += text
      case .bind(let bind):
        binds.append(bind)
        sql += "$\(binds.count)"
      }
    }
    self.sql = sql
    self.binds = binds
    self.parts = parts
  }

  /// A statement without values, from text that stands in code.
  package init(raw sql: String) {
    self.init(parts: [.text(sql)])
  }
}

extension Statement: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    package mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.text(literal)) }
    }

    package mutating func appendInterpolation(_ value: some PostgresEncodable) {
      parts.append(.bind(Bind(value)))
    }

    /// The compiler takes an optional in an interpolation for a mistake unless it is asked for by name.
    package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
      parts.append(.bind(Bind(value)))
    }

    /// A list whose length the planner does not see, so that it keeps one plan, for ten elements, instead of planning
    /// again for each list that is shorter. For statements whose plan should be the same for every length.
    package mutating func appendInterpolation(planStable list: [Int64]) {
      parts += [.text("(SELECT "), .bind(Bind(list)), .text(")::bigint[]")]
    }

    package mutating func appendInterpolation(raw text: String) {
      parts.append(.text(text))
    }

    package mutating func appendInterpolation(fragment: Statement) {
      parts += fragment.parts
    }
  }

  package init(stringInterpolation: StringInterpolation) {
    self.init(parts: stringInterpolation.parts)
  }

  package init(stringLiteral text: String) {
    self.init(parts: [.text(text)])
  }
}
