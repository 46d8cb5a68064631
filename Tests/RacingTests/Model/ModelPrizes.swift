/// The payments of a race, written for the test from the rules alone and in another way than the code under test.
///
/// Plain numbers, no sorting by merit: a place is one more than the number of better scores.
enum ModelPrizes {
  struct Runner: Hashable {
    let entry: Int64
    /// Larger is better; nil without a score.
    var merit: Int64?
    let fee: Int64
    /// Earlier is smaller: entries of one instant by their id.
    let order: Int
  }

  /// The amount of each entry, and the platform's part; nil where nobody is ranked.
  static func split(_ runners: [Runner]) -> (prizes: [Int64: Int64], platform: Int64)? {
    let ranked = runners.filter { $0.merit != nil }
    guard !ranked.isEmpty else { return nil }
    let fees = runners.reduce(0) { $0 + $1.fee }
    let platform = fees / 100
    let places = places(fees - platform, filled: min(3, ranked.count))
    var prizes: [Int64: Int64] = [:]
    for runner in ranked {
      let better = ranked.filter { $0.merit ?? 0 > runner.merit ?? 0 }.count
      let equal = ranked.filter { $0.merit == runner.merit }
      let pot = (better..<better + equal.count).reduce(0) { $0 + ($1 < places.count ? places[$1] : 0) }
      let earlier = equal.filter { $0.order < runner.order }.count
      let share = pot / Int64(equal.count) + (Int64(earlier) < pot % Int64(equal.count) ? 1 : 0)
      if share > 0 { prizes[runner.entry] = share }
    }
    return (prizes, platform)
  }

  /// Penny by penny to whoever is furthest behind what is due: the largest remainder, said in another way.
  private static func places(_ pool: Int64, filled: Int) -> [Int64] {
    let shares = Array([Int64(75), 20, 5].prefix(filled))
    let whole = shares.reduce(0, +)
    var places = shares.map { pool * $0 / whole }
    var rests = zip(shares, places).map { pool * $0 - $1 * whole }
    while places.reduce(0, +) < pool {
      var best = 0
      for index in rests.indices where rests[index] > rests[best] { best = index }
      places[best] += 1
      rests[best] = -1
    }
    return places
  }
}
