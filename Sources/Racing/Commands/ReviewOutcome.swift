import Engine
import TextCoding
import Money
import Postgres

/// The result of a race as things stand: what it pays, or what its correction books.
///
/// Lists of refunds and of net amounts stop at `listMax`; a count says how many there are.
struct ReviewOutcome {
  static let listMax = 500

  let json: JSONValue

  init(_ task: SettlementTask) throws {
    func refunds(_ more: [Refund] = []) -> JSONValue {
      .array(
        (task.refunds + more).prefix(Self.listMax).map {
          ["entryId": .integer($0.entryId), "amountPence": .integer($0.amount.amount)]
        })
    }
    func count(_ more: [Refund] = []) -> JSONValue { .integer(Int64(task.refunds.count + more.count)) }
    switch task.work {
    case .none: json = ["refunds": refunds(), "refundsCount": count()]
    case .settlement(let input, _):
      let result = try Settlement.settle(input)
      let decision = try Settlement.decide(input)
      let waiting = SettlementPreview.WaitingFor(decision)
      json = [
        "outcome": .text(result.outcome.rawValue), "prizePoolPence": .integer(result.pool.amount),
        "payouts": result.payoutsJSON, "refunds": refunds(result.refunds),
        "refundsCount": count(result.refunds),
        "waitingFor": waiting.map(SettlementPreview.waiting) ?? .null,
      ]
    case .correction(let input, _):
      let revision = try Correction.revise(input)
      let result = try revision?.result ?? Settlement.settle(input.settlement)
      json = [
        "outcome": .text(result.outcome.rawValue), "prizePoolPence": .integer(result.pool.amount),
        "payouts": result.payoutsJSON, "revision": revision.map { .integer(Int64($0.number)) } ?? .null,
        "nets": .array(
          (revision?.netAmounts ?? []).prefix(Self.listMax).map {
            ["athleteId": .integer($0.athleteId), "amountPence": .integer($0.amount.amount)]
          }),
        "netsCount": .integer(Int64(revision?.netAmounts.count ?? 0)),
      ]
    }
  }
}
