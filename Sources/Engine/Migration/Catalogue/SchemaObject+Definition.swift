/// The SQL that creates an object.
extension SchemaObject {
  package var path: String { "\(schema).\(relation)" }

  package var isReference: Bool { self[.references] != nil }

  package var column: String {
    var text = "\(name) \(self[.type] ?? "")"
    if let collation = self[.collation] { text += " COLLATE \(collation)" }
    if self[.isNotNull] != nil { text += " NOT NULL" }
    if let identity = self[.identity] { text += " GENERATED \(identity == "a" ? "ALWAYS" : "BY DEFAULT") AS IDENTITY" }
    if let expression = self[.expression] {
      text +=
        self[.generated].map { " GENERATED ALWAYS AS (\(expression)) \($0 == "s" ? "STORED" : "VIRTUAL")" }
        ?? " DEFAULT \(expression)"
    }
    return text
  }

  package var constraint: String {
    let columns = self[.constraintColumns] ?? ""
    var text = "CONSTRAINT \(name) "
    switch self[.constraintKind] {
    case "c": text += "CHECK (\(self[.check] ?? ""))"
    case "p": text += "PRIMARY KEY (\(columns))"
    case "u": text += "UNIQUE \(self[.nullsAreEqual] == nil ? "" : "NULLS NOT DISTINCT ")(\(columns))"
    case "x":
      text += "EXCLUDE USING \(self[.method] ?? "") (\(columns) WITH \(self[.constraintOperators] ?? ""))"
    default:
      text += "FOREIGN KEY (\(columns)) REFERENCES \(self[.references] ?? "") (\(self[.referencedColumns] ?? ""))"
      for (event, action) in [("UPDATE", self[.onUpdate]), ("DELETE", self[.onDelete])] {
        if let action = action.flatMap({ Self.actions[$0] }) { text += " ON \(event) \(action)" }
      }
    }
    if self[.isDeferrable] != nil { text += " DEFERRABLE" }
    if self[.isDeferred] != nil { text += " INITIALLY DEFERRED" }
    if self[.isValidated] == nil { text += " NOT VALID" }
    return text
  }

  private static let actions = ["r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"]

  package var index: String {
    let method = self[.method] ?? ""
    var text = "CREATE \(self[.isUnique] == nil ? "" : "UNIQUE ")INDEX \(name) ON \(path) "
    if method != "btree" { text += "USING \(method) " }
    text += "(\(self[.keys] ?? ""))"
    if let included = self[.included] { text += " INCLUDE (\(included))" }
    if self[.nullsAreEqual] != nil { text += " NULLS NOT DISTINCT" }
    if let options = self[.options] { text += " WITH (\(options))" }
    if let predicate = self[.predicate] { text += " WHERE \(predicate)" }
    return text
  }
}
