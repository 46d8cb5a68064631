import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let failures = Screen(
    "failures", title: "Failures", key: "f", group: "System", parts: [.failure, .failureList])
}

extension Part {
  private static let pageSize: Int64 = 100

  private static func ask(_ state: PageState) -> Ask {
    var ask = Ask("failures", ["limit": .integer(pageSize)])
    if let after = state.filter("after").flatMap({ Int64($0) }) { ask.arguments["after"] = .integer(after) }
    if let only = state.filter("quarantined") { ask.arguments["quarantined"] = .boolean(only == "true") }
    return ask
  }

  fileprivate static let failureList = Part("list", watches: [everyMinute, "command.*"]) { state in
    [ask(state)]
  } body: { state, replies in
    replies.card("Failures", ask(state), state) { answer in
      let columns: [PageTable.Column] = [
        .number("failure"), .text("job"), .text("key"), .text("state"), .text("attempts"), .text("first"),
        .text("last"),
        .text("next"), .text("SQLSTATE"), .number("holds"), .text("error"),
      ]
      let next = answer.rows.count == Int(pageSize) ? answer.rows.last?.shown("id") : nil
      return CardContent(
        note: "quarantined first",
        [
          .tag(
            "div", "choices",
            [
              Filters.choice(
                state, ["failures"], "quarantined", ["true", "false"],
                words: ["true": "quarantined", "false": "retried"])
            ]),
          PageTable(label: "Failures", columns: columns, rows: answer.rows.map { row(state, $0) }, isList: true)
            .html(orElse: "Nothing has failed."),
          Pager.html(state, ["failures"], next: next),
        ])
    }
  }

  private static func row(_ state: PageState, _ failure: JSONValue) -> [PageTable.Cell] {
    let id = failure.shown("id")
    return [
      .html(.link(["failures", id], query: state.filters, text: id)), .name(failure.shown("job").cut(60)),
      .html(key(failure)), .html(word(failure)), .html(attempts(failure)),
      .html(real(state.brief(failure.instant("firstAt")), failure, state), "muted"),
      .html(real(state.brief(failure.instant("lastAt")), failure, state)),
      .html(real(state.brief(failure.instant("nextAttemptAt")), failure, state)),
      .html(.tag("code", text: failure.shown("sqlState").cut(10))),
      .text(failure.pounds("heldPence"), "strong"), .name(failure.shown("error").cut(90)),
    ]
  }

  /// Attempts are made in real time. The problem of a schedule has no number, and times of the database's clock.
  private static func real(_ instant: HTML, _ failure: JSONValue, _ state: PageState) -> HTML {
    failure.whole("id") == 0 ? instant : state.real(instant)
  }

  private static func word(_ failure: JSONValue) -> HTML {
    if !failure.shown("dropped").isEmpty { return StateText.html("dropped") }
    return failure.isTrue("quarantined") ? StateText.html("quarantined") : StateText.html("failing", "▲", .warn)
  }

  /// A race's or an activity's own screen, where the job names what its keys are.
  private static func key(_ failure: JSONValue) -> HTML {
    let (job, key) = (failure.shown("job"), failure.shown("key"))
    guard Int64(key) != nil else { return .cut(key.cut(60)) }
    if job.hasPrefix("race-") { return .link(["races", key], text: key) }
    if ["activity-validation", "flag-escalation", "activity-streams"].contains(job) {
      return .link(["reviews", key], text: key)
    }
    return .text(key)
  }

  private static func attempts(_ failure: JSONValue) -> HTML {
    let count = max(0, failure.whole("attempts") ?? 0)
    let signs = String(repeating: "▲", count: Int(min(8, count)))
    return .joined([
      .element("span", [Attribute("class", "bad"), Attribute("aria-hidden", "true")], text: signs),
      .text(" \(Amount.grouped(count))"),
    ])
  }

  fileprivate static let failure = Part("failure", watches: [everyMinute, "command.*"]) { state in
    state.id == nil ? [] : [ask(state)]
  } body: { state, replies in
    guard let id = state.id else { return HTML() }
    return replies.card("Failure \(id.cut(20))", ask(state), state) { answer in
      guard let failure = answer.rows.first(where: { $0.shown("id") == id }) else {
        return CardContent([
          .none("This failure is not on this page of the list; its item may have succeeded since.")
        ])
      }
      return CardContent(
        right: word(failure),
        [
          Facts.html([
            ("job", .cut(failure.shown("job"))), ("key", key(failure)), ("attempts", .text(failure.count("attempts"))),
            ("first", real(state.exact(failure.instant("firstAt")), failure, state)),
            ("last", real(state.exact(failure.instant("lastAt")), failure, state)),
            ("next attempt", real(state.exact(failure.instant("nextAttemptAt")), failure, state)),
            ("SQLSTATE", .tag("code", text: failure.shown("sqlState").cut(10))),
            ("holds", .text(failure.pounds("heldPence"))),
            ("dropped", .cut(failure.shown("dropped").cut(400))),
          ]), .tag("pre", "error", [.name(failure.shown("error").cut(4_000))]), changes(failure, state),
        ])
    }
  }

  private static func changes(_ failure: JSONValue, _ state: PageState) -> HTML {
    guard let id = failure.whole("id") else { return HTML() }
    let before = HTML.joined([
      word(failure), .text(", \(Amount.counted(failure.whole("attempts") ?? 0, "attempt", "attempts"))"),
    ])
    var retry = ChangeDialog(.failureRetry, ["id": .integer(id)], id: "retry", label: "Retry")
    (retry.before, retry.after, retry.tone) = (
      before, .text("The item is retried now, and its attempt count is reset."), "good"
    )
    var drop = ChangeDialog(.failureDrop, ["id": .integer(id)], id: "drop", label: "Drop")
    (drop.before, drop.tone) = (before, "bad")
    drop.after = .text("The item is skipped until its inputs change. The daemon refuses this if the item holds money.")
    let dialogs = [retry.html(state), drop.html(state)]
    return dialogs.allSatisfy(\.isEmpty) ? HTML() : .tag("div", "act", dialogs)
  }
}
