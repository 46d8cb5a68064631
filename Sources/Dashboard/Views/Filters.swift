import Markup

/// Filters stand in the query, so that a bookmark keeps them. A change of one drops the cursor.
enum Filters {
  /// Links for a few values, and one without any, which shows `none`. `words`: of values that are no words.
  static func choice(
    _ state: PageState, _ path: [String], _ name: String, _ values: [String], none: String = "all",
    words: [String: String] = [:]
  ) -> HTML {
    let chosen = state.query[name] ?? ""
    let links = ([""] + values).map { value in
      let query = (state.filters.filter { $0.0 != name } + (value.isEmpty ? [] : [(name, value)]))
      return HTML.element(
        "a", [Attribute.link(path, query)] + (value == chosen ? [Attribute("aria-current", "true")] : []),
        text: value.isEmpty ? none : words[value] ?? value.shownAsWords)
    }
    return .element(
      "span", [Attribute("class", "seg"), Attribute("role", "group"), Attribute("aria-label", name)], links)
  }

  /// Free-text fields; the page's script puts what is typed into the query, and shows the part `live` while one
  /// types.
  static func fields(
    _ state: PageState, _ names: [(name: String, label: String)], live: String? = nil
  ) -> HTML {
    let fields = names.map { name, label in
      HTML.tag(
        "label", "",
        [
          .text(label + " "),
          .void(
            "input",
            [
              Attribute("name", name), Attribute("value", (state.query[name] ?? "").cut(200)),
              Attribute("autocomplete", "off"), Attribute("maxlength", "200"),
            ]),
        ])
    }
    return .element(
      "form", [Attribute("class", "filters"), .flag("data-query")] + (live.map { [Attribute("data-live", $0)] } ?? []),
      fields + [.element("button", [Attribute("class", "btn"), Attribute("type", "submit")], text: "Show")])
  }
}

extension PageState {
  /// The query without the cursor, in the order of names.
  var filters: [(String, String)] {
    query.filter { $0.key != "after" && $0.key != "zone" }.sorted { $0.key < $1.key }.map {
      ($0.key, $0.value.cut(200))
    }
  }

  /// A filter as an argument; an empty one counts for none.
  func filter(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0.cut(400) } }
}
