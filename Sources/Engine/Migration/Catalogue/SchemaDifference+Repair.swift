import Postgres

extension SchemaDifference {
  /// Whether the functions' script restores it.
  var isOfFunctions: Bool { !isForeign && [.view, .function, .trigger].contains(object.kind) }

  /// SQL that restores the object, or the next step of it; nil if data are missing, or only an operator can decide.
  ///
  /// A rule for each row first binds new rows. Old rows are checked in the next step, while writers continue.
  var repair: [String]? {
    let table = "ALTER TABLE \(object.path)"
    switch object.kind {
    case .constraint:
      if changed == [.isValidated] { return ["\(table) VALIDATE CONSTRAINT \(object.name)"] }
      return dropped("\(table) DROP CONSTRAINT \(object.name)")
        + ["\(table) ADD \(object.constraint)\(isOfOldRowsNext ? " NOT VALID" : "")"]
    case .index:
      return dropped("DROP INDEX \(object.schema).\(object.name)") + [object.index]
    case .column:
      return alteration.map { ["\(table) ALTER COLUMN \(object.name) \($0)"] }
    case .table:
      if changed == [.persistence], object[.persistence] == "p" { return ["\(table) SET LOGGED"] }
      if changed == [.hasRowSecurity] { return ["\(table) DISABLE ROW LEVEL SECURITY"] }
      return nil
    case .trigger:
      return changed == [.unusualTriggers] ? ["\(table) ENABLE TRIGGER \(object.name)"] : nil
    case .schema, .sequence, .type, .view, .function, .rule, .policy:
      return nil
    }
  }

  /// Whether `repair` leaves the old rows to another step.
  var isOfOldRowsNext: Bool {
    object.kind == .constraint && ["c", "f"].contains(object[.constraintKind]) && !isPartitioned
      && changed != [.isValidated]
  }

  private func dropped(_ drop: String) -> [String] { found == nil ? [] : [drop] }

  private var alteration: String? {
    if changed == [.isNotNull], object[.isNotNull] != nil { return "SET NOT NULL" }
    guard changed == [.expression], object[.generated] == nil, let expression = object[.expression] else { return nil }
    return "SET DEFAULT \(expression)"
  }

  /// A query for the rows that prevent restoring it, identified by `key`; nil if rows cannot prevent it.
  func rowsInTheWay(namedBy key: String) -> String? {
    let row = "SELECT concat_ws(', ', \(key)) FROM \(object.path) AS t"
    let columns = object[.constraintColumns] ?? object[.keys] ?? ""
    switch (object.kind, object[.constraintKind]) {
    case (.column, _):
      return "\(row) WHERE \(object.name) IS NULL LIMIT 5"
    case (.constraint, "c"):
      return "\(row) WHERE NOT (\(object[.check] ?? "true")) LIMIT 5"
    case (.constraint, "f"):
      let pairs = zip(Self.list(columns), Self.list(object[.referencedColumns] ?? ""))
      let match = pairs.map { "r.\($1) = t.\($0)" }.joined(separator: " AND ")
      let isSet = Self.list(columns).map { "t.\($0) IS NOT NULL" }.joined(separator: " AND ")
      return """
        \(row) WHERE \(isSet) AND NOT EXISTS (SELECT FROM \(object[.references] ?? "") AS r WHERE \(match)) LIMIT 5
        """
    case (.constraint, "p"), (.constraint, "u"):
      return doubles(columns, "true")
    case (.index, _) where object[.isUnique] != nil && !columns.contains(" "):
      return doubles(columns, object[.predicate] ?? "true")
    default:
      return nil
    }
  }

  private func doubles(_ columns: String, _ condition: String) -> String {
    """
    SELECT concat_ws(', ', \(columns)) FROM \(object.path) AS t WHERE \(condition)
    GROUP BY \(columns) HAVING count(*) > 1 LIMIT 5
    """
  }

  private static func list(_ names: String) -> [String] { names.split(separator: ", ").map(String.init) }
}
