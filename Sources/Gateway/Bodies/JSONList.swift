/// How many elements a list in an answer has, and the id of its last one: all that the next page needs.
struct JSONList {
  let count: Int
  let lastID: String?

  /// `member`: the member of the answer that is the list; nil: the answer itself. Nil where there is no list.
  init?(_ answer: String, member: String?, id: String) {
    guard let value = try? StrictJSON(Array(answer.utf8)) else { return nil }
    guard let elements = (member.map { value.member([$0]) } ?? value)?.elements else { return nil }
    count = elements.count
    lastID =
      switch elements.last?.member(id.split(separator: ".").map(String.init)) {
      case .string(let text): text
      case .number(let text): text
      default: nil
      }
  }
}
