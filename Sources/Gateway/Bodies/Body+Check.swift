import TextCoding

extension Body {
  /// A member's name, hashed in one step: a slice hashes byte by byte.
  private struct Name: Hashable {
    let bytes: ArraySlice<UInt8>

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// In the whole body: the streams of an activity have 400,000 numbers at most. Each value costs PostgreSQL memory.
  private static let valuesMax = 450_000
  /// Bounds one object; no app sends nearly as many.
  private static let membersMax = 10_000
  private static let numberBytesMax = 400
  private static let exponentMax = 400

  /// The kind of the value, as its first event. Throws where the bytes are not one JSON value that jsonb takes.
  ///
  /// jsonb keeps the last of two members with one name: here that is an error. Numbers are bounded, because jsonb
  /// writes every digit of 1e100000. The check needs no more room than the names of open objects.
  static func check(_ bytes: [UInt8], depthMax: Int) throws(JSONFault) -> JSONReader.Event {
    var reader = JSONReader(bytes, depthMax: depthMax, valuesMax: valuesMax, takesNUL: false)
    do throws(JSONFault) {
      let kind = try reader.next()
      if kind == .number { try checkNumber(reader) }
      /// The names of each open object; an array has none.
      var names = Array(repeating: Set<Name>(), count: reader.depth)
      while true {
        switch try reader.next() {
        case .object, .array: names.append([])
        case .name: try note(Name(bytes: reader.content), in: &names[names.count - 1])
        case .number: try checkNumber(reader)
        case .end: if names.popLast() == nil { return kind }
        case .text, .boolean, .null: break
        }
      }
    } catch {
      throw texts(depthMax)[error] ?? error
    }
  }

  private static func note(_ name: Name, in names: inout Set<Name>) throws(JSONFault) {
    guard names.insert(name).inserted else { throw .twice }
    guard names.count <= membersMax else { throw JSONFault("an object has more than 10000 members") }
  }

  private static func checkNumber(_ reader: JSONReader) throws(JSONFault) {
    if let exponent = reader.exponent {
      let size = Int(String(decoding: reader.content[exponent...], as: UTF8.self))
      guard let size, size <= exponentMax else { throw JSONFault("a number is too large") }
    }
    guard reader.position - reader.start <= numberBytesMax else { throw JSONFault("a number is too long") }
  }

  /// The texts that differ for a body.
  private static func texts(_ depthMax: Int) -> [JSONFault: JSONFault] {
    [
      .value: JSONFault("the body is not JSON"), .trailing: JSONFault("the JSON is followed by other text"),
      .depth: JSONFault("the JSON is nested deeper than \(depthMax)"),
      .values: JSONFault("the body has more than 450000 values"), .name: JSONFault("a member's name is missing"),
      .twice: JSONFault("a member is duplicated"), .surrogate: JSONFault("a string contains an unpaired surrogate"),
    ]
  }
}
