import TextCoding

/// How many elements a list in an answer has, and the id of its last one: all that the next page needs.
///
/// The answer is the database's JSON, and may be large: only its last element is made a value.
struct JSONList {
  let count: Int
  let lastID: String?

  /// `member`: the member of the answer that is the list; nil: the answer itself. Nil where there is no list.
  init?(_ answer: String, member: String?, id: String) {
    let bytes = Array(answer.utf8)
    guard let found = (try? Self.scan(JSONReader(bytes), member)).flatMap({ $0 }) else { return nil }
    count = found.count
    let last = try? StrictJSON(Array(bytes[found.last]))
    lastID =
      switch last?.member(id.split(separator: ".").map(String.init)) {
      case .string(let text): text
      case .number(let text): text
      default: nil
      }
  }

  /// The number of elements, and where the last one stands; nil where there is no such list.
  private static func scan(
    _ reader: JSONReader, _ member: String?
  ) throws(JSONFault) -> (count: Int, last: Range<Int>)? {
    var reader = reader
    if let member {
      guard try reader.next() == .object else { return nil }
      while try reader.next() == .name, !reader.content.elementsEqual(member.utf8) {
        repeat { _ = try reader.next() } while reader.depth > 1
      }
      guard reader.depth == 1 else { return nil }
    }
    guard try reader.next() == .array else { return nil }
    let depth = reader.depth
    var (count, last) = (0, 0..<0)
    while try reader.next() != .end {
      let start = reader.start
      while reader.depth > depth { _ = try reader.next() }
      (count, last) = (count + 1, start..<reader.position)
    }
    return (count, last)
  }
}
