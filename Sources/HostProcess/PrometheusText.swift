import Glibc

/// Metrics as Prometheus reads them (text, version 0.0.4).
package struct PrometheusText {
  package private(set) var text = ""

  package init() {}

  package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    head(name, "gauge", help)
    line(name, [:], value)
  }

  package mutating func counter(_ name: String, _ help: String, _ value: Int) {
    head(name, "counter", help)
    line(name, [:], Double(value))
  }

  package mutating func head(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  package mutating func line(_ name: String, _ labels: [String: String], _ value: Double) {
    let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    let number = value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    text += pairs.isEmpty ? "\(name) \(number)\n" : "\(name){\(pairs)} \(number)\n"
  }

  /// A histogram's lines: `counts` are not cumulative, and have one more than there are bounds.
  package mutating func histogram(
    _ name: String, _ labels: [String: String], bounds: [Double], counts: [Int], sum: Double
  ) {
    var total = 0
    for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
      total += count
      line("\(name)_bucket", labels.merging(["le": bound]) { _, new in new }, Double(total))
    }
    line("\(name)_sum", labels, sum)
    line("\(name)_count", labels, Double(total))
  }

  /// CPU and memory of this process.
  package mutating func process() {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    head("process_cpu_seconds_total", "counter", "CPU time of this process.")
    line("process_cpu_seconds_total", [:], seconds)
    gauge("process_resident_memory_bytes", "Resident memory.", Double(Host.residentBytes))
  }
}
