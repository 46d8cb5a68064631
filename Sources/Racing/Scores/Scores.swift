/// The scores of one activity in each type of race; nil where it has no score.
///
/// Whole numbers, so that a tie is exact, and always positive: what is zero, or rounds to zero, is a broken recording
/// and scores nothing. Source: Racing.docc/Scores.md.
package struct Scores: Hashable, Sendable {
  /// Millimetres a second, rounded half up.
  package let topSpeed: Int64?
  /// Centimetres, rounded half up.
  package let furthestDistance: Int64?
  /// Milliseconds, rounded half up.
  package let fastest1km: Int64?
  /// Milliseconds, rounded half up.
  package let fastest5km: Int64?

  package init(_ measures: ActivityMeasures) {
    topSpeed = measures.maxSpeed.flatMap { Billionths.rounded(Int128($0), to: 1_000_000) }
    furthestDistance = Billionths.rounded(Int128(measures.distance), to: 10_000_000)
    fastest1km = Self.fastest(kilometres: 1, of: measures)
    fastest5km = Self.fastest(kilometres: 5, of: measures)
  }

  package subscript(type: RaceType) -> Int64? {
    switch type {
    case .topSpeed: topSpeed
    case .furthestDistance: furthestDistance
    case .fastest1km: fastest1km
    case .fastest5km: fastest5km
    }
  }

  /// Milliseconds of the best effort in the streams, else at the average moving pace; nil for a shorter activity.
  ///
  /// Streams that are absent, or themselves shorter than the distance asked for, leave the average. A best effort of
  /// less than half a millisecond is a track that jumps: nil, without looking for a second best.
  private static func fastest(kilometres: Int64, of measures: ActivityMeasures) -> Int64? {
    let span = kilometres * 1000 * Billionths.ofOne
    guard measures.distance >= span else { return nil }
    let time =
      measures.streams?.shortestTime(over: span)
      ?? Int128(span) * Int128(measures.movingTime) / Int128(measures.distance)
    return Billionths.rounded(time, to: 1_000_000)
  }
}
