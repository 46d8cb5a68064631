import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let withdrawals = Screen(
    "withdrawals", title: "Withdrawals", key: "w", group: "Racing", parts: [.withdrawal, .withdrawalList])
}

extension Part {
  private static func ask(_ state: PageState) -> Ask {
    var ask = Ask("withdrawal.list", ["limit": .integer(100)])
    for name in ["status", "after"] { ask.arguments[name] = state.filter(name).map(ParameterValue.text) }
    return ask
  }

  fileprivate static let withdrawalList = Part("list", watches: [everyMinute, "command.*"]) { state in
    [ask(state), .status]
  } body: { state, replies in
    replies.card("Withdrawals", ask(state), state) { answer in
      let rows = answer.rows.map { row -> [PageTable.Cell] in
        let (id, athlete) = (row.shown("id"), row.shown("athleteId"))
        return [
          .html(.link(["withdrawals", id], query: state.filters, text: id)),
          .html(
            .link(
              ["athletes", athlete], [.cut(row.shown("displayName")), .text(" "), .tag("span", "muted", text: athlete)])
          ),
          .text(row.pounds("pence"), "strong"), .html(state.brief(row.instant("requestedAt"))),
          .html(StateText.html(row.shown("status"))),
          .text(row.whole("waitsMs").map { Amount.duration(milliseconds: $0) } ?? ""),
        ]
      }
      let columns: [PageTable.Column] = [
        .number("withdrawal"), .text("athlete"), .number("amount"), .text("requested"), .text("state"),
        .number("pending for"),
      ]
      let sum = answer.rows.reduce(Int64(0)) { $0 &+ ($1.whole("pence") ?? 0) }
      return CardContent(
        note: (state.filter("status") == nil ? "longest pending first" : "newest first")
          + ", \(Amount.pounds(sum)) on this page",
        right: Self.stop(replies[.status]?.answer, state),
        [
          .tag(
            "div", "choices",
            [Filters.choice(state, ["withdrawals"], "status", ["completed", "failed"], none: "pending")]),
          PageTable(label: "Withdrawals", columns: columns, rows: rows, isList: true).html(
            orElse: "No withdrawals are pending."),
          Pager.html(state, ["withdrawals"], next: answer["next"]?.text),
        ])
    }
  }

  /// Whether withdrawals are stopped, and the way back; both ways where the status is not known.
  private static func stop(_ status: JSONValue?, _ state: PageState) -> HTML {
    let finding = status?.list("findings").first { $0.shown("code") == "withdrawals-stopped" }
    var stop = ChangeDialog(.withdrawalsStop, [:], id: "withdrawals-stop", label: "Stop")
    (stop.before, stop.tone) = (.text("Athletes can withdraw."), "bad")
    stop.after = .text(
      """
      New withdrawals are refused until withdrawals are resumed. \
      Pending withdrawals can still be marked as completed or failed.
      """)
    var resume = ChangeDialog(.withdrawalsResume, [:], id: "withdrawals-resume", label: "Resume")
    (resume.before, resume.after, resume.tone) = (
      .text("Athletes cannot withdraw."), .text("Athletes can withdraw."), "good"
    )
    guard status != nil else { return .joined([stop.html(state), resume.html(state)]) }
    guard let finding else { return .joined([StateText.html("open", "●", .good), .text(" "), stop.html(state)]) }
    let since = finding.instant("since").map { HTML.joined([.text(" since "), state.brief($0), .text(" ")]) } ?? HTML()
    return .joined([StateText.html("stopped", "▲", .bad), since, resume.html(state)])
  }

  fileprivate static let withdrawal = Part("withdrawal", watches: ["command.*"]) { state in
    state.id == nil ? [] : [ask(state)]
  } body: { state, replies in
    guard let id = state.id, Int64(id) != nil else { return Card.unnumbered("Withdrawal", state) }
    return replies.card("Withdrawal \(id.cut(20))", ask(state), state) { answer in
      guard let row = answer.rows.first(where: { $0.shown("id") == id }), let number = row.whole("id") else {
        return CardContent([.none("This withdrawal is not on this page of the list.")])
      }
      let facts = Facts.html([
        ("athlete", .link(["athletes", row.shown("athleteId")], [.cut(row.shown("displayName"))])),
        ("amount", .text(row.pounds("pence"))),
        ("requested", state.exact(row.instant("requestedAt"))), ("state", StateText.html(row.shown("status"))),
      ])
      guard row.shown("status") == "pending" else { return CardContent([facts]) }
      let before = HTML.joined([StateText.html("pending"), .text(", \(row.pounds("pence"))")])
      var complete = ChangeDialog(.withdrawalComplete, ["id": .integer(number)], id: "complete", label: "Paid out")
      (complete.before, complete.after, complete.tone) = (
        before,
        .text(
          "The withdrawal is recorded as paid out. This cannot be undone. Enter the bank's reference in the reason."),
        "good"
      )
      var fail = ChangeDialog(.withdrawalFail, ["id": .integer(number)], id: "fail", label: "Not paid out")
      (fail.before, fail.after, fail.tone) = (before, .text("The money returns to the wallet."), "bad")
      return CardContent([facts, .tag("div", "act", [complete.html(state), fail.html(state)])])
    }
  }
}
