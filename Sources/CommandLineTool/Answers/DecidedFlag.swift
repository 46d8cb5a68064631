/// A flag that was closed, with the decision that closed it.
struct DecidedFlag: Decodable {
  struct Decision: Decodable {
    let decision: String
    let reviewer: String
    let reason: String
  }

  let flaggedBy: Int64
  let reason: String
  let notes: String?
  let closedAt: String
  /// Nil if the activity lost its id at the provider instead.
  let decision: Decision?

  /// `count`: of all, of which the newest are `flags`.
  static func table(_ flags: [DecidedFlag], of count: Int, _ style: Style) -> String {
    let more = count - flags.count
    return Table(
      columns: [
        .left("DECIDED FLAG", shrinks: true), .right("BY USER"), .left("CLOSED"), .left("DECISION"),
        .left("REVIEWER", shrinks: true),
      ],
      rows: flags.map { flag in
        Table.Row(
          [
            flag.reason, String(flag.flaggedBy), Instants.text(flag.closedAt), flag.decision?.decision ?? "none",
            flag.decision?.reviewer ?? "-",
          ], detail: flag.words)
      }
    ).text(style) + (more > 0 ? "\nand \(Counted.text(more, "decided flag")) more" : "")
  }

  /// The flag's note, and the decision's reason.
  private var words: String? {
    let texts = [notes, decision.map { "decided: \($0.reason)" }].compactMap(\.self).filter { !$0.isEmpty }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }
}
