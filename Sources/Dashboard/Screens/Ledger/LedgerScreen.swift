import ControlAPI
import Markup
import Plots
import TextCoding

extension Screen {
  static let ledger = Screen(
    "ledger", title: "Ledger", key: "l", group: "Racing",
    parts: [.ledgerJournal, .ledgerBalances, .ledgerHead, .ledgerMonth, .ledgerProof, .ledgerJournals])
}

extension Part {
  private static let balances = Ask("ledger.balances")

  fileprivate static let ledgerBalances = Part("balances", width: .third, watches: [everyMinute, "race.settled"]) { _ in
    [balances]
  } body: { state, replies in
    replies.card("Balances", balances, state) { answer in
      let wallets = answer["wallets"] ?? .null
      let pending = answer["pendingWithdrawals"] ?? .null
      var rows = answer.list("house").map { row -> [PageTable.Cell] in
        [.text("house: \(row.shown("account").cut(40))"), .empty, .text(row.pounds("pence"), "strong")]
      }
      rows += answer.list("pools").map { row in
        [
          .html(.joined([.text("pools: "), StateText.html(row.shown("status"))])),
          .text(Amount.counted(row.whole("races") ?? 0, "race", "races")), .text(row.pounds("pence"), "strong"),
        ]
      }
      rows.append([
        .text("wallets"), .text(Amount.counted(wallets.whole("count") ?? 0, "wallet", "wallets")),
        .text(wallets.pounds("pence"), "strong"),
      ])
      rows.append([
        .html(.link(["withdrawals"], text: "pending withdrawals")), .text(pending.count("count")),
        .text(pending.pounds("pence"), "strong"),
      ])
      rows.append([.text("receivables"), .empty, .text(answer.pounds("receivablePence"), "strong")])
      let largest = wallets.list("largest").map { row -> [PageTable.Cell] in
        let athlete = row.shown("athleteId")
        return [.html(.link(["athletes", athlete], text: athlete)), .text(row.pounds("pence"), "strong")]
      }
      return CardContent(
        notes: .joined([.text("at "), state.precise(answer.instant("at"))]),
        [
          PageTable(
            label: "Balances", columns: [.text("account"), .number("count"), .number("balance")], rows: rows
          ).html,
          .tag("h3", text: "Largest wallets"),
          PageTable(label: "Largest wallets", columns: [.number("athlete"), .number("balance")], rows: largest).html(
            orElse: "No wallet holds money."),
        ])
    }
  }

  private static let head = Ask("ledger.head")

  fileprivate static let ledgerHead = Part("chain", width: .third, watches: [everyMinute]) { _ in
    [head]
  } body: { state, replies in
    replies.card("The chain", head, state) { answer in
      let differences = answer.whole("differences") ?? 0
      let checked =
        answer.whole("verifiedTo").map { position in
          HTML.joined([
            .text("checked to \(Amount.grouped(position)) at "), state.exact(answer.instant("verifiedAt")),
          ])
        } ?? .text("not checked yet")
      return CardContent(
        right: .element("a", [.link(["ledger"], [("verify", "1")]), Attribute("class", "btn")], text: "Verify now"),
        [
          .tag(
            "p", differences == 0 ? "body good" : "body bad",
            [
              .sign(differences == 0 ? "✓ " : "▲ "), checked,
              .text(differences == 0 ? "" : ", \(Amount.counted(differences, "difference", "differences"))"),
            ]),
          Facts.html([
            ("position", .text(answer.count("position"))),
            ("journal", answer.whole("journal").map { .link(["ledger", String($0)], text: String($0)) } ?? HTML()),
            ("booked", state.exact(answer.instant("at"))), ("hash", .tag("code", text: answer.shown("hash").cut(64))),
          ]),
        ])
    }
  }

  private static func verifyAsk(_ state: PageState) -> Ask? {
    state.filter("verify") == nil ? nil : Ask("ledger.verify")
  }

  fileprivate static let ledgerProof = Part("proof", isOnDemand: true) { state in
    verifyAsk(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = verifyAsk(state) else { return HTML() }
    return replies.card("Verification", ask, state) {
      CardContent(note: "all balances and the chain", LedgerProof.content($0))
    }
  }

  private static func monthAsk(_ state: PageState) -> Ask {
    Ask("ledger.days", state.zonedArguments(state.span(daysBack: 89)))
  }

  fileprivate static let ledgerMonth = Part("days", width: .third, watches: ["race.settled"]) { state in
    state.id == nil ? [monthAsk(state)] : []
  } body: { state, replies in
    guard state.id == nil else { return HTML() }
    return replies.card("Money per day", monthAsk(state), state) { answer in
      let days = answer.list("days")
      let bars = days.map { day in
        let names = ["prizesPence", "refundsPence", "depositsPence", "withdrawalsPence"]
        let values = names.map { day.whole($0) ?? 0 }
        let title =
          "\(DayText.short(day)): fees \(day.pounds("feesPence")), prizes \(day.pounds("prizesPence")), "
          + "refunds \(day.pounds("refundsPence")), deposits \(day.pounds("depositsPence")), withdrawn \(day.pounds("withdrawalsPence"))"
        return BarPlot.Bar(
          label: DayText.short(day), title: title,
          pieces: zip(values, [.main, .held, .light, .grey] as [Tone]).map { .init($0, $1) })
      }
      let plot = BarPlot(
        label: "Prizes, refunds, deposits and withdrawals per day over the last 90 days", bars: bars, width: 380
      ) {
        $0 >= 1_000_000 ? "£" + Amount.grouped($0 / 100_000) + "k" : "£" + Amount.grouped($0 / 100)
      }
      return CardContent(
        note: "90 days in \(answer.shown("zone").cut(60))",
        [
          Card.body([
            plot.svg,
            Swatches.html([("prizes", .main), ("refunds", .held), ("deposits", .light), ("withdrawn", .grey)]),
          ]), LedgerDayTable.numbers(days),
        ])
    }
  }
}
