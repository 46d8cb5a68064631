/// A type's object identifier, fixed for the built-in types.
package struct PostgresType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  private init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let bool = PostgresType(16)
  package static let bytea = PostgresType(17)
  package static let char = PostgresType(18)
  package static let name = PostgresType(19)
  package static let int8 = PostgresType(20)
  package static let int2 = PostgresType(21)
  package static let int4 = PostgresType(23)
  package static let text = PostgresType(25)
  package static let oid = PostgresType(26)
  package static let json = PostgresType(114)
  package static let float4 = PostgresType(700)
  package static let float8 = PostgresType(701)
  package static let unknown = PostgresType(705)
  package static let bpchar = PostgresType(1042)
  package static let varchar = PostgresType(1043)
  package static let timestamptz = PostgresType(1184)
  package static let jsonb = PostgresType(3802)

  package static let boolArray = PostgresType(1000)
  package static let byteaArray = PostgresType(1001)
  package static let int2Array = PostgresType(1005)
  package static let int4Array = PostgresType(1007)
  package static let textArray = PostgresType(1009)
  package static let int8Array = PostgresType(1016)
  package static let float8Array = PostgresType(1022)
  package static let timestamptzArray = PostgresType(1185)
  package static let jsonbArray = PostgresType(3807)
}

extension PostgresType: CustomStringConvertible {
  /// The type's name in SQL, as far as an error needs it; else `type 1234`.
  package var description: String {
    Self.names[rawValue] ?? "type \(rawValue)"
  }

  private static let names: [UInt32: String] = [
    16: "boolean", 17: "bytea", 18: "\"char\"", 19: "name", 20: "bigint", 21: "smallint", 23: "integer",
    25: "text", 26: "oid", 114: "json", 700: "real", 701: "double precision", 705: "unknown", 790: "money",
    869: "inet", 1000: "boolean[]", 1001: "bytea[]", 1005: "smallint[]", 1007: "integer[]", 1009: "text[]",
    1015: "varchar[]", 1016: "bigint[]", 1021: "real[]", 1022: "double precision[]", 1042: "character",
    1043: "varchar", 1082: "date", 1083: "time", 1114: "timestamp", 1184: "timestamptz", 1185: "timestamptz[]",
    1186: "interval", 1266: "timetz", 1700: "numeric", 2278: "void", 2249: "record", 2950: "uuid",
    3802: "jsonb", 3807: "jsonb[]",
  ]
}
