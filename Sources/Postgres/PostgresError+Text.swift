extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
  package var description: String {
    let place = [constraint.map { "constraint \($0)" }, table.map { "table \($0)" }].compactMap { $0 }
    let suffix = place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"
    let remedy = isOfSharedSession ? "; behind a proxy that pools transactions, set prepared_statements = off" : ""
    return "\(code.rawValue)\(sqlState.map { " " + $0 } ?? ""): \(shownMessage)\(suffix)\(remedy)"
  }

  package var debugDescription: String {
    guard let server else { return "\(code.rawValue): \(message)" }
    let fields = ServerMessage.Field.allCases.compactMap { field in server[field].map { "\(field.rawValue)=\($0)" } }
    return "\(code.rawValue): \(fields.joined(separator: "; "))"
  }

  /// The message; in class 22 (data exceptions) the server quotes the offending value, so that is left out.
  private var shownMessage: String { isOfData ? Self.withoutQuoted(message) : message }

  /// The text with all between its first and last quotation mark left out, because a value may hold some too.
  static func withoutQuoted(_ text: String) -> String {
    guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\""), first < last else { return text }
    return text[...first] + "..." + text[last...]
  }
}
