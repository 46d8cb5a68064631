package import Postgres

/// An object that the migrations make, as the catalogue describes it.
///
/// Left out are partitions but for the default ones, all parts of partitions, and what `sql/functions` replaces:
/// functions, triggers and views.
package struct SchemaObject: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    case schema, sequence, type, table, column, constraint, index
  }

  package let kind: Kind
  package let schema: String
  /// The table or type of a column, constraint or index; else the object itself; empty for a schema.
  package let relation: String
  package let name: String
  /// Without those that are null, empty or false.
  package let properties: [Property: String]

  package init(kind: Kind, schema: String, relation: String, name: String, properties: [Property: String]) {
    self.kind = kind
    self.schema = schema
    self.relation = relation
    self.name = name
    self.properties = properties
  }

  package subscript(_ property: Property) -> String? { properties[property] }

  /// A property's raw value is the column of the catalogue that has it.
  package enum Property: String, Sendable, CaseIterable {
    case comment = "description"

    case sequenceType = "seqtypid"
    case sequenceStart = "seqstart"
    case sequenceIncrement = "seqincrement"
    case sequenceMinimum = "seqmin"
    case sequenceMaximum = "seqmax"
    case sequenceCache = "seqcache"
    case sequenceCycles = "seqcycle"

    case persistence = "relpersistence"
    case options = "reloptions"
    case partitionKey = "partattrs"
    /// The table of which this one is the default partition.
    case partitionOf = "inhparent"

    case type = "atttypid"
    case collation = "attcollation"
    case isNotNull = "attnotnull"
    case identity = "attidentity"
    case generated = "attgenerated"
    /// The default, or the rule of a generated column.
    case expression = "adbin"

    case constraintKind = "contype"
    case constraintColumns = "conkey"
    case constraintOperators = "conexclop"
    case check = "conbin"
    case references = "confrelid"
    case referencedColumns = "confkey"
    case onUpdate = "confupdtype"
    case onDelete = "confdeltype"
    case isDeferrable = "condeferrable"
    case isDeferred = "condeferred"
    case isValidated = "convalidated"

    case method = "relam"
    case isUnique = "indisunique"
    case isValid = "indisvalid"
    case nullsAreEqual = "indnullsnotdistinct"
    /// The keys, with the collation, operator class and order where these are not the usual ones.
    case keys = "indkey"
    case included = "indinclude"
    case predicate = "indpred"
  }
}

extension SchemaObject {
  /// All objects in our schemas: kind by kind, schemas in their order, names alphabetically, columns in theirs.
  package static func all(_ session: some Session) async throws -> [SchemaObject] {
    var objects: [SchemaObject] = []
    for (kind, statement) in CatalogueStatements.all {
      objects += try await session.query(statement).decodeAll { row in try SchemaObject(kind, row) }
    }
    return objects
  }

  /// A row of `CatalogueStatements`.
  init(_ kind: Kind, _ row: Row) throws {
    var properties: [Property: String] = [:]
    let fields: [String?] = try row["properties"]
    for index in stride(from: 0, to: fields.count, by: 2) {
      guard let value = fields[index + 1], !value.isEmpty, value != "false" else { continue }
      guard let property = fields[index].flatMap(Property.init(rawValue:)) else {
        throw PostgresError(.decoding, "\(fields[index] ?? "NULL") is not a property of objects in a schema")
      }
      properties[property] = value
    }
    self.init(
      kind: kind, schema: try row["schema"], relation: try row["relation"], name: try row["name"],
      properties: properties)
  }
}
