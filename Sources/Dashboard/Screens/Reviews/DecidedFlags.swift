import Markup
import TextCoding

/// The flags of an activity that were closed, each with the decision that closed it.
enum DecidedFlags {
  static func html(_ review: JSONValue, _ state: PageState) -> HTML {
    let flags = review.list("decidedFlags")
    let count = review.whole("decidedFlagsCount") ?? Int64(flags.count)
    guard count != 0 else { return HTML() }
    let rows = flags.prefix(20).map { flag -> [PageTable.Cell] in
      let athlete = flag.shown("flaggedBy")
      return [
        .html(
          .joined([
            StateText.html(flag.shown("reason"), "△", .muted), .text(flag.isTrue("counts") ? "" : " (did not count)"),
            .text(" by "), .link(["athletes", athlete], text: athlete), .text(" "), state.brief(flag.instant("at")),
            words(flag.shown("notes")),
          ]), "wide"),
        .html(decision(flag, state), "wide"),
      ]
    }
    let more = count > Int64(flags.count) ? ", the newest \(flags.count)" : ""
    return .tag("h3", "pad", text: "Decided flags: \(Amount.grouped(count))\(more)")
      + PageTable(
        label: "Decided flags",
        columns: [.text("flag"), .text("decision")], rows: Array(rows)
      ).html(orElse: "No flags are shown.")
  }

  private static func decision(_ flag: JSONValue, _ state: PageState) -> HTML {
    let closed = state.brief(flag.instant("closedAt"))
    guard let decision = flag.object("decision") else {
      return .joined([
        .text("closed "), closed, .text(" without a decision: the provider's id now belongs to another activity"),
      ])
    }
    let at = decision.instant("at")
    return .joined([
      StateText.html(decision.shown("decision")), .text(" "), state.brief(at), .text(" by "),
      .cut(decision.shown("reviewer")), words(decision.shown("reason")),
      at == flag.instant("closedAt") ? HTML() : .joined([.text(", closed "), closed]),
    ])
  }

  private static func words(_ text: String) -> HTML {
    text.isEmpty ? HTML() : .joined([.text(": "), .cut(text)])
  }
}
