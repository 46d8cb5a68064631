import ControlAPI
package import Markup

extension ChangeDialog {
  /// Nothing where the caller may not run the command.
  package func html(_ state: PageState) -> HTML {
    guard state.mayRun(command) else { return HTML() }
    return button + dialog(state.place)
  }

  private var button: HTML {
    var attributes = [
      Attribute("type", "button"), Attribute("class", "btn \(tone)"), Attribute("data-opens", id),
    ]
    if let key { attributes.append(Attribute("data-focus", String(key))) }
    let hint = key.map { HTML(text: " ") + .element("kbd", text: String($0)) } ?? HTML()
    return .element("button", attributes, [HTML(text: label), hint])
  }

  private func dialog(_ place: DaemonPlace) -> HTML {
    .element(
      "dialog", [Attribute("id", id), Attribute("aria-labelledby", id + "-title")],
      [
        .element(
          "form", [Attribute("method", "dialog"), Attribute("data-command", command.name)],
          [.element("h2", [Attribute("id", id + "-title")], text: label)]
            + [HTML(text: command.summary)].map { .element("p", [Attribute("class", "muted")], [$0]) }
            + comparison + hidden + written
            + [
              .element("p", [Attribute("class", "muted")], text: "On the command line:"),
              .element("pre", [], [.element("code", line(place), [])]),
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
        ])
    }
  }

  private var written: [HTML] {
    let reason = command.parameter("reason").map { _ in ["reason"] } ?? []
    return (fields + reason).compactMap { name in
      guard let parameter = command.parameter(name) else { return nil }
      let fieldId = id + "-" + name
      var attributes = [
        Attribute("id", fieldId), Attribute("name", name),
        Attribute("data-word", isPositional(name) ? "" : "--" + Self.option(name) + "="),
      ]
      if parameter.isRequired || name == "reason" { attributes.append(.flag("required")) }
      let field: HTML =
        if let values = choices[name] {
          .element(
            "select", attributes,
            [.element("option", [Attribute("value", "")], text: "")] + values.map { .element("option", [], text: $0) })
        } else if name == "reason" {
          .element("textarea", attributes + [Attribute("maxlength", 1000)])
        } else {
          .void("input", attributes + [Attribute("maxlength", 1000)])
        }
      return .element(
        "p", [Attribute("class", "field")],
        [.element("label", [Attribute("for", fieldId)], text: parameter.meaning), field])
    }
  }

  /// The command line in pieces, between which page.js puts what the operator writes: words and options, then options
  /// with their names in `data-word`, then `data-behind`, then what has no name.
  private func line(_ place: DaemonPlace) -> [Attribute] {
    let fixed = arguments.filter { isPositional($0.name) }.map { $0.value.shown }
    let options = arguments.filter { !isPositional($0.name) }.compactMap { name, value in
      switch value {
      case .boolean(let flag): flag ? "--" + Self.option(name) : nil
      default: "--" + Self.option(name) + "=" + ShellWord.quoted(value.shown)
      }
    }
    // Behind it a text that begins with a hyphen is not an option.
    let hasEnd = fixed.contains { $0.utf8.first == UInt8(ascii: "-") } || fields.contains(where: isPositional)
    let behind = (hasEnd ? ["--"] : []) + fixed.map(ShellWord.quoted)
    let socket = place.socket.map { ["--socket=" + ShellWord.quoted($0)] } ?? []
    return [
      Attribute("data-line", (["settlectl"] + command.words + socket + options).joined(separator: " ")),
      Attribute("data-behind", behind.joined(separator: " ")),
    ] + (place.host.map { [Attribute("data-host", ShellWord.quoted($0))] } ?? [])
  }

  /// Whether settlectl takes it without its name.
  private func isPositional(_ name: String) -> Bool { command.arguments.contains { $0.name == name } }

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
