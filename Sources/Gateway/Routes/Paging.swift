package import ControlAPI
import TextCoding

/// How a list is read page by page: `limit`, and `after` or `before`, or `offset` as WordPress has it.
package struct Paging: Sendable {
  package enum Direction: String, Sendable {
    case after, before
    /// How many elements come first; absent: none.
    case offset
  }

  package static let limitDefault = 50
  package static let limitMax = 100
  package let direction: Direction
  /// The member that holds the list; nil: the answer is the list.
  package let list: String?
  /// The member of an element that the next page begins behind; members within each other, with dots.
  package let id: String
  /// The schema of that member; nil where it is a number.
  package let idSchema: AnswerSchema?
  package let limitDefault: Int
  package let limitMax: Int
  /// An answer that is larger can be a page that ended early.
  let wholePageBytesMax: Int

  package init(
    _ direction: Direction, list: String? = nil, id: String = "id", idSchema: AnswerSchema? = nil,
    limitDefault: Int = Self.limitDefault, limitMax: Int = Self.limitMax,
    wholePageBytesMax: Int = 33_554_432
  ) {
    self.direction = direction
    self.list = list
    self.id = id
    self.idSchema = idSchema
    self.limitDefault = limitDefault
    self.limitMax = limitMax
    self.wholePageBytesMax = wholePageBytesMax
  }

  /// For the description.
  var parameters: [QueryParameter] {
    let cursor: AnswerSchema =
      switch direction {
      case .offset: .integer.range(0...Int64(Int32.max)).example(json: "20")
      case .after, .before: idSchema ?? .integer.range(.min ... .max).example(json: "4711")
      }
    let meaning = direction == .offset ? "number of items to skip" : "the \(id) of the last item on the previous page"
    return [
      QueryParameter(
        "limit", "maximum number of items (default: \(limitDefault))",
        schema: .integer.range(1...Int64(limitMax)).example(json: "20")),
      QueryParameter(direction.rawValue, meaning, schema: cursor),
    ]
  }

  /// The paging parameters of other services. If they were ignored, every request would return the first page.
  private static let others = ["page", "per_page", "offset", "cursor"]

  /// Throws 400 where the query has a way of paging that the route does not serve.
  static func refuseOthers(_ query: [String: String], _ route: Route) throws(GatewayError) {
    let own = (route.paging?.parameters ?? []) + route.query
    for name in others where query[name] != nil && !own.contains(where: { $0.name == name }) {
      let names = route.paging.map { "limit and \($0.direction.rawValue)" }
      throw .parameter(name, names.map { "is not supported here: page with \($0)" } ?? "is not supported here")
    }
  }

  /// Reads a page from the query.
  func page(_ query: [String: String]) throws(GatewayError) -> Page {
    var limit = limitDefault
    if let text = query["limit"], !text.isEmpty {
      guard let number = Int(text), (1...limitMax).contains(number) else {
        throw .parameter("limit", "must be between 1 and \(limitMax)")
      }
      limit = number
    }
    let name = direction.rawValue
    let cursor = query[name].flatMap { $0.isEmpty ? nil : $0 }
    if let cursor, direction == .offset {
      guard let skipped = Int32(cursor), skipped >= 0 else {
        throw .parameter(name, "must be between 0 and \(Int32.max)")
      }
    } else if let cursor, idSchema == nil, Int64(cursor) == nil {
      throw .parameter(name, "must be an id from the previous page")
    }
    return Page(limit: limit, cursor: cursor)
  }

  /// The value of Link for the page behind an answer; nil where the answer is the last page.
  ///
  /// `base` is the URL of the path, and `query` the names and values that were asked.
  func link(behind answer: String, _ page: Page, base: String, query: [(name: String, value: String)]) -> String? {
    guard let list = JSONList(answer, member: list, id: id), let last = list.lastID,
      list.count >= page.limit || answer.utf8.count > wholePageBytesMax
    else { return nil }
    let next = direction == .offset ? String((page.id ?? 0) + Int64(list.count)) : last
    let others = query.filter { $0.name != direction.rawValue && $0.name != "limit" }
    let all = others + [("limit", String(page.limit)), (direction.rawValue, next)]
    let text = all.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    return "<\(base)?\(text)>; rel=\"next\""
  }
}

/// One page of a list.
package struct Page: Sendable, Equatable {
  package let limit: Int
  /// The position that the page begins behind; nil: at the beginning.
  package let cursor: String?

  /// For routes whose ids are numbers.
  package var id: Int64? { cursor.flatMap { Int64($0) } }
}
