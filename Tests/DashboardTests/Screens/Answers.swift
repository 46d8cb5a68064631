import ControlAPI
import Dashboard
import Foundation
import Markup
import TestSupport
import TextCoding

/// The answers that parts are rendered from.
struct Answers {
  let byCommand: [String: JSONValue]

  /// Those of Tests/Recorded/dashboard: a Saturday before the clocks go back.
  static func recorded() throws -> Answers {
    Answers(byCommand: try JSONValue(Checkout.text("Tests/Recorded/dashboard/answers.json")).members)
  }

  static let now = Instant("2026-10-24T13:32:07.000Z") ?? Instant(milliseconds: 0)

  static func state(
    _ view: View = View("overview"), zone: PageZone = .utc, level: CommandLevel = .admin, allowsChanges: Bool = true
  ) -> PageState {
    PageState(
      now: now, zone: zone, caller: Operator(uid: 1004, user: "ann", level: level), allowsChanges: allowsChanges,
      version: "1.4.0", query: view.query, id: view.id)
  }

  var london: PageZone { byCommand["zone.offsets"].flatMap { PageZone($0) } ?? .utc }

  /// The parts of a view with their names, one after the other.
  func html(_ view: View, _ state: PageState) -> String {
    guard let screen = Screen.named(view.screen) else { return "" }
    return screen.parts.map { part in
      let replies = part.asks(state).map { ask in
        (ask, byCommand[ask.command].map { Reply.answer($0) } ?? .missing)
      }
      let body = part.body(state, Dictionary(replies) { first, _ in first })
      return "<!-- \(part.name) -->\n\(body)\n"
    }.joined()
  }
}
