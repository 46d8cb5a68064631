import Markup
import TextCoding

/// Payments of a settlement.
enum RacePurse {
  private static let rowsMax = 50

  /// `answer`: a settlement or its preview.
  static func payouts(_ answer: JSONValue, _ state: PageState) -> HTML {
    let rows = answer.list("payouts").prefix(rowsMax).map { payout -> [PageTable.Cell] in
      let athlete = payout.shown("athleteId")
      return [
        .text(payout.shown("place")), .text(payout.shown("entryId")),
        .html(athlete.isEmpty ? HTML() : .link(["athletes", athlete], text: athlete)),
        .text(payout.pounds("amountPence"), "strong"),
      ]
    }
    let columns: [PageTable.Column] = [.number("place"), .number("entry"), .number("athlete"), .number("pays")]
    return PageTable(label: "Payouts", columns: columns, rows: Array(rows)).html(orElse: "There are no payouts.")
  }

  /// Of a race that is not settled: what a settlement would come to.
  static func sums(_ answer: JSONValue) -> HTML {
    Facts.html([
      ("outcome", .text(answer.shown("outcome").shownAsWords)), ("fees", .text(answer.pounds("feesPence"))),
      ("platform fee", .text(answer.pounds("platformFeePence"))),
      ("percent", .text(answer.shown("platformFeePercent"))), ("pool", .text(answer.pounds("prizePoolPence"))),
      ("refunded", .text(answer.pounds("refundedPence"))),
      ("shares", .text(answer.list("shares").compactMap(\.integer).map { String($0) }.joined(separator: " : "))),
    ])
  }
}
