/// The track of an activity: how far it had come at each sample.
///
/// Times in seconds and distances in metres, both in billionths, as the provider's streams hold them.
package struct Streams: Hashable, Sendable {
  let times: [Int64]
  let distances: [Int64]

  /// nil for what the import refuses: different lengths, numbers below zero, times or distances that fall.
  ///
  /// Equal times pass, because two instants can differ by less than a billionth.
  package init?(times: [Int64], distances: [Int64]) {
    guard times.count == distances.count, Self.neverFalls(times), Self.neverFalls(distances) else { return nil }
    self.times = times
    self.distances = distances
  }

  private static func neverFalls(_ values: [Int64]) -> Bool {
    var last: Int64 = 0
    for value in values {
      guard value >= last else { return false }
      last = value
    }
    return true
  }
}
