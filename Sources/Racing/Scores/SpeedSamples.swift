/// A moment of a track, with the speed since the sample before.
struct SpeedSample: Hashable, Sendable {
  let millimetres: Int64
  let milliseconds: Int64
  let mmPerSecond: Int64
}

extension Streams {
  /// At most `max` samples in order: of equal parts of the track each gives its slowest and its fastest sample, so that
  /// no peak is lost. Samples at one instant have no speed.
  func speeds(atMost max: Int) -> [SpeedSample] {
    let parts = Swift.max(1, max / 2)
    let size = (times.count + parts - 1) / parts
    guard size > 0 else { return [] }
    return stride(from: 0, to: times.count, by: size).flatMap { first in
      extremes(first..<min(first + size, times.count))
    }
  }

  private func extremes(_ samples: Range<Int>) -> [SpeedSample] {
    var slowest: (place: Int, speed: Int64)?
    var fastest: (place: Int, speed: Int64)?
    for place in samples where place > 0 && times[place] > times[place - 1] {
      let way = Int128(distances[place] - distances[place - 1]) * 1000
      let speed = Int64(clamping: way / Int128(times[place] - times[place - 1]))
      if slowest.map({ speed < $0.speed }) ?? true { slowest = (place, speed) }
      if fastest.map({ speed > $0.speed }) ?? true { fastest = (place, speed) }
    }
    guard let slowest, let fastest else { return [] }
    let found = slowest.place == fastest.place ? [slowest] : [slowest, fastest].sorted { $0.place < $1.place }
    return found.map { place, speed in
      SpeedSample(
        millimetres: distances[place] / 1_000_000, milliseconds: times[place] / 1_000_000, mmPerSecond: speed)
    }
  }
}
