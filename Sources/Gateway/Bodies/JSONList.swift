/// How many elements a list in an answer has, and the id of its last one: all that the next page needs.
///
/// The answer is the database's JSON, and may be large: only its last element is made a value.
struct JSONList {
  let count: Int
  let lastID: String?

  /// `member`: the member of the answer that is the list; nil: the answer itself. Nil where there is no list.
  init?(_ answer: String, member: String?, id: String) {
    var answer = answer
    let found = answer.withUTF8 { bytes in
      Self.scan(bytes, member.map { Array($0.utf8) }).map { (count: $0.count, last: Array(bytes[$0.last])) }
    }
    guard let found else { return nil }
    count = found.count
    let last = try? StrictJSON(found.last)
    lastID =
      switch last?.member(id.split(separator: ".").map(String.init)) {
      case .string(let text): text
      case .number(let text): text
      default: nil
      }
  }

  /// The number of elements, and where the last one stands; nil where there is no such list.
  private static func scan(
    _ bytes: UnsafeBufferPointer<UInt8>, _ member: [UInt8]?
  ) -> (count: Int, last: Range<Int>)? {
    let listDepth = member == nil ? 1 : 2
    var (position, depth, count) = (0, 0, 0)
    /// The latest text that stood in the outer object: before a list it is the list's name.
    var name = 0..<0
    var element: Int?
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        let start = position + 1
        position = end(ofTextFrom: start, bytes)
        if depth == 1, element == nil { name = start..<min(position, bytes.count) }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        let isNamed = member.map { bytes[name].elementsEqual($0) } ?? true
        if element == nil, depth == listDepth, bytes[position] == UInt8(ascii: "["), isNamed { element = position + 1 }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let element, depth == listDepth {
          let isEmpty = bytes[element..<position].allSatisfy { $0 == 0x20 }
          return (isEmpty ? count : count + 1, element..<position)
        }
        depth -= 1
      case UInt8(ascii: ","):
        if element != nil, depth == listDepth { (element, count) = (position + 1, count + 1) }
      default: break
      }
      position += 1
    }
    return nil
  }

  /// Where the quotation mark stands that ends a text.
  private static func end(ofTextFrom start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var position = start
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return position
  }
}
