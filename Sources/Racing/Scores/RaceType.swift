/// The measure of a race, and so which of two scores is the better one.
///
/// Raw values are those of the contract. Source: Racing.docc/Scores.md.
package enum RaceType: String, CaseIterable, Sendable {
  /// Millimetres a second; more is better.
  case topSpeed = "top_speed"
  /// Centimetres of one activity; more is better.
  case furthestDistance = "furthest_distance"
  /// Milliseconds for one kilometre; less is better.
  case fastest1km = "fastest_1km"
  /// Milliseconds for five kilometres; less is better.
  case fastest5km = "fastest_5km"

  package var higherIsBetter: Bool {
    switch self {
    case .topSpeed, .furthestDistance: true
    case .fastest1km, .fastest5km: false
    }
  }

  /// Whether `score` beats `other`; false for a tie.
  package func isBetter(_ score: Int64, than other: Int64) -> Bool {
    merit(of: score) > merit(of: other)
  }

  /// A number that is larger for the better score, for every type.
  ///
  /// The complement reverses the order of all 64-bit numbers; a negation would trap on the smallest.
  func merit(of score: Int64) -> Int64 {
    higherIsBetter ? score : ~score
  }
}
