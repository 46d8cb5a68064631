import Engine
import Postgres

/// An operator's order about one race, as a row of `racing.race_order`.
struct RaceOrder: Sendable, Equatable {
  enum Kind: String, Sendable {
    case settle, cancel
  }

  let race: Int64
  let kind: Kind
  /// Skips grace and hold.
  let overrides: Bool
  /// The hash of the inputs that the operator saw.
  let expectedHash: String?
  let reason: String?

  var isOfAdministrators: Bool { kind == .cancel || overrides }

  static func settling(_ race: Int64, expecting hash: String?, overriding: Bool, reason: String?) -> RaceOrder {
    RaceOrder(race: race, kind: .settle, overrides: overriding, expectedHash: hash, reason: reason)
  }

  static func cancelling(_ race: Int64, reason: String) -> RaceOrder {
    RaceOrder(race: race, kind: .cancel, overrides: false, expectedHash: nil, reason: reason)
  }
}

extension RaceOrder {
  init(_ row: Row) throws {
    race = try row["race_id"]
    guard let kind = Kind(rawValue: try row["kind"]) else {
      throw SettlementError(.corrupt, "the order for race \(race) has an unknown kind")
    }
    self.kind = kind
    overrides = try row["overrides"]
    expectedHash = try row["expected_hash"]
    reason = try row["reason"]
  }
}

/// The result of an order.
enum RaceOrderOutcome: Sendable, Equatable {
  case done(JSON)
  case refused(rule: String, String)
}

/// Whether a job has finished an order.
enum RaceOrderState {
  /// `failure` is the job's last error.
  case open(failure: String?)
  case finished(RaceOrderOutcome)

  init(_ row: Row) throws(PostgresError) {
    if let rule: String = try row["rule"] {
      self = .finished(.refused(rule: rule, try row["refusal"]))
    } else if let answer: JSON = try row["answer"] {
      self = .finished(.done(answer))
    } else {
      self = .open(failure: try row["failure"])
    }
  }
}

enum RaceOrderStatements {
  /// Finishes the open order that no job works on, because the newer one takes its place.
  ///
  /// An order to settle without an override, which any operator may give, takes no administrator's place.
  static func replace(by order: RaceOrder, at now: Timestamp) -> Statement {
    """
    UPDATE racing.race_order SET finished_at = \(now), rule = 'replaced', refusal = 'a newer order took its place'
    WHERE id = (SELECT o.id FROM racing.race_order AS o WHERE o.race_id = \(order.race) AND o.finished_at IS NULL
      AND (\(order.isOfAdministrators) OR o.kind = 'settle' AND NOT o.overrides) FOR NO KEY UPDATE SKIP LOCKED)
    """
  }

  /// Returns the new order's id; no row where another command was quicker.
  static func add(_ order: RaceOrder, at now: Timestamp) -> Statement {
    """
    INSERT INTO racing.race_order (race_id, kind, overrides, expected_hash, reason, ordered_at)
    VALUES (\(order.race), \(order.kind.rawValue), \(order.overrides), \(order.expectedHash), \(order.reason), \(now))
    ON CONFLICT (race_id) WHERE finished_at IS NULL DO NOTHING RETURNING id
    """
  }

  /// A failure of the order before does not delay the new one.
  static func clearFailure(_ race: Int64) -> Statement {
    "DELETE FROM settled.failure WHERE job = \(RaceOrderJob.jobName) AND key = \(String(race))"
  }

  /// The open orders about races.
  static func orders(_ races: [Int64]) -> Statement {
    """
    SELECT race_id, kind, overrides, expected_hash, reason FROM racing.race_order
    WHERE race_id = ANY(\(races)) AND finished_at IS NULL ORDER BY race_id
    """
  }

  static func finish(_ race: Int64, _ outcome: RaceOrderOutcome, at now: Timestamp) -> Statement {
    let (rule, refusal, answer): (String?, String?, JSON?) =
      switch outcome {
      case .done(let answer): (nil, nil, answer)
      case .refused(let rule, let refusal): (rule, refusal, nil)
      }
    return """
      UPDATE racing.race_order SET finished_at = \(now), rule = \(rule), refusal = \(refusal), answer = \(answer)
      WHERE race_id = \(race) AND finished_at IS NULL
      """
  }

  /// Revisions of a settlement that are shown, the newest ones.
  static let revisionsMax: Int64 = 100

  /// A race with the newest order about it, and the revisions of its settlement.
  static func shown(_ race: Int64) -> Statement {
    """
    SELECT r.shown || jsonb_build_object(
      'settlement', CASE WHEN jsonb_typeof(r.shown -> 'settlement') = 'object' THEN
        r.shown -> 'settlement' || jsonb_build_object('revisions', (
          SELECT jsonb_agg(jsonb_build_object('revision', s.revision, 'at', settled.iso(s.settled_at),
            'reason', CASE s.revision WHEN 1 THEN 'settlement' ELSE 'correction' END,
            'paidPence', (SELECT coalesce(sum(p.amount_pence), 0)::bigint FROM racing.payout AS p
              WHERE p.race_id = s.race_id AND p.revision = s.revision)) ORDER BY s.revision)
          FROM (SELECT x.* FROM racing.settlement AS x WHERE x.race_id = \(race)
            ORDER BY x.revision DESC LIMIT \(revisionsMax)) AS s)) END,
      'order', (SELECT jsonb_build_object('id', o.id, 'kind', o.kind, 'override', o.overrides,
        'orderedAt', settled.iso(o.ordered_at), 'finishedAt', settled.iso(o.finished_at), 'rule', o.rule,
        'refusal', o.refusal)
        FROM racing.race_order AS o WHERE o.race_id = \(race) ORDER BY o.id DESC LIMIT 1))
    FROM (SELECT racing.race(\(race)) AS shown) AS r
    """
  }

  /// The rule, refusal and answer of an order, and the last failure of the job that carries it out.
  static func state(of order: Int64) -> Statement {
    """
    SELECT o.rule, o.refusal, o.answer,
      (SELECT f.error FROM settled.failure AS f WHERE f.job = \(RaceOrderJob.jobName) AND f.key = o.race_id::text) AS failure
    FROM racing.race_order AS o WHERE o.id = \(order)
    """
  }
}
