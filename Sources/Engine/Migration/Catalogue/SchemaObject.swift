package import Postgres

/// An object that the migrations and functions create, as the catalogue describes it.
///
/// Partitions except the default ones are left out, as are all parts of partitions.
package struct SchemaObject: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    case schema, sequence, type, table, column, constraint, index
    /// `sql/functions` replaces them.
    case view, function, trigger
    /// The product has none.
    case rule, policy
  }

  package let kind: Kind
  package let schema: String
  /// The table or type of a column, constraint, index, trigger, rule or policy; else the object; empty for a schema.
  package let relation: String
  package let name: String
  /// Without null, empty or false values.
  package let properties: [Property: String]

  package init(kind: Kind, schema: String, relation: String, name: String, properties: [Property: String]) {
    self.kind = kind
    self.schema = schema
    self.relation = relation
    self.name = name
    self.properties = properties
  }

  package subscript(_ property: Property) -> String? { properties[property] }

  /// A property's raw value is its column in the catalogue.
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
    case hasRowSecurity = "relrowsecurity"
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
    /// The keys, with the collation, operator class and order if these are not the defaults.
    case keys = "indkey"
    case included = "indinclude"
    case predicate = "indpred"

    /// Names and types.
    case viewColumns = "attname"

    case functionKind = "prokind"
    case language = "lanname"
    /// The SHA-256 of the body.
    case body = "prosrc"
    case result = "prorettype"
    case returnsSet = "proretset"
    case volatility = "provolatile"
    case isStrict = "proisstrict"
    case isSecurityDefiner = "prosecdef"
    case isLeakproof = "proleakproof"
    case parallelSafety = "proparallel"
    case defaults = "pronargdefaults"
    case settings = "proconfig"

    case function = "tgfoid"
    case events = "tgtype"
    case triggerColumns = "tgattr"
    case hasCondition = "tgqual"
    case isDeferrableTrigger = "tgdeferrable"
    case isDeferredTrigger = "tginitdeferred"
    case oldRows = "tgoldtable"
    case newRows = "tgnewtable"
    /// Which of the object's triggers do not fire as usual: D disabled, R replica, A always.
    case unusualTriggers = "tgenabled"
  }
}

extension SchemaObject {
  /// The objects of `sql/catalogue/objects.txt`: one a line, fields between tabs, properties as `column=value`.
  package static func all(in text: String) -> [SchemaObject] {
    text.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count >= 4, let kind = Kind(rawValue: fields[0]) else {
        preconditionFailure("not an object: \(line)")
      }
      let properties = fields[4...].map { field in
        let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let property = Property(rawValue: parts[0]) else {
          preconditionFailure("not a property: \(field)")
        }
        return (property, parts[1])
      }
      return SchemaObject(
        kind: kind, schema: fields[1], relation: fields[2], name: fields[3],
        properties: Dictionary(uniqueKeysWithValues: properties))
    }
  }

  /// Its line in `sql/catalogue/objects.txt`. Comments are left out.
  package var line: String {
    let listed = Property.allCases.filter { $0 != .comment }.compactMap { property in
      properties[property].map { "\(property.rawValue)=\($0)" }
    }
    return ([kind.rawValue, schema, relation, name] + listed).joined(separator: "\t")
  }

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
        throw PostgresError(.decoding, "\(fields[index] ?? "NULL") is not a property of schema objects")
      }
      properties[property] = value
    }
    self.init(
      kind: kind, schema: try row["schema"], relation: try row["relation"], name: try row["name"],
      properties: properties)
  }
}
