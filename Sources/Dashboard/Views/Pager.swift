import Markup

/// The way to older rows, and back to the newest.
enum Pager {
  static func html(_ state: PageState, _ path: [String], next: String?) -> HTML {
    var links: [HTML] = []
    if state.query["after"] != nil { links.append(.link(path, query: state.filters, classes: "btn", text: "newest")) }
    if let next {
      links.append(
        .element(
          "a",
          [
            Attribute.link(path, state.filters + [("after", next)]), Attribute("class", "btn"),
            Attribute("rel", "next"),
          ],
          text: "older"))
    }
    return links.isEmpty ? HTML() : .tag("p", "pager", links)
  }
}
