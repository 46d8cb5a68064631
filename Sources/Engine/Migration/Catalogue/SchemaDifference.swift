package import Postgres

/// An object of a database that differs from the program's migrations and functions.
///
/// Columns of the catalogue are compared. The texts of expressions are not: each release of the server prints them
/// differently, so only their presence counts.
package struct SchemaDifference: Sendable, CustomStringConvertible {
  /// The program's object, or a foreign one.
  package let object: SchemaObject
  /// The object in the database; nil if it is missing.
  let found: SchemaObject?
  let changed: Set<SchemaObject.Property>
  /// Whether the program does not create it.
  package let isForeign: Bool
  /// Whether it is a partitioned table or belongs to one.
  let isPartitioned: Bool

  package var description: String {
    if isForeign { return object.label }
    guard found != nil else { return "\(object.label) is missing" }
    if changed == [.unusualTriggers] {
      return found?[.unusualTriggers]?.contains("D") == true
        ? "\(object.label) is disabled" : "\(object.label) fires in the wrong sessions"
    }
    return "\(object.label) differs in \(changed.map(\.rawValue).sorted().joined(separator: ", "))"
  }
}

extension SchemaDifference {
  /// The differences from the objects of `migrations`, in their order; foreign objects last.
  ///
  /// None if the database has another release, or the migrations have no list of their objects.
  package static func all(from migrations: Migrations, _ session: some Session) async throws -> [SchemaDifference] {
    guard let objects = migrations.objects,
      case .current = try await SchemaState.read(migrations, from: session)
    else { return [] }
    return all(from: objects, in: try await SchemaObject.all(session))
  }

  /// Parts of a missing or foreign table are left out.
  static func all(from expected: [SchemaObject], in database: [SchemaObject]) -> [SchemaDifference] {
    let found = Dictionary(database.map { ($0.identity, $0) }) { first, _ in first }
    let known = Set(expected.map(\.identity))
    let partitioned = Set(expected.filter { $0[.partitionKey] != nil }.map(\.path))
    let ours = expected.compactMap { object -> SchemaDifference? in
      let present = found[object.identity]
      let changed = present.map { object.changedProperties(in: $0) } ?? []
      guard present == nil || !changed.isEmpty else { return nil }
      return SchemaDifference(
        object: object, found: present, changed: changed, isForeign: false,
        isPartitioned: partitioned.contains(object.path))
    }
    let foreign = database.filter { !known.contains($0.identity) }
      .map { SchemaDifference(object: $0, found: $0, changed: [], isForeign: true, isPartitioned: false) }
    return withoutParts(ours) + withoutParts(foreign)
  }

  private static func withoutParts(_ differences: [SchemaDifference]) -> [SchemaDifference] {
    let whole = Set(
      differences.filter { $0.object.isWhole && ($0.isForeign || $0.found == nil) }.map(\.object.path))
    return differences.filter { $0.object.isWhole || !whole.contains($0.object.path) }
  }
}

extension SchemaObject {
  fileprivate var isWhole: Bool {
    switch kind {
    case .schema, .sequence, .type, .table, .view, .function: true
    case .column, .constraint, .index, .trigger, .rule, .policy: false
    }
  }

  /// The key that finds the object in another list; names are quoted if they are keywords of the server.
  fileprivate var identity: [String] { [kind.rawValue, schema, relation, name.replacing("\"", with: "")] }

  var label: String {
    switch kind {
    case .schema: "schema \(schema)"
    case .sequence, .type, .table, .view: "\(kind) \(path)"
    case .function: "function \(schema).\(name)"
    case .column, .constraint, .index, .trigger, .rule, .policy: "\(kind) \(name) of \(path)"
    }
  }

  fileprivate func changedProperties(in found: SchemaObject) -> Set<Property> {
    let all = Set(properties.keys).union(found.properties.keys).subtracting([.comment, .options])
    return all.filter { comparable($0) != found.comparable($0) }
  }

  private func comparable(_ property: Property) -> String? {
    guard let value = self[property] else { return nil }
    switch property {
    case .expression, .check, .predicate: return "present"
    case .keys where value.contains("("): return "present"
    default: return value.replacing("\"", with: "")
    }
  }
}
