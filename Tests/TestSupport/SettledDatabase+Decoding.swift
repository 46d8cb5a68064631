package import Postgres

/// A statement, and the decoder of its rows.
package struct DecodedStatement {
  let statement: Statement
  let values: [String: String]
  let decode: (Rows) throws -> Void

  /// `values` are SQL literals by column, for columns of which the decoder refuses zero or an empty value.
  package init(
    _ statement: Statement, values: [String: String] = [:], _ decode: @escaping (Rows) throws -> Void
  ) {
    self.statement = statement
    self.values = values
    self.decode = decode
  }
}

extension SettledDatabase {
  /// The errors of decoding a sample row, which has the columns that each statement returns to the daemon.
  package static func decodingErrors(_ decoded: [DecodedStatement]) async throws -> [String] {
    let daemon = try await simulated().connect(.daemon)
    var errors: [String] = []
    for each in decoded {
      do {
        let rows = try await daemon.query(each.statement)
        try each.decode(try await daemon.query(sample(rows, each.values)))
      } catch {
        errors.append("\(error): \(each.statement.sql)")
      }
    }
    return errors
  }

  private static func sample(_ rows: Rows, _ values: [String: String]) -> Statement {
    let fields = zip(rows.columns, rows.types).map { name, type in
      let value = values[name] ?? (type.description.hasSuffix("[]") ? "{}" : samples[type.description] ?? "")
      return "'\(value)'::\(type) AS \(name.quotedIdentifier)"
    }
    return Statement(raw: "SELECT \(fields.joined(separator: ", "))")
  }

  private static let samples = [
    "boolean": "true", "smallint": "0", "integer": "0", "bigint": "0", "oid": "0", "real": "0", "double precision": "0",
    "timestamptz": "epoch", "jsonb": "null",
  ]
}
