import Markup
import TextCoding

/// The rows of `ledger.days`.
enum LedgerDayTable {
  private static let sums = [
    ("fees", "feesPence"), ("prizes", "prizesPence"), ("refunds", "refundsPence"), ("deposits", "depositsPence"),
    ("withdrawals", "withdrawalsPence"),
  ]

  static func numbers(_ days: [JSONValue]) -> HTML {
    PlotNumbers.html(
      "money by day", [.text("day"), .number("journals")] + sums.map { .number($0.0) },
      days.map { day in
        [.text(day.shown("day").cut(20)), .text(day.count("journals"))] + sums.map { .text(day.pounds($0.1)) }
      })
  }
}
