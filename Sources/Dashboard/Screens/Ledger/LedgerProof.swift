import Markup
import TextCoding

/// The answer of `ledger.verify`.
enum LedgerProof {
  static func content(_ answer: JSONValue) -> [HTML] {
    let differences = answer.list("differences")
    let rows = differences.prefix(100).map { row -> [PageTable.Cell] in
      [
        .name(row.shown("account")), .text(row.shown("athleteId")), .text(row.pounds("stored")),
        .text(row.pounds("computed")),
        .name(row.shown("finding")), .text(row.shown("position")), .text(row.shown("journalId")),
      ]
    }
    let columns: [PageTable.Column] = [
      .text("account"), .number("athlete"), .number("stored"), .number("computed"), .text("finding"),
      .number("position"),
      .number("journal"),
    ]
    let (chain, kept) = (answer["chain"] ?? .null, answer.object("keptHead"))
    return [
      .tag(
        "p", differences.isEmpty ? "body good" : "body bad",
        [
          .sign(differences.isEmpty ? "✓" : "▲"),
          .text(
            " \(answer.count("accounts")) accounts, \(answer.count("journals")) journals and "
              + "\(answer.count("postings")) postings: "
              + Amount.counted(Int64(differences.count), "difference", "differences")),
        ]),
      Facts.html([
        ("chain", .tag("code", text: "\(chain.shown("position")):\(chain.shown("hash").cut(64))")),
        ("kept head", kept.map { .tag("code", text: "\($0.shown("position")):\($0.shown("hash").cut(64))") } ?? HTML()),
      ]),
      rows.isEmpty ? HTML() : PageTable(label: "Differences", columns: columns, rows: Array(rows)).html,
    ]
  }
}
