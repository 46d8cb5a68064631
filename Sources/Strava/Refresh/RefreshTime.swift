import Postgres

/// When a token is refreshed: between 60 and 10 minutes before its end, always as long for one athlete. Pure.
///
/// So athletes who connected together are refreshed one after the other. Source: Strava.docc/Tokens.md,
/// "When a token is refreshed".
enum RefreshTime {
  /// A token with no more time than this is due.
  static let latest: Duration = .seconds(600)

  static func instant(end: Timestamp, athlete: Int64) -> Timestamp {
    end.advanced(by: .zero - before(athlete)) ?? end
  }

  static func before(_ athlete: Int64) -> Duration {
    // A mixing of bits (splitmix64), so that neighbours are far apart.
    var bits = UInt64(bitPattern: athlete) &+ 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    bits ^= bits >> 31
    return latest + .seconds(Int64(bits % 3001))
  }
}
