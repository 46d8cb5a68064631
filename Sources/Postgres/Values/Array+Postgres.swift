/// An array travels as a one-dimensional array; its elements may be optional.
extension Array: PostgresEncodable where Element: PostgresEncodable & PostgresArrayElement {
  package static var postgresType: PostgresType { Element.postgresArrayType }

  /// Layout: dimensions, has-NULL flag, element type, then length and lower bound; each element with its length.
  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.reserveCapacity(bytes.count + 20 + count * 12)
    bytes.append(bigEndian: Int32(isEmpty ? 0 : 1))
    let flags = bytes.count
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: Element.postgresType.rawValue)
    guard !isEmpty else { return true }
    bytes.append(bigEndian: Int32(count))
    bytes.append(bigEndian: Int32(1))
    if Element.encodeElements(self, into: &bytes) { bytes.overwrite(at: flags, bigEndian: Int32(1)) }
    return true
  }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
  package static func decode(_ cell: Cell) throws(Mismatch) -> [Element] {
    guard let bytes = cell.bytes else { throw Mismatch(wanted: "\(Self.self)", got: "NULL") }
    var malformed: Mismatch { Mismatch(wanted: "\(Self.self)", got: cell.type.description) }
    guard let dimensions = bytes.integer(at: 0, as: Int32.self), let type = bytes.integer(at: 8, as: UInt32.self),
      0...6 ~= dimensions
    else { throw malformed }
    guard dimensions > 0 else { return [] }
    guard dimensions == 1 else { throw Mismatch(wanted: "\(Self.self)", got: "\(dimensions) dimensions") }
    guard let count = bytes.integer(at: 12, as: Int32.self), count >= 0,
      bytes.count - 20 >= 4 * Int(count)
    else { throw malformed }
    let body = UnsafeRawBufferPointer(rebasing: bytes[20...])
    guard
      let elements = try Element.decodeElements(Int(count), type: PostgresType(rawValue: type), from: body)
    else { throw malformed }
    return elements
  }
}

extension PostgresArrayElement {
  package static func encodeElements(_ elements: [Self], into bytes: inout [UInt8]) -> Bool {
    var hasNull = false
    for element in elements {
      let start = bytes.count
      bytes.append(bigEndian: Int32(-1))
      if element.encode(into: &bytes) {
        bytes.overwrite(at: start, bigEndian: Int32(bytes.count - start - 4))
      } else {
        hasNull = true
      }
    }
    return hasNull
  }
}

extension [UInt8] {
  fileprivate mutating func overwrite(at offset: Int, bigEndian value: Int32) {
    withUnsafeMutableBytes { $0.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self) }
  }
}
