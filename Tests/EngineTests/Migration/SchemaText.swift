import Engine

/// The text of `sql/schema.sql`: SQL that makes the tables of today in an empty database.
///
/// Schemas in their order, tables by name, each with its columns, constraints and indexes. Foreign keys come last, so
/// that each names a table that exists.
struct SchemaText {
  private static let heading = """
    -- Today's tables: SQL that makes them in an empty database. For readers: only a test runs it.
    -- Generated from a migrated database, never edited: sql/README.md has the command. Functions, views: sql/functions.

    """

  private let objects: [SchemaObject]
  private let parts: [String: [SchemaObject]]

  init(_ objects: [SchemaObject]) {
    self.objects = objects
    parts = Dictionary(grouping: objects.filter { [.column, .constraint, .index].contains($0.kind) }, by: \.path)
  }

  var text: String {
    var lines = [Self.heading]
    for schema in objects where schema.kind == .schema {
      lines += Self.comment(schema, "") + ["CREATE SCHEMA \(schema.name);", ""]
      for object in objects where object.schema == schema.name {
        switch object.kind {
        case .sequence: lines += Self.comment(object, "") + ["CREATE SEQUENCE \(object.path);", ""]
        case .type: lines += type(object) + [""]
        case .table: lines += table(object) + [""]
        default: continue
        }
      }
    }
    lines.append("-- Foreign keys.")
    for object in objects where object.isReference {
      lines += SQLLines.wrapped("ALTER TABLE \(object.path) ADD \(object.constraint);", indent: 0)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func type(_ type: SchemaObject) -> [String] {
    let items = (parts[type.path] ?? []).map { (Self.comment($0, "  "), $0.column) }
    return Self.comment(type, "") + ["CREATE TYPE \(type.path) AS ("] + Self.list(items) + [");"]
  }

  private func table(_ table: SchemaObject) -> [String] {
    if let parent = table[.partitionOf] {
      return ["CREATE TABLE \(table.path) PARTITION OF \(table.schema).\(parent) DEFAULT;"]
    }
    let parts = parts[table.path] ?? []
    let items = parts.filter { $0.kind == .column }.map { (Self.comment($0, "  "), $0.column) }
    let rules = parts.filter { $0.kind == .constraint && !$0.isReference }.map {
      (Self.comment($0, "  "), $0.constraint)
    }
    var end = ")"
    if let key = table[.partitionKey] { end += " PARTITION BY \(key)" }
    if let options = table[.options] { end += " WITH (\(options))" }
    let unlogged = table[.persistence] == "u" ? "UNLOGGED " : ""
    return Self.comment(table, "") + ["CREATE \(unlogged)TABLE \(table.path) ("] + Self.list(items + rules) + [
      end + ";"
    ]
      + parts.filter { $0.kind == .index }.flatMap {
        Self.comment($0, "") + SQLLines.wrapped($0.index + ";", indent: 0)
      }
  }

  /// The items of a list with their comments: beside an item of one line where there is room, else above it.
  private static func list(_ items: [(comment: [String], text: String)]) -> [String] {
    items.enumerated().flatMap { index, item in
      let lines = SQLLines.wrapped(item.text + (index < items.count - 1 ? "," : ""), indent: 2)
      guard lines.count == 1, item.comment.count == 1 else { return item.comment + lines }
      let beside = lines[0] + "  " + item.comment[0]
      return beside.count <= SQLLines.width ? [beside] : item.comment + lines
    }
  }

  private static func comment(_ object: SchemaObject, _ indent: String) -> [String] {
    object[.comment].map { SQLLines.comment($0, indent: indent) } ?? []
  }
}
