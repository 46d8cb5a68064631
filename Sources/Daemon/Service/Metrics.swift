import HostProcess
import Engine
import Glibc
import Postgres

/// The node as Prometheus text: durations in seconds, a job's series carry the label `job`.
struct Metrics {
  private var text = ""

  init(_ state: NodeMonitor.State, pool: PoolStatistics, status: NodeStatus) {
    gauge("settled_up", "Whether this node takes work.", status.isReady ? 1 : 0)
    gauge("settled_database_up", "Whether the database answers.", state.databaseTrouble == nil ? 1 : 0)
    counter("settled_database_losses_total", "Times the database went away.", state.databaseLosses)
    gauge("settled_listen_up", "Whether notifications come.", state.isListening ? 1 : 0)
    gauge("settled_problems", "What an operator should know; status lists them.", Double(status.problems.count))
    counter("settled_looks_total", "Looks at what is due.", state.turns)
    gauge("settled_clock_held", "Whether a wrong clock holds everything.", state.look?.isHeld ?? false ? 1 : 0)
    gauge(
      "settled_clock_skew_seconds", "How far the database's clock is ahead of this node's.",
      (state.look?.skew ?? .zero) / .seconds(1))
    connections(pool)
    jobs(state)
    process(state)
  }

  var prometheus: String { text }

  private mutating func connections(_ pool: PoolStatistics) {
    head("settled_pool_connections", "gauge", "Connections to the database.")
    line("settled_pool_connections", ["state": "idle"], Double(pool.idle))
    line("settled_pool_connections", ["state": "leased"], Double(pool.leased))
    gauge("settled_pool_waiting", "Callers that wait for a connection.", Double(pool.waiting))
    counter("settled_pool_connect_failures_total", "Connections that could not be opened.", pool.connectsFailed)
  }

  private mutating func jobs(_ state: NodeMonitor.State) {
    let items = (state.look?.items ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    perJob("settled_job_overdue_seconds", "gauge", "How late the longest due item is.", items) {
      $0.lateBy / .seconds(1)
    }
    perJob("settled_job_failing", "gauge", "Items that failed and are tried again.", items) { Double($0.failing) }
    perJob("settled_job_quarantined", "gauge", "Items that are no longer tried.", items) { Double($0.quarantined) }
    perJob("settled_job_paused", "gauge", "Whether operators paused it.", items) { $0.isPaused ? 1 : 0 }

    let records = items.map { ($0.0, state.jobs[$0.0] ?? JobRecord()) }
    perJob("settled_job_items_total", "counter", "Items done.", records) { Double($0.items) }
    perJob("settled_job_failures_total", "counter", "Attempts at single items that failed.", records) {
      Double($0.failures)
    }
    perJob("settled_job_batches_total", "counter", "Batches committed.", records) { Double($0.batches) }
    perJob("settled_job_batch_seconds_total", "counter", "Time spent in batches.", records) { $0.busy / .seconds(1) }
    perJob("settled_job_batch_seconds_max", "gauge", "The longest batch.", records) { $0.longest / .seconds(1) }
    head("settled_job_lateness_seconds", "histogram", "From due to the first commit.")
    for (job, record) in records { histogram("settled_job_lateness_seconds", job: job, record.lateness) }
  }

  private mutating func histogram(_ name: String, job: String, _ histogram: Histogram) {
    var total = 0
    for (bound, count) in zip(Histogram.bounds, histogram.counts) {
      total += count
      line("\(name)_bucket", ["job": job, "le": "\(bound)"], Double(total))
    }
    total += histogram.counts.last ?? 0
    line("\(name)_bucket", ["job": job, "le": "+Inf"], Double(total))
    line("\(name)_sum", ["job": job], histogram.sum)
    line("\(name)_count", ["job": job], Double(total))
  }

  private mutating func process(_ state: NodeMonitor.State) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    head("process_cpu_seconds_total", "counter", "CPU time of this process.")
    line("process_cpu_seconds_total", [:], seconds)
    gauge("process_resident_memory_bytes", "Resident memory.", Double(Host.residentBytes))
    gauge(
      "process_start_time_seconds", "When this process started.",
      Double(state.startedAt?.microseconds ?? 0) / 1e6)
  }

  private mutating func perJob<Value>(
    _ name: String, _ type: String, _ help: String, _ jobs: [(String, Value)], _ number: (Value) -> Double
  ) {
    head(name, type, help)
    for (job, value) in jobs { line(name, ["job": job], number(value)) }
  }

  private mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    head(name, "gauge", help)
    line(name, [:], value)
  }

  private mutating func counter(_ name: String, _ help: String, _ value: Int) {
    head(name, "counter", help)
    line(name, [:], Double(value))
  }

  private mutating func head(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private mutating func line(_ name: String, _ labels: [String: String], _ value: Double) {
    let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    let number = value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    text += pairs.isEmpty ? "\(name) \(number)\n" : "\(name){\(pairs)} \(number)\n"
  }
}
