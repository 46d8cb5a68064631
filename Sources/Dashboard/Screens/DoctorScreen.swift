import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let doctor = Screen("doctor", title: "Doctor", key: "d", group: "System", parts: [.checks])
}

extension Part {
  private static let ask = Ask("doctor")

  fileprivate static let checks = Part("checks", watches: ["command.*"]) { _ in
    [ask]
  } body: { state, replies in
    replies.card("Checks", ask, state) { answer in
      let checks = answer.rows.filter { !$0.isTrue("ok") } + answer.rows.filter { $0.isTrue("ok") }
      let good = answer.rows.filter { $0.isTrue("ok") }.count
      let rows = checks.map { row -> [PageTable.Cell] in
        [
          .html(row.isTrue("ok") ? StateText.html("ok") : StateText.html("failed", "▲", .bad)),
          .name(row.shown("check"), "strong"),
          .html(.name(row.shown("finding").cut(400)), "wide"), .html(.withCode(row.shown("remedy").cut(400)), "wide"),
        ]
      }
      return CardContent(
        right: StateText.html(
          "\(good) of \(checks.count) ok", good == checks.count ? "✓" : "▲", good == checks.count ? .good : .warn),
        [
          PageTable(
            label: "Checks", columns: [.text("state"), .text("check"), .text("finding"), .text("remedy")], rows: rows
          )
          .html(orElse: "Nothing was checked.")
        ])
    }
  }
}
