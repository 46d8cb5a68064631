import Postgres

@testable import Simulation

/// What of an answer of the model both sides must agree on, as text. Times of the server's clock are not among it.
extension DatabaseModel.Statement {
  func text(of answer: Answer, at now: Timestamp) -> String {
    switch self {
    case .claim: "\(answer.keys)"
    case .suspects:
      "\(answer.rows.map { "\($0.id.key) \($0.content.failure?.holdsBack(at: now) == false)" })"
    case .leases: "\(answer.rows.compactMap { $0.content.lease.map { "\($0.generation) \($0.owner)" } })"
    case .recordFailure:
      "\(answer.rows.compactMap { $0.content.failure.map { "\($0.attempts) \($0.isQuarantined)" } })"
    case .takeLeases: "\(answer.rows.compactMap { row in row.content.lease.map { "\(row.id.key) \($0.generation)" } })"
    case .takeAway: "\(answer.keys.sorted())"
    case .takeName: "\(!answer.rows.isEmpty)"
    case .untilNext:
      if case .wait(let wait) = answer {
        String(describing: wait.map { $0.components.seconds / 900 })
      } else {
        "no wait"
      }
    case .gate, .register: if case .flag(let flag) = answer { "\(flag)" } else { "no flag" }
    case .poll: if case .poll(let poll) = answer { poll.text } else { "no poll" }
    // A statement of several parts counts the rows of one.
    case .uncountFailures, .stopClock, .lockTimeout, .listen, .notify, .setClock, .transactionID: ""
    default: "\(answer.rows.count) rows"
    }
  }
}

extension Poll {
  var text: String {
    let jobs = self.jobs.sorted { $0.key < $1.key }.map { name, job in
      PolledText(
        name: name, business: job.dueAt?.since(now), following: job.followingAt?.since(now), dueIn: dueIn(name),
        failing: job.failing,
        quarantined: job.quarantined, isPaused: job.isPaused, awaitsAcceptance: job.awaitsAcceptance
      ).text
    }
    let stops = clockStops.filter(\.value.bindsAll).keys.sorted()
    return "\(jobs) at \(now), stopped by \(stops), nodes \(nodes) \(leavesWakeUpsOut)"
  }
}

/// What a poll says of one job.
struct PolledText {
  let name: String
  /// In what business time something is due.
  let business: Duration?
  /// The same of the second item.
  let following: Duration?
  /// The first with the end of the first back-off.
  let dueIn: Duration?
  let failing: Int64
  let quarantined: Int64
  let isPaused: Bool
  let awaitsAcceptance: Bool

  /// In whole quarters of an hour: leases and back-offs follow the server's clock.
  var text: String {
    let quarters = [business, following, dueIn].map { $0.map { $0.components.seconds / 900 } }
    return "\(name) \(quarters) \(failing) \(quarantined) \(isPaused) \(awaitsAcceptance)"
  }
}
