import Dashboard
import Markup

/// The pages that screens stand in.
enum Shell {
  /// The static page of every screen; it holds nothing of the daemon's. `version`: of the style and the script, which a
  /// browser may keep under it.
  static func page(version: String) -> String {
    filled("Page/shell.html", ["navigation": navigation(current: nil), "version": HTML(text: version)])
  }

  /// A screen as a file without script.
  static func saved(_ screen: Screen, header: HTML, main: HTML) -> String {
    let page = filled(
      "Page/saved.html",
      [
        "title": HTML(text: screen.title), "navigation": navigation(current: screen.name), "header": header,
        "main": main,
      ])
    return SavedMarkup.html(page)
  }

  private static func filled(_ path: String, _ places: [String: HTML]) -> String {
    // Split first: what is filled in is not searched for further places.
    PageFiles.text(path).split(separator: "<!--", omittingEmptySubsequences: false).enumerated()
      .reduce(into: "") { page, piece in
        guard piece.offset > 0 else { return page += piece.element }
        let name = piece.element.prefix { $0 != "-" }
        guard let html = places[String(name)] else { preconditionFailure("\(path) has an unknown placeholder \(name)") }
        page += html.description + piece.element.dropFirst(name.count + 3)
      }
  }

  private static func navigation(current: String?) -> HTML {
    var html = HTML()
    var group: String?
    for screen in Screen.all where screen.isInNavigation {
      if let name = screen.group, name != group { html += .element("h2", text: name) }
      group = screen.group ?? group
      let key = "g" + String(screen.key)
      var attributes = [Attribute.link([screen.name]), Attribute("data-key", key), Attribute("title", "Keys: " + key)]
      if screen.name == current { attributes.append(Attribute("aria-current", "page")) }
      html += .element("a", attributes, text: screen.title)
    }
    return html
  }
}
