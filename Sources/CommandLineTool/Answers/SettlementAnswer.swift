import TextCoding

/// The payments that settling a race would make, or made.
struct SettlementAnswer: ShownAnswer {
  struct Payout: Decodable {
    let place: Int
    let entryId: JSONValue
    let athleteId: JSONValue
    let amountPence: Int64
  }

  let raceId: JSONValue
  let outcome: String
  let inputHash: String
  let feesPence: Int64
  let platformFeePence: Int64
  let prizePoolPence: Int64
  /// Refunded fees: all of them if the race is void.
  let refundedPence: Int64?
  let payouts: [Payout]
  let waitingFor: JSONValue?
  let settledAt: String?

  var waits: Bool { waitingFor.map { $0 != .null } ?? false }

  func text(_ style: Style) -> String {
    var head: String
    if let settledAt {
      head = style("race \(raceId.shown) is settled: \(Printable.line(outcome))", .green)
      head += ", \(Instants.text(settledAt))"
    } else if waits {
      head = style("race \(raceId.shown) is waiting", .yellow) + ": " + Printable.line(waitingText)
    } else {
      head = "race \(raceId.shown) would be settled: \(Printable.line(outcome)); nothing was written"
    }
    let sums = Pairs.text(
      [
        ("fees", Sterling.text(feesPence)), ("platform fee", Sterling.text(platformFeePence)),
        ("prize pool", Sterling.text(prizePoolPence)), ("refunds", Sterling.text(refundedPence ?? 0)),
        ("input hash", inputHash),
      ], style)
    let none = outcome == "void" ? "no payouts: no entry is ranked, so every fee is refunded" : "no payouts"
    guard !payouts.isEmpty else { return "\(head)\n\n\(sums)\n\n\(none)" }
    let table = Table(
      columns: [.right("PLACE"), .right("ENTRY"), .right("ATHLETE"), .right("AMOUNT")],
      rows: payouts.map {
        Table.Row([String($0.place), $0.entryId.shown, $0.athleteId.shown, Sterling.text($0.amountPence)])
      })
    return "\(head)\n\n\(sums)\n\n\(table.text(style))"
  }

  private var waitingText: String {
    guard let waitingFor, case .text(let until)? = waitingFor["until"] else { return waitingFor?.shown ?? "" }
    let activities = waitingFor["activities"]?.shown ?? "-"
    let reason = waitingFor["reason"]?.shown ?? "review"
    let what = reason == "provider" ? "claims" : "activities"
    return "\(reason), until \(Instants.text(until))" + (activities == "-" ? "" : ", for \(what) \(activities)")
  }
}
