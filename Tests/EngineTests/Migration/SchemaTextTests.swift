import Engine
import Postgres
import Schema
import TestSupport
import Testing

/// The picture of today's tables.
@Suite("sql/schema.sql") struct SchemaTextTests {
  private static let path = "sql/schema.sql"
  private static let list = "sql/catalogue/objects.txt"

  private static let ofFunctions: [SchemaObject.Kind] = [.view, .function, .trigger]

  private static func migrated() async throws -> [SchemaObject] {
    try await SchemaObject.all(try await SettledDatabase.simulated().connect())
  }

  @Test func `sql/schema.sql has the tables of a migrated database`() async throws {
    let difference = try Checkout.firstDifference(of: Self.path, from: SchemaText(try await Self.migrated()).text)
    #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter SchemaTextTests writes \(Self.path)")
  }

  @Test func `sql/catalogue/objects.txt has all objects of a migrated database`() async throws {
    let lines = try await Self.migrated().map { $0.line + "\n" }.joined()
    let difference = try Checkout.firstDifference(of: Self.list, from: lines)
    #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter SchemaTextTests writes \(Self.list)")
  }

  @Test func `sql/schema.sql makes the objects that the migrations make`() async throws {
    let empty = try await TestCluster.shared.database().connect()
    try await empty.script(try Checkout.text(Self.path))
    let (made, migrated) = (
      try await SchemaObject.all(empty).map(\.withoutComment),
      try await Self.migrated().filter { !Self.ofFunctions.contains($0.kind) }.map(\.withoutComment)
    )
    #expect(Set(migrated).subtracting(made) == [])
    #expect(Set(made).subtracting(migrated) == [])
    let isInOrder = made == migrated
    #expect(isInOrder)
  }

  @Test func `every table and every generated column has a comment`() async throws {
    let silent = try await Self.migrated().filter { object in
      object[.comment] == nil
        && (object.kind == .table && object[.partitionOf] == nil || object[.generated] != nil)
    }
    #expect(silent == [])
  }

  @Test func `every renamed column has a comment with its former name`() async throws {
    let objects = try await Self.migrated()
    let rename = /ALTER TABLE (?<schema>\w+)\.(?<table>\w+) RENAME COLUMN (?<former>\w+) TO (?<name>\w+)/
    let renamed = Schema.migrations.flatMap { $0.text.matches(of: rename) }
    #expect(!renamed.isEmpty)
    for each in renamed {
      let column = objects.first {
        $0.kind == .column && $0.schema == each.schema && $0.relation == each.table && $0.name == each.name
      }
      #expect(column?[.comment]?.contains(each.former) == true, "\(each.output.0)")
    }
  }
}

extension SchemaObject {
  /// The file has comments as comments.
  fileprivate var withoutComment: SchemaObject {
    var properties = properties
    properties[.comment] = nil
    return SchemaObject(kind: kind, schema: schema, relation: relation, name: name, properties: properties)
  }
}
