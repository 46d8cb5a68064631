import Dashboard
import Markup

/// A screen with its parts in the order and the widths that it has.
enum ScreenPage {
  static func html(_ screen: Screen, _ parts: [HTML]) -> HTML {
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
            ] + (part.isOnDemand ? [.flag("data-asked")] : []), [html])
        })
  }

  /// The parts for one state; what several of them ask is asked once.
  static func render(_ parts: [Part], state: PageState, link: DaemonLink) async -> [HTML] {
    let asks = parts.map { $0.asks(state) }
    let replies = await link.replies(to: Set(asks.flatMap { $0 }))
    return parts.map { $0.body(state, replies) }
  }
}
