import Engine
import Postgres

/// One history: what apps write, and what befalls the nodes and the server. With the seed it decides a whole run.
package struct History: Sendable, Equatable {
  package let seed: UInt64
  package var nodes: Int
  package var entries: [Entry]
  /// When the last trouble is over; a quiet time follows.
  package var length: Duration

  package struct Entry: Sendable, Equatable {
    let at: Duration
    let act: Act

    /// The job whose items are written.
    var job: String? {
      switch act {
      case .write(let job, _, _, _), .drizzle(let job, _, _, _): job
      default: nil
      }
    }

    /// Whether nodes work on it for long.
    var isLong: Bool {
      switch act {
      case .write(_, let count, let dueIn, _): count >= 400 && dueIn < .seconds(100)
      case .drizzle: true
      default: false
      }
    }

    /// When there is work because of it.
    var busy: Duration { if case .write(_, _, let dueIn, _) = act, dueIn < .seconds(100) { at + dueIn } else { at } }
  }

  enum Act: Sendable, Equatable {
    /// An app's transaction: items of a job, due so much later, with a row that others may need.
    case write(job: String, count: Int, dueIn: Duration, holds: Duration)
    /// So many apps write items, one after the other, about so far apart.
    case drizzle(job: String, count: Int, apps: Int, apart: Duration)
    /// An item that fails so many times with this error; nil: it ends the process that works on it.
    case fault(job: String, PostgresError?, times: Int)
    /// A session holds the rows of that number, which items need.
    case lock(resource: Int64, Duration)
    /// `kill -9`; the sessions of the process stay on the server for a time.
    case crash(node: Int, down: Duration, lingers: Duration)
    case restart(node: Int, down: Duration)
    case freeze(node: Int, Duration)
    /// The node's connections break, and the node learns it, or not.
    case cut(node: Int, isKnown: Bool)
    /// A node's notifications do not come.
    case deafen(node: Int, Duration)
    case drain(node: Int, Duration)
    case pause(job: String, Duration)
    /// The server's clock jumps, and after that time back, or an operator accepts it.
    case jump(by: Duration, Duration, isAccepted: Bool)
    /// The wall clock of a node's host is off.
    case hostClock(node: Int, by: Duration, Duration)
    case outage(Duration)
    /// The database is restored to an earlier state, which an operator accepts after a time.
    case restore(age: Duration, accepted: Duration)
    case loseCommits(Double, Duration)
    case delayNotifications(by: Duration, Duration)
    /// The server's queue of notifications is that full.
    case fillQueue(Double, Duration)
    /// Somebody notifies so often in a second.
    case flood(perSecond: Int, Duration)
    case slow(Double, Duration)
    /// A job's table cannot be polled.
    case hide(job: String, Duration)
  }

  init(seed: UInt64, nodes: Int, entries: [Entry], length: Duration) {
    (self.seed, self.nodes, self.entries, self.length) = (seed, nodes, entries, length)
  }

  package init(seed: UInt64, nodes: Int? = nil) {
    var chance = Chance(seed, "history")
    let count = nodes ?? 1 + chance.below(4)
    (self.seed, self.nodes) = (seed, count)
    let length = chance.span(.seconds(60)...(.seconds(600)))
    self.length = length
    var entries: [Entry] = []
    for _ in 0..<(4 + chance.below(40)) {
      let before = entries.last
      var at = chance.span(.seconds(5)...length)
      // Half of the apps come when there is work already.
      if let before, chance.hits(0.5) { at = before.busy + chance.span(.zero...(.milliseconds(200))) }
      entries.append(Entry(at: min(at, length), act: Self.work(&chance)))
    }
    let works = entries
    let long = works.filter(\.isLong)
    for _ in 0..<chance.below(9) {
      let met = chance.hits(0.5) ? chance.pick(long.isEmpty ? works : long) : nil
      let at = met.map { $0.busy + chance.span(.zero...(.seconds(2))) } ?? chance.span(.seconds(5)...length)
      entries.append(Entry(at: min(at, length), act: Self.trouble(&chance, nodes: count, of: met?.job)))
    }
    self.entries = entries.sorted { $0.at < $1.at }
  }

  private static func work(_ chance: inout Chance) -> Act {
    let job = chance.pick(Jobs.written)
    switch chance.below(40) {
    case 0:
      let (job, count) = chance.pick([("chore", 500), ("chore", 2_000), ("careful", 400)])
      return .write(
        job: job, count: count, dueIn: chance.span(.zero...(.seconds(5))), holds: .zero)
    case 20:
      return .drizzle(
        job: "careful", count: 10 + chance.below(20), apps: 60, apart: chance.pick([.milliseconds(350), .seconds(2)]))
    case 1, 2: return .fault(job: job, chance.pick(Self.errors), times: chance.pick([1, 2, 4, 100]))
    case 3: return .fault(job: "chore", nil, times: chance.pick([1, 2, 100]))
    // Not due within the run.
    case 4, 5: return .write(job: job, count: 3, dueIn: .seconds(3_000), holds: .zero)
    case 6...14:
      return .write(
        job: job, count: 1 + chance.below(30), dueIn: chance.span(.seconds(1)...(.seconds(90))), holds: .zero)
    default:
      let holds = chance.hits(0.3) ? chance.span(.milliseconds(5)...(.seconds(2))) : .zero
      return .write(job: job, count: 1 + chance.below(5), dueIn: .zero, holds: holds)
    }
  }

  private static let errors = ["22000", "22000", "42501", "53100", "57014"].map {
    PostgresError(.server, "planted", sqlState: $0)
  }

  private static func trouble(_ chance: inout Chance, nodes: Int, of job: String?) -> Act {
    let node = chance.below(nodes)
    let brief = chance.span(.milliseconds(200)...(.seconds(20)))
    switch chance.below(20) {
    case 0, 1:
      return .crash(node: node, down: brief, lingers: chance.hits(0.5) ? .zero : chance.span(.zero...(.seconds(20))))
    case 2: return .restart(node: node, down: brief)
    case 3, 4: return .freeze(node: node, brief)
    case 5, 6: return .cut(node: node, isKnown: chance.hits(0.5))
    case 7: return .drain(node: node, brief * 4)
    case 8: return .pause(job: job ?? chance.pick(Jobs.written), brief * 2)
    case 9:
      let span = chance.span(.seconds(700)...(.seconds(5_000))) * (chance.hits(0.5) ? 1 : -1)
      return .jump(by: span, brief * 2, isAccepted: chance.hits(0.4))
    case 10: return .hostClock(node: node, by: chance.pick([.seconds(400), .seconds(-4_000)]), brief * 4)
    case 11: return .outage(brief)
    case 12: return .restore(age: brief * 2, accepted: brief * 2)
    case 13: return .loseCommits(0.3, brief)
    case 14: return .delayNotifications(by: chance.span(.milliseconds(50)...(.seconds(4))), brief * 3)
    case 15: return .fillQueue(chance.pick([0.6, 1]), brief * 2)
    case 16: return .flood(perSecond: chance.pick([20, 300]), brief)
    case 18: return .deafen(node: node, brief * 4)
    case 17: return .slow(chance.pick([20, 100]), brief)
    default:
      return chance.hits(0.5)
        ? .lock(resource: Int64(chance.below(Jobs.resources)), brief) : .hide(job: chance.pick(Jobs.written), brief)
    }
  }
}

extension History: CustomStringConvertible {
  package var description: String {
    let lines = entries.map { "  \($0.at.text)  \($0.act)" }
    let text = lines.joined(separator: "\n").replacing(/(\w*Simulation\.)?History\./, with: "")
    return "seed \(seed), \(nodes) nodes, \(entries.count) entries\n\(text)"
  }
}

extension Duration {
  /// Seconds, with three decimals.
  var text: String {
    let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return "\(seconds).\(String(rest.magnitude + 1_000).dropFirst())"
  }
}
