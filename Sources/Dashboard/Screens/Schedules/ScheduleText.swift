import Markup
import TextCoding

/// A schedule in words and signs.
enum ScheduleText {
  private static let marksMax = 30

  static func state(_ schedule: JSONValue) -> HTML {
    schedule.isTrue("paused") ? StateText.html("paused") : StateText.html("on", "●", .good)
  }

  /// The cron line, or the one instant.
  static func line(_ schedule: JSONValue, _ state: PageState) -> HTML {
    if let cron = schedule["cron"]?.text { return .tag("code", text: cron.cut(200)) }
    return .joined([.text("once, "), state.exact(schedule.instant("at"))])
  }

  static func missed(_ schedule: JSONValue) -> String {
    var text = OutcomeText.policy(schedule.shown("missed"))
    if let most = schedule.whole("max") { text += ", at most \(Amount.grouped(most))" }
    if case let within = schedule.shown("within"), !within.isEmpty { text += ", within \(within.cut(40))" }
    return text
  }

  /// The last 30 outcomes as signs, the newest at the right.
  static func marks(_ newestFirst: [JSONValue], _ state: PageState) -> HTML {
    let signs = newestFirst.prefix(marksMax).reversed().map { row in
      let status = row.shown("status")
      let (sign, mood) = Mood.of(status)
      let at = row.instant("instant").map { state.exactText($0) } ?? ""
      return HTML.element(
        "span",
        [
          Attribute("class", mood.rawValue),
          Attribute("title", "\(at): \(status)" + (OutcomeText.meaning(status).map { ", \($0)" } ?? "")),
        ], text: sign)
    }
    guard !signs.isEmpty else { return HTML() }
    let failed = newestFirst.prefix(marksMax).filter { $0.shown("status") == "failed" }.count
    let words = "\(signs.count) outcomes, \(failed) failed"
    return .element(
      "span", [Attribute("class", "outcomes"), Attribute("role", "img"), Attribute("aria-label", words)], Array(signs))
  }
}
