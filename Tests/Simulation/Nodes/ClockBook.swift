import Engine
import Postgres

/// What the database keeps for the clock guard, besides the stops themselves.
struct ClockBook {
  private var baselines: [String: ClockBaseline] = [:]
  private var established: Int64 = 0
  private var acceptances: Int64 = 0
  /// The sum of the differences that operators have accepted.
  private(set) var accepted: Duration = .zero
  /// By the node of a stop.
  private var agreed: [String: Int64] = [:]

  subscript(node: String) -> ClockBaseline? { baselines[node] }

  func record(_ stops: [String: Content.ClockStop]) -> ClockRecord {
    var record = ClockRecord()
    (record.acceptances, record.accepted, record.baselines) = (acceptances, accepted, established)
    record.stops = stops.sorted { $0.key < $1.key }.map { node, stop in
      var found = ClockStop(node: node, difference: stop.difference, agreed: agreed[node] ?? 0)
      (found.isLifted, found.isAccepted) = (stop.isLifted, stop.isAccepted)
      return found
    }
    return record
  }

  mutating func accept(_ difference: Duration) {
    acceptances += 1
    accepted += difference
  }

  /// Writes what a node does about the clocks; returns the number of a new baseline.
  mutating func write(_ action: ClockAction, node: String) -> Int64? {
    switch action {
    case .establish(var baseline):
      established += 1
      baseline.established = established
      baselines[node] = baseline
      return established
    case .remember(let baseline):
      guard baselines[node] != nil else { return nil }
      baselines[node] = baseline
    case .forget: baselines[node] = nil
    case .stop(_, let agreed): self.agreed[node] = agreed
    case .release, .lift: break
    }
    return nil
  }
}

extension ClockAction {
  /// The statements on the stops; none where only a baseline is written.
  func statements(node: String) -> [DatabaseModel.Statement] {
    switch self {
    case .establish, .remember, .forget: []
    case .stop(let difference, _): [.stopClock(node: node, difference: difference, jump: ClockJudge.jumpMax)]
    case .release: [.releaseClock(node: node), .notify("")]
    case .lift(let other): [.liftClockStop(node: other), .notify("")]
    }
  }
}
