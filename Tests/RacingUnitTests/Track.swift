@testable import Racing

/// A short random track in whole seconds and metres, with a slow and exact reference for its best effort.
struct Track {
  let seconds: [Int64]
  let metres: [Int64]

  static func random(using random: inout some RandomNumberGenerator) -> Track {
    let count = Int.random(in: 0...8, using: &random)
    let step: Int64 = Bool.random(using: &random) ? 100 : 1
    var (second, metre): (Int64, Int64) = (0, Int64.random(in: 0...9, using: &random))
    var track: (seconds: [Int64], metres: [Int64]) = ([], [])
    for _ in 0..<count {
      track.seconds.append(second)
      track.metres.append(metre)
      second += Int64.random(in: 1...(Bool.random(using: &random) ? 3 : 500), using: &random)
      let stands = Int.random(in: 0..<4, using: &random) == 0
      metre += stands ? 0 : step * Int64.random(in: 1...(1500 / step), using: &random)
    }
    return Track(seconds: track.seconds, metres: track.metres)
  }

  var streams: Streams? {
    Streams(times: seconds.map { $0 * Billionths.ofOne }, distances: metres.map { $0 * Billionths.ofOne })
  }

  /// The least time for `span` metres over windows that start at many instants: a fine grid, every sample, and the
  /// instants from which a sample is exactly `span` ahead.
  func leastTime(over span: Int64) -> Fraction? {
    guard let last = seconds.last else { return nil }
    var starts = seconds.map { Fraction(Int128($0)) }
    starts += (0...50).map { Fraction(Int128(last) * $0, over: 50) }
    for metre in metres { starts += instants(at: Fraction(Int128(metre - span))) }
    return starts.compactMap { start in
      instants(at: position(at: start) + Fraction(Int128(span))).filter { $0 >= start }.min().map { $0 - start }
    }.min()
  }

  private func position(at instant: Fraction) -> Fraction {
    for index in seconds.indices.dropLast() where instant <= Fraction(Int128(seconds[index + 1])) {
      let part = (instant - Fraction(Int128(seconds[index]))) / Fraction(Int128(seconds[index + 1] - seconds[index]))
      return Fraction(Int128(metres[index])) + part * Fraction(Int128(metres[index + 1] - metres[index]))
    }
    return Fraction(Int128(metres.last ?? 0))
  }

  /// Every instant at which a segment is at a position; of a pause its first and its last.
  private func instants(at position: Fraction) -> [Fraction] {
    seconds.indices.dropLast().flatMap { index -> [Fraction] in
      let (from, to) = (Fraction(Int128(metres[index])), Fraction(Int128(metres[index + 1])))
      let (start, end) = (Fraction(Int128(seconds[index])), Fraction(Int128(seconds[index + 1])))
      guard from <= position, position <= to else { return [] }
      return from == to ? [start, end] : [start + (position - from) / (to - from) * (end - start)]
    }
  }
}
