import Markup
import TextCoding

/// What a settlement waits for.
enum Waiting {
  private static let linksMax = 5

  /// `waiting`: nil where it does not wait.
  static func html(_ waiting: JSONValue?, _ state: PageState) -> HTML {
    guard let waiting else { return HTML() }
    let activities = waiting.list("activities")
    var parts = [
      StateText.html(waiting.shown("reason"), "▲", waiting.shown("reason") == "review" ? .warn : .muted),
      .text(" until "), state.brief(waiting.instant("until")),
    ]
    for activity in activities.prefix(linksMax).compactMap(\.integer) {
      parts += [.text(" "), .link(["reviews", String(activity)], text: String(activity))]
    }
    if activities.count > linksMax { parts.append(.text(" and \(activities.count - linksMax) more")) }
    return .tag("span", "waits", parts)
  }
}
