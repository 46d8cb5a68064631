package import Postgres

/// The key of a job's item, in the database and, as text, in `settled.failure`: the value of a column, or a `KeyPair`.
package protocol JobKey: Hashable, Sendable, LosslessStringConvertible {
  /// SQL: the types of the key's columns.
  static var sqlTypes: [String] { get }

  /// An array of values for each column of the key.
  static func arrays(of keys: [Self]) -> [Statement]

  /// The keys of rows that consist of the key's columns.
  static func decode(_ rows: Rows) throws(PostgresError) -> [Self]
}

/// A key that is the value of one column.
package protocol SingleKey: JobKey, PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  static var sqlType: String { get }
}

extension SingleKey {
  package static var sqlTypes: [String] { [sqlType] }

  package static func arrays(of keys: [Self]) -> [Statement] { ["\(keys)::\(raw: sqlType)[]"] }

  package static func decode(_ rows: Rows) throws(PostgresError) -> [Self] { try rows.decode(Self.self) }
}

extension Int64: SingleKey {
  package static var sqlType: String { "bigint" }
}

extension String: SingleKey {
  package static var sqlType: String { "text" }
}

/// A key of two columns.
///
/// As text a space separates the two, so the first column must never contain one.
package struct KeyPair<First: SingleKey, Second: SingleKey>: JobKey {
  package let first: First
  package let second: Second

  package init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  package init?(_ text: String) {
    guard let space = text.firstIndex(of: " "), let first = First(String(text[..<space])),
      let second = Second(String(text[text.index(after: space)...]))
    else { return nil }
    self.init(first, second)
  }

  package var description: String { "\(first) \(second)" }

  package static var sqlTypes: [String] { [First.sqlType, Second.sqlType] }

  package static func arrays(of keys: [Self]) -> [Statement] {
    ["\(keys.map(\.first))::\(raw: First.sqlType)[]", "\(keys.map(\.second))::\(raw: Second.sqlType)[]"]
  }

  package static func decode(_ rows: Rows) throws(PostgresError) -> [Self] {
    try rows.decode(First.self, Second.self).map { Self($0, $1) }
  }
}

/// The SQL expressions of a key's columns, in their order.
package struct KeyColumns: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  let names: [String]

  package init(stringLiteral name: String) { names = [name] }

  package init(arrayLiteral names: String...) { self.names = names }

  init(_ names: [String]) { self.names = names }

  /// The columns of a table with the alias `alias`.
  func of(_ alias: String) -> KeyColumns { KeyColumns(names.map { "\(alias).\($0)" }) }

  /// As in a list of expressions.
  var list: String { names.joined(separator: ", ") }

  /// As in a select list that names its columns `key1`, `key2`.
  var named: String { names.enumerated().map { "\($1) AS key\($0 + 1)" }.joined(separator: ", ") }

  /// The names that `named` assigns.
  var aliases: KeyColumns { KeyColumns(names.indices.map { "key\($0 + 1)" }) }

  /// The names of the columns of such a key in a schedule.
  static func aliases<Key: JobKey>(of key: Key.Type) -> KeyColumns { KeyColumns(key.sqlTypes).aliases }

  /// The text that identifies the key in failures and leases.
  var text: String {
    let text = names.map { "(\($0))::text" }.joined(separator: " || ' ' || ")
    return names.count == 1 ? text : "(\(text))"
  }

  /// SQL: whether the columns contain one of these keys; a single key is found by its index, regardless of the
  /// statistics.
  func isAmong<Key: JobKey>(_ keys: [Key]) -> Statement {
    let arrays = Key.arrays(of: keys)
    if names.count == 1 { return "\(raw: names[0]) = ANY(\(fragment: arrays[0]))" }
    if keys.count == 1 {
      let equal = zip(names, arrays).map { "\(raw: $0) = (\(fragment: $1))[1]" as Statement }
      return equal.dropFirst().reduce(equal[0]) { "\(fragment: $0) AND \(fragment: $1)" }
    }
    let lists = arrays.dropFirst().reduce(arrays[0]) { "\(fragment: $0), \(fragment: $1)" }
    return "(\(raw: list)) IN (SELECT * FROM unnest(\(fragment: lists)))"
  }

  /// SQL: whether a failure's text `key` names the row. The columns are compared as their own types, so that an index
  /// is used.
  func areNamed<Key: JobKey>(by key: String, _: Key.Type) -> String {
    if names.count == 1 { return "\(names[0]) = \(key)::\(Key.sqlTypes[0])" }
    return """
      \(names[0]) = split_part(\(key), ' ', 1)::\(Key.sqlTypes[0])
      AND \(names[1]) = substr(\(key), strpos(\(key), ' ') + 1)::\(Key.sqlTypes[1])
      """
  }
}
