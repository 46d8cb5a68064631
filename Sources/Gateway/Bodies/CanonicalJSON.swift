import TextCoding

/// The bytes of a JSON value, the same however it was written: members by name, numbers by value.
///
/// They are not JSON. They are made while the text is read, since a body can have some MB.
enum CanonicalJSON {
  /// Nil where the text is not one JSON value.
  static func bytes(_ text: String, depthMax: Int) -> [UInt8]? {
    var reader = JSONReader(Array(text.utf8), depthMax: depthMax)
    var bytes: [UInt8] = []
    guard let isValue = try? append(&reader, to: &bytes), isValue, (try? reader.next()) == .end else { return nil }
    return bytes
  }

  /// False at the end of an array.
  private static func append(_ reader: inout JSONReader, to bytes: inout [UInt8]) throws(JSONFault) -> Bool {
    switch try reader.next() {
    case .null: bytes += "null".utf8
    case .boolean(let value): bytes += (value ? "true" : "false").utf8
    case .number: bytes += number(reader.content)
    case .text: append(text: reader.content, to: &bytes)
    case .array:
      bytes.append(UInt8(ascii: "["))
      while try append(&reader, to: &bytes) { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "]"))
    case .object:
      var members: [(name: [UInt8], value: [UInt8])] = []
      while try reader.next() == .name {
        let name = Array(reader.content)
        var value: [UInt8] = []
        _ = try append(&reader, to: &value)
        members.append((name, value))
      }
      bytes.append(UInt8(ascii: "{"))
      for member in members.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
        append(text: member.name, to: &bytes)
        bytes += member.value
      }
      bytes.append(UInt8(ascii: "}"))
    case .name, .end: return false
    }
    return true
  }

  /// The length stands in front, so that no text looks like what follows it.
  private static func append(text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes += "\"\(text.count):".utf8
    bytes += text
  }

  /// Digits and an exponent: `1`, `1.0` and `10e-1` are `1e0`. A number with an exponent out of range is left as it is.
  private static func number(_ text: some Collection<UInt8>) -> [UInt8] {
    let parts = text.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
    guard let written = parts.first,
      var exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0,
      abs(exponent) < 1 << 40
    else { return Array(text) }
    let isNegative = written.first == UInt8(ascii: "-")
    let halves = written.drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
    exponent -= halves.count > 1 ? halves[1].count : 0
    var digits = Array(halves.joined().drop { $0 == UInt8(ascii: "0") })
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    guard !digits.isEmpty else { return [UInt8(ascii: "0")] }
    return (isNegative ? [UInt8(ascii: "-")] : []) + digits + "e\(exponent)".utf8
  }
}
