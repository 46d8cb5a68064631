import ControlAPI
package import Markup

extension ChangeDialog {
  /// Nothing where the caller may not run the command.
  package func html(_ state: PageState) -> HTML {
    guard state.mayRun(command) else { return HTML() }
    return button + dialog
  }

  private var button: HTML {
    var attributes = [
      Attribute("type", "button"), Attribute("class", "btn \(tone)"), Attribute("data-opens", id),
    ]
    if let key { attributes.append(Attribute("data-focus", String(key))) }
    let hint = key.map { HTML(text: " ") + .element("kbd", text: String($0)) } ?? HTML()
    return .element("button", attributes, [HTML(text: label), hint])
  }

  private var dialog: HTML {
    .element(
      "dialog", [Attribute("id", id), Attribute("aria-labelledby", id + "-title")],
      [
        .element(
          "form", [Attribute("method", "dialog"), Attribute("data-command", command.name)],
          [.element("h2", [Attribute("id", id + "-title")], text: label)]
            + [HTML(text: command.summary)].map { .element("p", [Attribute("class", "muted")], [$0]) }
            + comparison + hidden + written
            + [
              .element("p", [Attribute("class", "muted")], text: "The same by command line:"),
              .element("pre", [], [.element("code", [Attribute("data-line", line)], text: line)]),
              .element("output", [Attribute("class", "refusal"), Attribute("role", "alert")]),
              .element(
                "p", [Attribute("class", "act")],
                [
                  .element("button", [Attribute("class", "btn \(tone)"), Attribute("value", "run")], text: label),
                  .element(
                    "button",
                    [
                      Attribute("class", "btn"), Attribute("value", "cancel"), Attribute.flag("formnovalidate"),
                      Attribute("type", "button"), Attribute.flag("data-closes"),
                    ], text: "Cancel"),
                ]),
            ])
      ])
  }

  private var comparison: [HTML] {
    guard !before.isEmpty || !after.isEmpty else { return [] }
    return [
      .element(
        "div", [Attribute("class", "change")],
        [
          .element("div", [], [.element("h3", text: "Before"), before]),
          .element("div", [], [.element("h3", text: "After"), after]),
        ])
    ]
  }

  private var hidden: [HTML] {
    arguments.map { name, value in
      .void(
        "input",
        [
          Attribute("type", "hidden"), Attribute("name", name), Attribute("value", value.shown),
          Attribute("data-kind", command.parameter(name)?.kind.rawValue ?? "text"),
        ])
    }
  }

  private var written: [HTML] {
    let reason = command.parameter("reason").map { _ in ["reason"] } ?? []
    return (fields + reason).compactMap { name in
      guard let parameter = command.parameter(name) else { return nil }
      let fieldId = id + "-" + name
      var attributes = [
        Attribute("id", fieldId), Attribute("name", name), Attribute("data-kind", parameter.kind.rawValue),
      ]
      if parameter.isRequired || name == "reason" { attributes.append(.flag("required")) }
      let field: HTML =
        name == "reason"
        ? .element("textarea", attributes + [Attribute("maxlength", 1000)])
        : .void("input", attributes + [Attribute("maxlength", 1000)])
      return .element(
        "p", [Attribute("class", "field")],
        [.element("label", [Attribute("for", fieldId)], text: parameter.meaning), field])
    }
  }

  /// Without what the operator writes: page.js adds that.
  private var line: String {
    let positional = Set(command.arguments.map(\.name))
    let ordered = arguments.filter { positional.contains($0.name) } + arguments.filter { !positional.contains($0.name) }
    let parts = ordered.map { name, value in
      switch value {
      case _ where positional.contains(name): ShellWord.quoted(value.shown)
      case .boolean(let flag): flag ? "--" + Self.option(name) : ""
      default: "--" + Self.option(name) + " " + ShellWord.quoted(value.shown)
      }
    }
    return (["settlectl"] + command.words + parts.filter { !$0.isEmpty }).joined(separator: " ")
  }

  /// `expectHash` is `--expect-hash`.
  private static func option(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { out, scalar in
      if scalar.properties.isUppercase { out += "-" }
      out += scalar.properties.lowercaseMapping
    }
  }
}

extension ParameterValue {
  /// As a query or a command line has it.
  package var shown: String {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .boolean(let flag): String(flag)
    }
  }
}
