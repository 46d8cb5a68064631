internal import CLibpq

/// An error or notice as the server sent it, with all of its fields.
package struct ServerMessage: Sendable, Hashable {
  package enum Field: String, Sendable, CaseIterable {
    case severity, sqlState, message, detail, hint, position, internalPosition, internalQuery, context
    case schema, table, column, datatype, constraint, file, line, routine
  }

  package let fields: [Field: String]

  package init(fields: [Field: String]) {
    self.fields = fields
  }

  package subscript(field: Field) -> String? { fields[field] }

  package var severity: String { fields[.severity] ?? "ERROR" }
  package var message: String { fields[.message] ?? "" }
}

extension ServerMessage {
  /// Nil when the result was made by libpq and not by the server.
  init?(result: OpaquePointer?) {
    var fields: [Field: String] = [:]
    for field in Field.allCases {
      if let text = PQresultErrorField(result, field.diagnostic) { fields[field] = String(cString: text) }
    }
    guard fields[.sqlState] != nil else { return nil }
    self.fields = fields
  }
}

extension ServerMessage.Field {
  /// The letter by which the protocol knows the field (`PG_DIAG_*`); `V` is the severity that is never translated.
  fileprivate var diagnostic: Int32 {
    let letter: Unicode.Scalar =
      switch self {
      case .severity: "V"
      case .sqlState: "C"
      case .message: "M"
      case .detail: "D"
      case .hint: "H"
      case .position: "P"
      case .internalPosition: "p"
      case .internalQuery: "q"
      case .context: "W"
      case .schema: "s"
      case .table: "t"
      case .column: "c"
      case .datatype: "d"
      case .constraint: "n"
      case .file: "F"
      case .line: "L"
      case .routine: "R"
      }
    return Int32(letter.value)
  }
}
