/// Durations counted in buckets, as in Prometheus.
package struct Histogram: Sendable {
  /// Upper bounds in seconds.
  package static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300]

  /// Not cumulative; the last one counts durations longer than every bound.
  package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  package private(set) var sum: Double = 0

  package mutating func observe(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
    counts[bucket] += 1
    sum += seconds
  }
}
