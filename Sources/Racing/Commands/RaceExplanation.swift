import Engine
import TextCoding
import Operations
import Money
import Postgres

/// Why a race pays what it pays, or waits: from the settlement's own gather and decision.
enum RaceExplanation {
  /// Entries of a ranking that one answer shows.
  static let pageMax = 500

  /// Adds `ranking`, `split` and `hold` to a race's JSON: of the ranking one page, the first `after` entries left out,
  /// and in `rankingCount` how many entries it has.
  static func add(to shown: JSON, of race: Int64, after: Int = 0, in transaction: Transaction) async throws -> JSON {
    let now = try await BusinessClock.read(transaction)
    guard let (row, input, provenance) = try await SettlementGather.explain(race, at: now, in: transaction) else {
      throw CommandError(.refused, rule: "status", "race \(race) is cancelled: every fee was refunded")
    }
    let result = try Settlement.settle(input)
    var refunded = Pence(try await transaction.query(goneBack(race)).one(Int64.self))
    if row.status != .settled { refunded = try refunded + Pence.sum(result.refunds.lazy.map(\.amount)) }
    let page = result.ranking.dropFirst(after).prefix(pageMax)
    let heldOf = Dictionary(
      input.held.map { ($0.athleteId, "activity \($0.id) is held for review") }
        + input.claims.map { ($0.athleteId, "claim \($0.id) is waiting for the provider's reply") }
        + input.unlisted.map {
          ($0.athleteId, "the athlete's activities cannot be listed because of the provider's read limit")
        },
      uniquingKeysWith: { first, _ in first })
    let rows = try await transaction.query(people(page.map(\.entryId))).decode(Int64.self, String.self, String.self)
    let people = Dictionary(rows.map { ($0.0, (name: $0.1, status: $0.2)) }) { first, _ in first }
    let more: JSONValue = [
      "ranking": .array(page.map { ranked($0, people[$0.entryId], held: heldOf[$0.athleteId]) }),
      "rankingCount": .integer(Int64(result.ranking.count)),
      "split": split(result, refunded: refunded, input),
      "hold": hold(row.status == .ended ? try Settlement.decide(input) : nil, input, provenance),
    ]
    let statement: Statement = "SELECT \(shown) || \(more.json)"
    return try await transaction.query(statement).one(JSON.self)
  }

  /// Fees of entries that are out: given back, or about to be.
  static func goneBack(_ race: Int64) -> Statement {
    """
    SELECT coalesce(sum(fee_pence), 0)::bigint FROM racing.entry
    WHERE race_id = \(race) AND (is_refunded OR status = 'disqualified')
    """
  }

  /// Of each entry its athlete's name, and its status.
  static func people(_ entries: [Int64]) -> Statement {
    """
    SELECT e.id, a.display_name, e.status FROM racing.entry AS e JOIN racing.athlete AS a ON a.id = e.athlete_id
    WHERE e.id = ANY(\(entries))
    """
  }

  private static func ranked(
    _ entry: RankedEntry, _ person: (name: String, status: String)?, held: String?
  ) -> JSONValue {
    let why: String
    switch (entry.rank, entry.activityId) {
    case (let rank?, let activity?):
      let prize = entry.prize > .zero ? ", wins \(entry.prize)" : ", no prize"
      why = "place \(rank) with activity \(activity)\(prize)"
    default:
      why = held ?? "no activity counts: none in the window is verified, imported in time and long enough"
    }
    return [
      "rank": entry.rank.map { .integer(Int64($0)) } ?? .null, "entryId": .integer(entry.entryId),
      "athleteId": .integer(entry.athleteId), "displayName": .text(person?.name ?? ""),
      "entryStatus": .text(person?.status ?? ""), "activityId": entry.activityId.map(JSONValue.integer) ?? .null,
      "score": entry.score.map(JSONValue.integer) ?? .null, "why": .text(why),
    ]
  }

  private static func split(_ result: SettlementResult, refunded: Pence, _ input: SettlementInput) -> JSONValue {
    [
      "outcome": .text(result.outcome.rawValue), "feesPence": .integer(result.fees.amount),
      "platformFeePercent": .text("\(input.percent)"), "platformFeePence": .integer(result.platformFee.amount),
      "prizePoolPence": .integer(result.pool.amount), "refundedPence": .integer(refunded.amount),
      "shares": .array(input.shares.inOrder.map(JSONValue.integer)),
      "payouts": .array(
        result.payouts.map {
          [
            "place": .integer(Int64($0.place)), "entryId": .integer($0.entryId),
            "amountPence": .integer($0.amount.amount),
          ]
        }),
    ]
  }

  /// The thing that the race waits for, and until when: `reason` as in waitingFor. Claims stand apart from
  /// activities, in `claims` and `heldClaims`.
  private static func hold(_ decision: SettlementDecision?, _ input: SettlementInput, _ provenance: Provenance)
    -> JSONValue
  {
    let open = Set(input.claims.map(\.id))
    func ids(_ ids: [Int64], claims: Bool) -> JSONValue {
      .array(ids.filter { open.contains($0) == claims }.map(JSONValue.integer))
    }
    let held: [(String, JSONValue)] = [
      ("held", ids(provenance.held, claims: false)), ("heldClaims", ids(provenance.held, claims: true)),
    ]
    guard let decision, case .wait(let reason, let until, let activities) = decision else {
      return .object(
        [
          ("waits", false), ("reason", .null), ("until", .null), ("activities", []), ("claims", []), ("athletes", []),
        ] + held)
    }
    let waited = Set(activities)
    let athletes =
      (input.held.map { ($0.id, $0.athleteId) } + input.claims.map { ($0.id, $0.athleteId) })
      .filter { waited.contains($0.0) }.map(\.1) + input.unlisted.map(\.athleteId)
    return .object(
      [
        ("waits", true), ("reason", .text(reason.rawValue)), ("until", .instant(until)),
        ("activities", ids(activities, claims: false)), ("claims", ids(activities, claims: true)),
        ("athletes", .array(Set(athletes).sorted().map(JSONValue.integer))),
      ] + held)
  }
}
