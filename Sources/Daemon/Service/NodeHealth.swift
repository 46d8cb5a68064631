import Engine
import HTTPRouting
import Operations
import Postgres
import Synchronization
import TextCoding

/// The health socket's answers, from memory: it never waits for the database.
///
/// Anyone may query it, at any rate. So problems are names and codes here, `status` has their texts, and a text is made
/// once a second. The readiness is always current.
final class NodeHealth: HealthSource {
  private let monitor: NodeMonitor
  private let pool: Pool
  private let figures: FigureReader
  private let time: Timekeeper
  private let kept = Mutex(Kept())

  private struct Kept {
    var readiness: (at: Duration, isReady: Bool, text: String)?
    var metrics: (at: Duration, text: String)?
  }

  private static let keptFor: Duration = .seconds(1)

  init(monitor: NodeMonitor, pool: Pool, figures: FigureReader, time: Timekeeper) {
    self.monitor = monitor
    self.pool = pool
    self.figures = figures
    self.time = time
  }

  var isReady: Bool { NodeStatus.isReady(monitor.current) }

  var readiness: String {
    let (now, isReady) = (time.now(), isReady)
    if let last = kept.withLock(\.readiness), now - last.at < Self.keptFor, last.isReady == isReady { return last.text }
    let status = NodeStatus(monitor.current, now: now)
    let text = JSONValue.object([
      ("ready", .boolean(status.isReady)), ("state", .text(status.state.rawValue)),
      ("problems", .array(status.problemCodes.map(JSONValue.text))),
    ]).serialized
    kept.withLock { $0.readiness = (now, status.isReady, text) }
    return text
  }

  var metrics: String {
    get async {
      let now = time.now()
      if let last = kept.withLock(\.metrics), now - last.at < Self.keptFor { return last.text }
      let state = monitor.current
      let text = Metrics(
        state, pool: await pool.statistics, status: NodeStatus(state, now: now),
        figures: figures.current(mayRead: state.databaseError == nil && state.isSchemaChecked)
      ).prometheus
      kept.withLock { $0.metrics = (now, text) }
      return text
    }
  }
}
