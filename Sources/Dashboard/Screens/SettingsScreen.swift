import Markup
import TextCoding

extension Screen {
  static let settings = Screen("settings", title: "Settings", key: "x", group: "Machine", parts: [.settings])
}

extension Part {
  fileprivate static let settings = Part("settings", watches: ["command.set"]) { _ in
    [Ask("settings")]
  } body: { state, replies in
    replies.rendered(Ask("settings"), state) { answer in
      .element(
        "section", [Attribute("class", "card")],
        [
          .element(
            "table", [],
            [
              .element(
                "tbody", [],
                answer.elements.map { row in
                  .element(
                    "tr", [],
                    [
                      .element("th", [Attribute("scope", "row")], text: row["key"]?.text ?? ""),
                      .element("td", [], text: row["value"]?.text ?? row["value"]?.serialized ?? ""),
                      .element("td", [], text: row["meaning"]?.text ?? ""),
                    ])
                })
            ])
        ])
    }
  }
}
