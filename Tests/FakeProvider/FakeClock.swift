import Glibc

/// The provider's time: the real one, or one that was set and stands or runs on from there.
struct FakeClock {
  private struct Setting {
    let now: Double
    let since: Double
    let runs: Bool
  }

  private var setting: Setting?

  /// Seconds of the epoch.
  var now: Int64 {
    guard let setting else { return Int64(Self.real) }
    return Int64(setting.now + (setting.runs ? Self.real - setting.since : 0))
  }

  /// Takes up a time; nil is the real one.
  mutating func set(_ now: Double?, runs: Bool) {
    setting = now.map { Setting(now: $0, since: Self.real, runs: runs) }
  }

  private static var real: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
