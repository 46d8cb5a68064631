import ControlAPI
package import Markup
package import TextCoding

extension Reply {
  /// The answer rendered, or a paragraph with the reason why there is none; the other parts stand.
  package func rendered(_ ask: Ask, _ state: PageState, _ body: (JSONValue) -> HTML) -> HTML {
    switch self {
    case .answer(let value): return body(value)
    case .missing:
      let version = state.version.map { "settled \($0)" } ?? "this daemon"
      return Self.absence("\(version) does not support \(ask.command); upgrade the daemon to see this.")
    case .refused(let code, let text): return Self.absence("\(ask.command) was refused: \(text) (rule \(code))")
    case .unreachable(let reason): return Self.absence("\(ask.command) failed: \(reason)")
    case .awaited: return Self.absence("Waiting for the daemon.")
    }
  }

  private static func absence(_ text: String) -> HTML { .element("p", [Attribute("class", "absent")], text: text) }
}

extension [Ask: Reply] {
  /// The answer to one of the part's asks, rendered.
  package func rendered(_ ask: Ask, _ state: PageState, _ body: (JSONValue) -> HTML) -> HTML {
    (self[ask] ?? .unreachable("the command was not sent")).rendered(ask, state, body)
  }
}
