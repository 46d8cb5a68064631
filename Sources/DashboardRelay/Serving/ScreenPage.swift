import Dashboard
import Markup

/// A screen with its parts in the order and the widths that it has.
enum ScreenPage {
  /// - Parameter late: the parts that lack an answer; page.js asks for each of them at once.
  static func html(_ screen: Screen, _ parts: [HTML], late: Set<String> = []) -> HTML {
    let heading =
      screen.name == Screen.header.name
      ? HTML() : HTML.element("h1", [Attribute("class", "skip")], text: screen.title)
    return heading
      + .joined(
        zip(screen.parts, parts).map { part, html in
          .element(
            "div",
            [
              Attribute("class", "part \(part.width.rawValue)"), Attribute("data-part", screen.name + "/" + part.name),
            ] + (part.isOnDemand ? [.flag("data-asked")] : []) + (late.contains(part.name) ? [.flag("data-late")] : []),
            [html])
        })
  }

  /// The parts for one state; what several of them ask is asked once.
  ///
  /// - Parameter within: after which a part is rendered without the answers that it still lacks.
  /// - Returns: the parts in their order, and the names of those that lack an answer.
  static func render(
    _ parts: [Part], state: PageState, link: DaemonLink, within: Duration? = nil
  ) async -> (parts: [HTML], late: Set<String>) {
    let asks = parts.map { $0.asks(state) }
    let replies = await link.replies(to: Set(asks.flatMap { $0 }), within: within)
    let late = zip(parts, asks).filter { $0.1.contains { replies[$0] == .awaited } }.map(\.0.name)
    return (parts.map { $0.body(state, replies) }, Set(late))
  }
}
