import Markup
import TextCoding

/// What each decision does, in words.
enum Consequences {
  private static let racesMax = 4

  /// Of decisions that may be made.
  static func html(_ review: JSONValue, _ state: PageState) -> HTML {
    let all = [
      ("approve", "A", Mood.good, approval(review, state)), ("disqualify", "D", .bad, disqualification(review)),
      ("requestInfo", "I", .accent, question(review, state)),
    ]
    let open = all.filter { name, _, _, _ in review["refusals"]?.shown(name).isEmpty ?? true }
    return open.isEmpty
      ? HTML()
      : .tag(
        "ul", "then",
        open.map { _, letter, mood, text in .tag("li", "", [.badge(letter, mood), .tag("p", "", [text])]) })
  }

  static func approval(_ review: JSONValue, _ state: PageState) -> HTML {
    let flags = review.whole("openFlags") ?? 0
    let head =
      flags == 0
      ? "The activity will count."
      : "The activity will count; \(Amount.counted(flags, "flag", "flags")) will be closed."
    return .joined(
      [.text(head)]
        + review.list("affected").prefix(racesMax).flatMap { race -> [HTML] in
          guard let outcome = race.object("approve") else { return [] }
          return [.text(" Race \(race.shown("raceId")) "), then(outcome, race, state)]
        })
  }

  /// What a race does once the decision is made.
  private static func then(_ outcome: JSONValue, _ race: JSONValue, _ state: PageState) -> HTML {
    if let waiting = outcome.object("waitingFor") {
      return .joined([
        .text("will still wait (\(waiting.shown("reason").shownAsWords)) until "),
        state.exact(waiting.instant("until")), .text("."),
      ])
    }
    if outcome["nets"] != nil { return .text("will be corrected: \(outcome.count("netsCount")) wallets will change.") }
    if outcome["payouts"] == nil { return .text("will only refund \(outcome.count("refundsCount")) entries.") }
    return .text(
      race["field"]?.shown("status") == "ended"
        ? "will be settled immediately." : "will not be waiting for anything else when it is due.")
  }

  static func disqualification(_ review: JSONValue) -> HTML {
    var text = "Only review overrule can undo this."
    for race in review.list("affected").prefix(racesMax) {
      let entry = race["field"]?.whole("entryId")
      let refunds = race.object("disqualify")?.list("refunds") ?? []
      let own = refunds.first { $0.whole("entryId") == entry }?.pounds("amountPence") ?? ""
      text +=
        " Entry \(entry ?? 0) will be removed from race \(race.shown("raceId"))"
        + (own.isEmpty ? "." : ", and \(own) will be refunded.")
    }
    return .text(text)
  }

  static func question(_ review: JSONValue, _ state: PageState) -> HTML {
    let until = review.list("affected").compactMap { $0["now"]?.object("waitingFor")?.instant("until") }.max()
    return .joined([
      .text("The activity will stay under review, and the review will keep escalating."),
      until.map {
        .joined([.text(" The race will still be settled without this activity at "), state.exact($0), .text(".")])
      } ?? HTML(),
    ])
  }
}
