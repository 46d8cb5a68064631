import ControlAPI
import Markup
import TextCoding

extension Screen {
  /// The state that stands above every screen; page.js puts it in place and renews it.
  package static let header = Screen(
    "header", title: "State", key: "-", isInNavigation: false, parts: [.state])
}

extension Part {
  fileprivate static let state = Part("state", watches: [everyFiveSeconds]) { _ in
    [Ask("status")]
  } body: { state, replies in
    health(replies[Ask("status")] ?? .unreachable("the command was not sent")) + clock(state) + caller(state)
  }

  private static func health(_ reply: Reply) -> HTML {
    guard let answer = reply.answer else {
      return pill("bad", "✕", "no response")
    }
    let problems = answer["problems"]?.elements.count ?? 0
    let word = answer["state"]?.text ?? "unknown"
    let count = problems == 0 ? "" : problems == 1 ? " · 1 problem" : " · \(problems) problems"
    let isGood = word == "ready" && problems == 0
    let version = answer["version"]?.text ?? ""
    let node = answer["node"]?.text ?? ""
    return pill(isGood ? "good" : "warn", isGood ? "●" : "▲", word + count)
      + .element("span", [Attribute("class", "muted nowrap node")], [.name(node), HTML(text: ", " + version)])
  }

  private static func pill(_ tone: String, _ sign: String, _ text: String) -> HTML {
    .element(
      "span", [Attribute("class", "pill \(tone)")],
      [.element("span", [Attribute("aria-hidden", "true")], text: sign), HTML(text: " " + text)])
  }

  private static let simulated = HTML.element(
    "span", [Attribute("title", "the times on this page come from the database's simulated clock")],
    [pill("warn", "◷", "simulated")])

  private static func clock(_ state: PageState) -> HTML {
    let local = state.zone.local(state.now)
    let text = "\(local.day.weekdayName) \(local.dayAndMonth) \(local.timeWithSeconds) \(local.abbreviation)"
    let missing = state.zone.missing.map {
      pill("warn", "▲", "no offsets for \($0.cut(40).isolated): times are in UTC")
    }
    return .element("span", [Attribute("class", "space")]) + (missing ?? HTML())
      + .element(
        "time",
        [
          Attribute("class", "clock nowrap"), Attribute("datetime", state.now.text),
          Attribute("title", state.zone.name),
        ], text: text) + (state.hasSimulatedClock ? simulated : HTML())
  }

  private static func caller(_ state: PageState) -> HTML {
    let (uid, level) = ("uid \(state.caller.uid)", "level \(state.caller.level.rawValue)")
    let name: HTML = state.caller.user.map { .element("b", [], [.name($0)]) + HTML(text: " ") } ?? HTML()
    let rest = HTML.element("span", [Attribute("class", "muted")], text: "\(uid), \(level)")
    return .element("span", [Attribute("class", "nowrap operator")], [name, rest])
      + .element("span", [Attribute("class", "pill")], text: state.allowsChanges ? "changes enabled" : "read-only")
  }
}
