import ControlAPI
import Engine
import Operations
import HostProcess
import Glibc
import Postgres

/// The node as Prometheus text: durations in seconds, a job's series carry the label `job`.
struct Metrics {
  private var text = PrometheusText()

  init(
    _ state: NodeMonitor.State, pool: PoolStatistics, status: NodeStatus, figures: [FigureReader.Reading] = []
  ) {
    text.head("settled_build_info", "gauge", "The program's version, and the schema version that it needs.")
    text.line(
      "settled_build_info", ["version": Version.current, "schema": String(Migrations().version)], 1)
    text.gauge("settled_up", "Whether this node claims work.", status.isReady ? 1 : 0)
    text.gauge("settled_database_up", "Whether the database responds.", state.databaseError == nil ? 1 : 0)
    text.counter(
      "settled_database_losses_total", "How many times the database became unreachable.", state.databaseLosses)
    // If the configuration is for a proxy that pools transactions, no notification is expected.
    if !state.poolsTransactions {
      text.gauge("settled_listen_up", "Whether notifications arrive.", state.isListening ? 1 : 0)
    }
    text.gauge("settled_problems", "Problems on this node; status lists them.", Double(status.problems.count))
    text.counter("settled_looks_total", "Polls for due work.", state.iterations)
    text.gauge(
      "settled_clock_held", "Whether a wrong clock stops all work.", state.snapshot?.isClockStopped ?? false ? 1 : 0)
    text.gauge(
      "settled_restore_unaccepted",
      "Whether jobs are stopped until an operator accepts that the database was restored.",
      state.snapshot?.awaitsAcceptance ?? false ? 1 : 0)
    text.gauge(
      "settled_clock_skew_seconds", "How far the database's clock is ahead of this node's.",
      (state.snapshot?.skew ?? .zero) / .seconds(1))
    connections(pool)
    jobs(state)
    for reading in figures { show(reading) }
    text.process()
    text.gauge(
      "process_start_time_seconds", "When this process started.",
      Double(state.startedAt?.microseconds ?? 0) / 1e6)
  }

  var prometheus: String { text.text }

  private mutating func connections(_ pool: PoolStatistics) {
    text.head("settled_pool_connections", "gauge", "Connections to the database.")
    text.line("settled_pool_connections", ["state": "idle"], Double(pool.idle))
    text.line("settled_pool_connections", ["state": "leased"], Double(pool.leased))
    text.gauge("settled_pool_waiting", "Callers waiting for a connection.", Double(pool.waiting))
    text.counter("settled_pool_connect_failures_total", "Connections that could not be opened.", pool.connectsFailed)
  }

  private mutating func jobs(_ state: NodeMonitor.State) {
    let items = (state.snapshot?.items ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    perJob("settled_job_overdue_seconds", "gauge", "Lateness of the longest overdue item.", items) {
      $0.lateBy / .seconds(1)
    }
    perJob("settled_job_failing", "gauge", "Items that failed and will be retried.", items) { Double($0.failing) }
    perJob("settled_job_quarantined", "gauge", "Items that are no longer retried.", items) { Double($0.quarantined) }
    perJob("settled_job_paused", "gauge", "Whether an operator has paused the job.", items) { $0.isPaused ? 1 : 0 }

    let records = items.map { ($0.0, state.jobs[$0.0] ?? JobRecord()) }
    perJob("settled_job_items_total", "counter", "Items done.", records) { Double($0.items) }
    perJob("settled_job_failures_total", "counter", "Failed attempts at single items.", records) {
      Double($0.failures)
    }
    perJob("settled_job_batches_total", "counter", "Batches committed.", records) { Double($0.batches) }
    perJob("settled_job_batch_seconds_total", "counter", "Time spent in batches.", records) { $0.busy / .seconds(1) }
    perJob("settled_job_batch_seconds_max", "gauge", "The longest batch.", records) { $0.longest / .seconds(1) }
    text.head("settled_job_lateness_seconds", "histogram", "Time from the due instant to the first commit.")
    for (job, record) in records {
      text.histogram(
        "settled_job_lateness_seconds", ["job": job], bounds: Histogram.bounds, counts: record.lateness.counts,
        sum: record.lateness.sum)
    }
  }

  private mutating func show(_ reading: FigureReader.Reading) {
    let figure = reading.figure
    text.head(figure.name, "gauge", figure.help)
    for (name, value) in reading.values {
      text.line(figure.name, figure.label.map { [$0: name] } ?? [:], value)
    }
  }

  private mutating func perJob<Value>(
    _ name: String, _ type: String, _ help: String, _ jobs: [(String, Value)], _ number: (Value) -> Double
  ) {
    text.head(name, type, help)
    for (job, value) in jobs { text.line(name, ["job": job], number(value)) }
  }
}
