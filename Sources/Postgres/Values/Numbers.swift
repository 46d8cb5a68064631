extension Bool: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .bool }
  package static var postgresArrayType: PostgresType { .boolArray }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(self ? 1 : 0)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Bool {
    try cell.bytes(of: .bool, for: Self.self).only(UInt8.self) != 0
  }
}

extension Int16: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .int2 }
  package static var postgresArrayType: PostgresType { .int2Array }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(bigEndian: self)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Int16 {
    try cell.bytes(of: .int2, for: Self.self).only(Int16.self)
  }
}

extension Int32: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .int4 }
  package static var postgresArrayType: PostgresType { .int4Array }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(bigEndian: self)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Int32 {
    let bytes = try cell.bytes(of: .int4, .int2, for: Self.self)
    return cell.type == .int2 ? Int32(try bytes.only(Int16.self)) : try bytes.only(Int32.self)
  }
}

extension Int64: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .int8 }
  package static var postgresArrayType: PostgresType { .int8Array }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(bigEndian: self)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Int64 {
    // Its own type first: a list of types is created again for each element of an array.
    if cell.type == .int8, let bytes = cell.bytes { return try bytes.only(Int64.self) }
    let bytes = try cell.bytes(of: .int8, .int4, .int2, .oid, for: Self.self)
    return switch cell.type {
    case .int2: Int64(try bytes.only(Int16.self))
    case .int4: Int64(try bytes.only(Int32.self))
    case .oid: Int64(try bytes.only(UInt32.self))
    default: try bytes.only(Int64.self)
    }
  }
}

/// `Int` travels as `bigint`.
extension Int: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .int8 }
  package static var postgresArrayType: PostgresType { .int8Array }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(bigEndian: Int64(self))
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Int {
    do { return Int(try Int64.decode(cell)) } catch { throw Mismatch(wanted: "Int", got: error.got) }
  }
}

extension Double: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .float8 }
  package static var postgresArrayType: PostgresType { .float8Array }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(bigEndian: bitPattern)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> Double {
    let bytes = try cell.bytes(of: .float8, .float4, for: Self.self)
    return cell.type == .float4
      ? Double(Float(bitPattern: try bytes.only(UInt32.self))) : Double(bitPattern: try bytes.only(UInt64.self))
  }
}
