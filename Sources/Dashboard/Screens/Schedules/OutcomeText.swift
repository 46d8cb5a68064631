import Markup

/// The outcomes of ticks in words. Source: Cron.docc/MissedTicks.md.
enum OutcomeText {
  /// A sign and a word, with their meaning in the title where the word alone is not plain.
  static func html(_ status: String) -> HTML {
    guard let meaning = meaning(status) else { return StateText.html(status) }
    return .element("span", [Attribute("title", meaning)], [StateText.html(status)])
  }

  static func meaning(_ status: String) -> String? {
    switch status {
    case "coalesced": "the tick was missed, and a later one runs instead"
    case "skipped": "the tick does not run, for the reason shown next to it"
    default: nil
    }
  }

  /// Stands below a list of outcomes.
  static let legend: HTML = .tag(
    "p", "legend notes muted",
    [
      StateText.html("coalesced"), .text(": the tick was missed, and a later one runs instead. "),
      StateText.html("skipped"), .text(": the tick does not run. "),
      .text("A tick is missed if it is planned more than 60 seconds after its instant."),
    ])

  /// What a schedule does with its missed ticks.
  static func policy(_ missed: String) -> String {
    switch missed {
    case "skip": "skip: no tick runs"
    case "once": "once: the latest tick runs"
    case "all": "all: every tick runs"
    default: missed
    }
  }
}
