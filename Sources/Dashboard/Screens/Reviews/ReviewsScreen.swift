import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let reviews = Screen(
    "reviews", title: "Reviews", key: "v", group: "Racing",
    parts: [.reviewQueue, .reviewEvidence, .reviewMatrix, .reviewFields, .reviewPast])
}

extension PageState {
  var activityId: Int64? { id.flatMap { Int64($0) } }

  var reviewAsk: Ask? { activityId.map { Ask("review.show", ["id": .integer($0)]) } }

  var activityAsk: Ask? { activityId.map { Ask("activity.show", ["id": .integer($0), "points": .integer(500)]) } }
}

extension Part {
  private static func ask(_ state: PageState) -> Ask {
    guard let after = state.filter("after").flatMap({ Int64($0) }) else { return .reviews }
    return Ask("review.list", ["after": .integer(after)])
  }

  fileprivate static let reviewQueue = Part("queue", width: .quarter, watches: ["activity.*", "review.*", "command.*"])
  { state in
    [ask(state)]
  } body: { state, replies in
    replies.card("Queue", ask(state), state) { answer in
      let rows = answer.rows
      // A page that is full has more behind it; its cursor is its last activity.
      let next = rows.count == 100 ? rows.last?["activity"]?.shown("id") : nil
      return CardContent(
        notes: .joined([.text("\(rows.count) with flags or a review "), .key("j"), .text(" "), .key("k")]),
        [
          rows.isEmpty
            ? .tag("p", "none good", [.sign("✓"), .text(" Nothing is waiting for a decision.")])
            : .element("ul", [Attribute("class", "queue"), .flag("data-list")], rows.map { item($0, state) }),
          Pager.html(state, ["reviews"], next: next),
        ])
    }
  }

  private static func item(_ row: JSONValue, _ state: PageState) -> HTML {
    let activity = row["activity"] ?? .null
    let id = activity.shown("id")
    let level = row.whole("level")
    let (sign, mood): (String, Mood) =
      level.map { ("L\($0)", $0 >= 2 ? .bad : $0 == 1 ? .warn : .accent) } ?? ("·", .good)
    var about: [HTML] = [
      .cut(activity.shown("displayName").cut(40)),
      .text(", \(id) · \(Amount.counted(row.whole("openFlags") ?? 0, "flag", "flags"))"),
    ]
    if let opened = row.instant("openedAt") { about.append(.text(", \(state.age(opened))")) }
    if row.shown("state") == "info_requested" { about.append(.text(", info requested")) }
    if let stake = row.whole("stakePence"), stake > 0 { about.append(.text(", \(Amount.pounds(stake)) at stake")) }
    if level == nil { about.append(.text(", holds nothing")) }
    if !row.shown("deletedAt").isEmpty { about.append(.text(", deleted")) }
    for reason in row.list("reasons").compactMap(\.text) { about.append(.text(", " + reason.shownAsWords)) }
    return .tag(
      "li", "",
      [
        .element(
          "a", [.link(["reviews", id])] + (state.id == id ? [Attribute("aria-current", "true")] : []),
          [
            .element(
              "span",
              [
                Attribute("class", "mark lv \(mood.rawValue)"),
                Attribute("title", level.map { "level \($0)" } ?? "no review"),
              ],
              text: sign),
            .tag("span", "t", [.cut(activity.shown("name"))]),
            .tag("span", "s", about),
          ])
      ])
  }
}
