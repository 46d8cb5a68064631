import ControlServer
import Engine
import Postgres

/// What the health socket tells, from memory: it never waits for the database.
///
/// Anybody may ask, so problems are names and codes here; `status` has their texts.
struct NodeHealth: HealthSource {
  let monitor: NodeMonitor
  let pool: Pool
  let time: Timekeeper

  private var status: NodeStatus { NodeStatus(monitor.current, now: time.now()) }

  var isReady: Bool { status.isReady }

  var readiness: String {
    let status = status
    return JSONValue.object([
      ("ready", .bool(status.isReady)), ("state", .string(status.state.rawValue)),
      ("problems", .array(status.problemCodes.map(JSONValue.string))),
    ]).text
  }

  var metrics: String {
    get async {
      Metrics(monitor.current, pool: await pool.statistics, status: status).prometheus
    }
  }
}
