extension Streams {
  /// The least time in which the track covers exactly `span`, by linear interpolation between samples.
  ///
  /// `span` is a positive number of billionths of a metre. The answer is billionths of a second, cut; nil where the
  /// whole track is shorter than `span`. One pass with two indices, O(n).
  ///
  /// Why looking at samples is enough. For a position x let first(x) and last(x) be the first and the last instant at
  /// x: they differ where the athlete pauses, and the best window that starts at x leaves at last(x) and ends at
  /// first(x + span). Between neighbouring values of x at which x or x + span is a sample's distance, both are linear
  /// in x, so their difference is least at an end of that interval. At such an end the value itself is no more than the
  /// limits from both sides, because first(x) <= last(x), and a limit takes one of them in the place of the other. So
  /// the least time belongs to a window that starts or ends at a sample.
  func shortestTime(over span: Int64) -> Int128? { shortestStretch(over: span)?.time }

  /// The same with the place where it begins, in billionths of a metre.
  func shortestStretch(over span: Int64) -> Stretch? {
    var best: Stretch?
    var end = 0
    var start = 0
    for sample in distances.indices {
      // 1. The window that starts here. Of samples at one place the last is tried last, and is the best.
      while end < distances.count, distances[end] - distances[sample] < span { end += 1 }
      if end < distances.count {
        let time = time(from: sample, to: end, cutting: end - 1, for: span)
        best = shorter(best, Stretch(start: distances[sample], time: time))
      }
      // 2. The window that ends here, when there is one. Of samples at one place the first is the best.
      while start < sample, distances[sample] - distances[start + 1] >= span { start += 1 }
      if distances[sample] - distances[start] >= span {
        let time = time(from: start, to: sample, cutting: start, for: span)
        best = shorter(best, Stretch(start: distances[sample] - span, time: time))
      }
    }
    return best
  }

  /// A part of the track: where it starts, and the billionths of a second that it took.
  struct Stretch: Hashable, Sendable {
    let start: Int64
    let time: Int128
  }

  /// The time from sample `start` to sample `end` less the part of the segment after sample `segment` that lies beyond
  /// `span`; the segment is the first or the last one.
  ///
  /// Differences of numbers that are not negative fit 64 bits, their products 128. The segment is longer than what is
  /// cut from it, so where something is cut its length is not zero.
  private func time(from start: Int, to end: Int, cutting segment: Int, for span: Int64) -> Int128 {
    let whole = Int128(times[end] - times[start])
    let excess = distances[end] - distances[start] - span
    guard excess > 0 else { return whole }
    let length = Int128(distances[segment + 1] - distances[segment])
    let product = Int128(times[segment + 1] - times[segment]) * Int128(excess)
    return whole - (product + length - 1) / length
  }

  /// The earlier one where both take as long.
  private func shorter(_ best: Stretch?, _ other: Stretch) -> Stretch {
    best.map { other.time < $0.time ? other : $0 } ?? other
  }
}
