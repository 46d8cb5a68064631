import HTTPServing
import Logging
import Synchronization

/// The access log and the counts of requests: one place for both.
///
/// A line has method, route, status, time, identity and request id; never a path, a token, a password or a body.
final class RequestRecords: Sendable {
  struct Series: Hashable, Comparable {
    let method: String
    let route: String

    static func < (left: Series, right: Series) -> Bool {
      (left.route, left.method) < (right.route, right.method)
    }
  }

  struct Counts: Sendable {
    /// By the first digit of the status.
    var byClass: [Int: Int] = [:]
    var latency = LatencyHistogram()
  }

  struct Totals: Sendable {
    var series: [Series: Counts] = [:]
    var connectionsRefused = 0
    var notHTTP = 0
  }

  /// Methods that nobody knows are one series.
  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  private let logger: Logger
  private let state = Mutex(Totals())

  init(_ logger: Logger) {
    self.logger = logger
  }

  var totals: Totals { state.withLock { $0 } }

  func answered(_ context: RequestContext, status: Int, rule: String?, took: Duration) {
    let method = Self.methods.contains(context.head.method) ? context.head.method : "other"
    let route = context.pattern ?? "-"
    state.withLock { state in
      state.series[Series(method: method, route: route), default: Counts()].byClass[status / 100, default: 0] += 1
      state.series[Series(method: method, route: route)]?.latency.observe(took)
    }
    var pairs: Logger.Metadata = [
      "method": "\(method)", "route": "\(route)", "status": "\(status)", "ms": "\(Int(took / .milliseconds(1)))",
      "identity": "\(context.identity ?? "-")", "request": "\(context.id)",
    ]
    if let rule { pairs["rule"] = "\(rule)" }
    logger.info("request", metadata: pairs)
  }

  /// An error that the caller was told nothing of.
  func failed(_ context: RequestContext, _ error: GatewayError, _ hidden: String) {
    let level: Logger.Level = error.status == 500 ? .error : .warning
    logger.log(
      level: level, "a request failed",
      metadata: ["route": "\(context.pattern ?? "-")", "error": "\(hidden)", "request": "\(context.id)"])
  }

  /// A connection or its bytes were refused before there was a request.
  func refused(_ refusal: Refusal) {
    state.withLock { state in
      if refusal == .tooManyConnections { state.connectionsRefused += 1 } else { state.notHTTP += 1 }
    }
  }
}

/// Durations counted in buckets, as Prometheus has them.
struct LatencyHistogram: Sendable {
  /// Upper bounds in seconds.
  static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  /// Not cumulative; the last one counts what is longer than every bound.
  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  private(set) var sum: Double = 0

  mutating func observe(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}
