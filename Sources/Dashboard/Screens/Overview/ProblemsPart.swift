import ControlAPI
import Markup
import TextCoding

extension Part {
  static let problems = Part("problems", width: .half, watches: [everyMinute, "command.*"]) { _ in
    [.status, .reviews, .pendingWithdrawals, .provider]
  } body: { state, replies in
    replies.card("Problems", .status, state) { answer in
      let findings = answer["findings"].map(\.elements) ?? answer.list("problems").map { ["text": $0] }
      var content = [
        findings.isEmpty
          ? HTML.tag("p", "none good", [.sign("✓"), .text(" There are no problems.")])
          : .element(
            "ul", [Attribute("class", "problems"), .flag("data-list")],
            findings.enumerated().map { item($1, $0, state) })
      ]
      if case let notes = answer.list("notes").compactMap(\.text), !notes.isEmpty {
        content.append(.tag("ul", "notes muted", notes.map { .tag("li", "", [.cut($0)]) }))
      }
      content.append(waiting(state, replies))
      return CardContent(
        notes: .joined([StateText.html(answer.shown("state")), .text(" node "), .cut(answer.shown("node"))]),
        right: .joined([
          .text("settled \(answer.shown("version").cut(40)), schema \(answer.shown("schemaVersion"))"),
          .text(answer.isTrue("simulatedClock") ? ", simulated clock" : ""),
          .text(answer.whole("clockSkewMs").map { $0 == 0 ? "" : ", skew \(Amount.duration(milliseconds: $0))" } ?? ""),
        ]), content)
    }
  }

  private static func item(_ finding: JSONValue, _ index: Int, _ state: PageState) -> HTML {
    let held = finding.whole("heldPence")
    let isBad = held ?? 0 > 0 || finding.shown("code").contains("quarantin")
    var about: [HTML] = []
    if let since = finding.instant("since") {
      // Without the database the node has its own clock only.
      let shown = state.brief(since)
      about += [.text(" · since "), finding.shown("code") == "database-away" ? state.real(shown) : shown]
    }
    if let held { about.append(.text(", holds \(Amount.pounds(held))")) }
    if case let target = finding.shown("target"), !target.isEmpty, !finding.shown("text").contains(target) {
      about += [.text(" · "), .cut(target)]
    }
    let place = place(finding)
    let key = index < 9 ? String(index + 1) : nil
    let link = HTML.element(
      "a",
      [.link(place.path, place.query), Attribute("class", "btn")] + (key.map { [Attribute("data-key", $0)] } ?? []),
      [.text(place.name)] + (key.map { [.text(" "), .key($0)] } ?? []))
    return .tag(
      "li", "",
      [
        .badge(isBad ? "!" : "▲", isBad ? .bad : .warn),
        .tag("p", "what", [.cut(finding.shown("text")), .tag("span", "", about)]),
        .tag("p", "todo", [.withCode(finding.shown("remedy").cut(400))]), .tag("span", "go", [link]),
      ])
  }

  /// The screen on which a problem is looked into.
  private static func place(_ finding: JSONValue) -> (path: [String], query: [(String, String)], name: String) {
    let text = finding.shown("code") + " " + finding.shown("text").cut(200)
    func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
    switch true {
    case has("quarantin", "failing", "failed"): return (["failures"], [], "Failures")
    case has("provider", "strava", "Strava", "token"): return (["strava"], [], "Strava")
    case has("clock", "node", "silent"): return (["nodes"], [], "Nodes")
    case has("withdraw"): return (["withdrawals"], [], "Withdrawals")
    case has("ledger", "balance"): return (["ledger"], [], "Ledger")
    case has("paused"), has("overdue"):
      let job = finding.shown("target")
      return (["overview"], job.isEmpty ? [] : [("job", job.cut(100))], "Job")
    case has("schedule"): return (["schedules"], [], "Schedules")
    case has("review"): return (["reviews"], [], "Reviews")
    default: return (["doctor"], [], "Doctor")
    }
  }

  private static func waiting(_ state: PageState, _ replies: [Ask: Reply]) -> HTML {
    var parts: [HTML] = []
    if let rows = replies[.reviews]?.answer?.rows {
      let open = rows.filter { $0.whole("level") != nil }
      let oldest = open.compactMap { $0.instant("openedAt") }.min()
      let more = rows.count == 100 ? " or more" : ""
      parts.append(
        .link(
          ["reviews"],
          [.tag("b", text: "\(open.count)\(more)"), .text(open.count == 1 ? " review" : " reviews")]
            + (oldest.map { [.text(", the oldest \(state.age($0))")] } ?? [])))
    }
    if let answer = replies[.pendingWithdrawals]?.answer {
      let pence = answer.rows.reduce(Int64(0)) { $0 &+ ($1.whole("pence") ?? 0) }
      let more = answer.shown("next").isEmpty ? "" : " or more"
      parts.append(
        .link(
          ["withdrawals"],
          [
            .tag("b", text: "\(answer.rows.count)\(more)"),
            .text(" " + (answer.rows.count == 1 ? "withdrawal" : "withdrawals") + ", \(Amount.pounds(pence))"),
          ]))
    }
    if let needy = replies[.provider]?.answer?["states"]?.whole("needs_reauth") {
      parts.append(
        .link(
          ["strava"],
          [
            .tag("b", text: Amount.grouped(needy)), .text(needy == 1 ? " athlete" : " athletes"),
            .text(" must reconnect"),
          ]))
    }
    return parts.isEmpty ? HTML() : .tag("p", "wait", [.text("Waiting for you: "), .joined(parts, by: .text(" · "))])
  }
}
