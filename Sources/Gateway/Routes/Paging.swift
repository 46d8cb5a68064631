import ControlAPI

/// How a list is read page by page: `limit` 1 to 100, and `after` or `before`.
package struct Paging: Sendable {
  package enum Direction: String, Sendable {
    case after, before
  }

  package static let limitDefault = 50
  package static let limitMax = 100

  package let direction: Direction
  /// The member that holds the list; nil: the answer is the list.
  package let list: String?
  /// The member of an element that the next page begins behind; members within each other, with dots.
  package let id: String
  /// Whether that is a number, so that anything else is 400.
  package let isNumber: Bool

  package init(_ direction: Direction, list: String? = nil, id: String = "id", isNumber: Bool = true) {
    self.direction = direction
    self.list = list
    self.id = id
    self.isNumber = isNumber
  }

  /// For the description.
  var parameters: [QueryParameter] {
    [
      QueryParameter("limit", "how many; default \(Self.limitDefault)", integer: 1...Self.limitMax),
      QueryParameter(
        direction.rawValue, "the \(id) of the last one of the page before",
        schema: isNumber ? #"{"type":"integer","format":"int64"}"# : #"{"type":"string"}"#),
    ]
  }

  /// Reads a page from the query.
  func page(_ query: [String: String]) throws(GatewayError) -> Page {
    var limit = Self.limitDefault
    if let text = query["limit"], !text.isEmpty {
      guard let number = Int(text), (1...Self.limitMax).contains(number) else {
        throw .parameter("limit", "must be 1 to \(Self.limitMax)")
      }
      limit = number
    }
    let name = direction.rawValue
    let cursor = query[name].flatMap { $0.isEmpty ? nil : $0 }
    if let cursor, isNumber, Int64(cursor) == nil { throw .parameter(name, "must be the id that the last page gave") }
    return Page(limit: limit, cursor: cursor)
  }

  /// The value of Link for the page behind an answer; nil where the answer is the last page.
  ///
  /// `base` is the URL of the path, and `query` the names and values that were asked.
  func link(behind answer: String, _ page: Page, base: String, query: [(name: String, value: String)]) -> String? {
    guard let list = JSONList(answer, member: list, id: id), list.count >= page.limit, let last = list.lastID else {
      return nil
    }
    let others = query.filter { $0.name != direction.rawValue && $0.name != "limit" }
    let all = others + [("limit", String(page.limit)), (direction.rawValue, last)]
    let text = all.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    return "<\(base)?\(text)>; rel=\"next\""
  }
}

/// One page of a list.
package struct Page: Sendable, Equatable {
  package let limit: Int
  /// What the page begins behind; nil: at the beginning.
  package let cursor: String?

  /// For routes whose ids are numbers.
  package var id: Int64? { cursor.flatMap { Int64($0) } }
}
