import Engine
import TextCoding
import Money
import Postgres

/// The result of a race as things stand: what it pays, or what its correction books.
///
/// Lists of refunds and of net amounts stop at `listMax`; a count has the full number.
struct ReviewOutcome {
  static let listMax = 500

  /// As operators see it.
  let json: JSONValue
  /// Who gets what, of everybody: what a decision rests on. The wait is not part of it, because it passes with time.
  let effects: JSONValue

  /// Those whom `json` names, by entry or by athlete.
  var people: (entries: [Int64], athletes: [Int64]) {
    let rows = ["payouts", "refunds", "nets"].flatMap { json[$0]?.elements ?? [] }
    return (rows.compactMap { $0["entryId"]?.integer }, rows.compactMap { $0["athleteId"]?.integer })
  }

  init(_ task: SettlementTask) throws {
    switch task.work {
    case .none:
      json = .object(Self.refunds(task.refunds, max: Self.listMax))
      effects = .object(Self.refunds(task.refunds))
    case .settlement(let input, _):
      let result = try Settlement.settle(input)
      let decision = try Settlement.decide(input)
      let waiting = SettlementPreview.WaitingFor(decision)
      let refunds = task.refunds + result.refunds
      json = .object(
        Self.result(result) + Self.refunds(refunds, max: Self.listMax)
          + [("waitingFor", waiting.map(SettlementPreview.waiting) ?? .null)])
      effects = .object(Self.result(result) + Self.refunds(refunds))
    case .correction(let input, _):
      let revision = try Correction.revise(input)
      let result = try revision?.result ?? Settlement.settle(input.settlement)
      let shared =
        Self.result(result) + [("revision", revision.map { .integer(Int64($0.number)) } ?? .null)]
      json = .object(shared + Self.nets(revision, max: Self.listMax))
      effects = .object(shared + Self.nets(revision))
    }
  }

  private static func result(_ result: SettlementResult) -> [(String, JSONValue)] {
    [
      ("outcome", .text(result.outcome.rawValue)), ("prizePoolPence", .integer(result.pool.amount)),
      ("payouts", result.payoutsJSON),
    ]
  }

  private static func refunds(_ refunds: [Refund], max: Int = .max) -> [(String, JSONValue)] {
    [
      (
        "refunds",
        .array(
          refunds.prefix(max).map {
            ["entryId": .integer($0.entryId), "amountPence": .integer($0.amount.amount)]
          })
      ),
      ("refundsCount", .integer(Int64(refunds.count))),
    ]
  }

  private static func nets(_ revision: Revision?, max: Int = .max) -> [(String, JSONValue)] {
    let amounts = revision?.netAmounts ?? []
    return [
      (
        "nets",
        .array(
          amounts.prefix(max).map {
            ["athleteId": .integer($0.athleteId), "amountPence": .integer($0.amount.amount)]
          })
      ),
      ("netsCount", .integer(Int64(amounts.count))),
    ]
  }
}
