/// One field of a result, valid only while it is being decoded.
package struct Cell {
  package let type: PostgresType

  /// The binary form; nil for NULL.
  package let bytes: UnsafeRawBufferPointer?

  /// The bytes, provided that the field is not NULL and has this type.
  package func bytes<Wanted>(of type: PostgresType, for wanted: Wanted.Type) throws(Mismatch) -> UnsafeRawBufferPointer
  {
    guard let bytes else { throw Mismatch(wanted: "\(wanted)", got: "NULL") }
    guard self.type == type else { throw Mismatch(wanted: "\(wanted)", got: self.type.description) }
    return bytes
  }

  /// The bytes, provided that the field is not NULL and has one of `types`.
  package func bytes<Wanted>(
    of types: PostgresType..., for wanted: Wanted.Type
  ) throws(Mismatch) -> UnsafeRawBufferPointer {
    guard let bytes else { throw Mismatch(wanted: "\(wanted)", got: "NULL") }
    guard types.contains(type) else { throw Mismatch(wanted: "\(wanted)", got: type.description) }
    return bytes
  }
}

extension UnsafeRawBufferPointer {
  /// The integer in network byte order at `offset`; nil where the bytes end before it does.
  func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value? {
    guard offset >= 0, count - offset >= MemoryLayout<Value>.size else { return nil }
    return Value(bigEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }

  /// These bytes as one integer of exactly that width.
  func only<Value: FixedWidthInteger>(_ type: Value.Type) throws(Mismatch) -> Value {
    guard count == MemoryLayout<Value>.size, let value = integer(at: 0, as: type) else {
      throw Mismatch(wanted: "\(type)", got: "\(count) bytes")
    }
    return value
  }
}
