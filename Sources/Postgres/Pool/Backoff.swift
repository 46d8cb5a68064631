/// Growing pauses between failed attempts: doubled from 100 ms to 5 s, each shortened at random by up to a half.
struct Backoff {
  static let least: Duration = .milliseconds(100)
  static let most: Duration = .seconds(5)

  private(set) var failures = 0

  /// The pause after one more failure; `random` lies in 0..<1.
  mutating func fail(random: Double = .random(in: 0..<1)) -> Duration {
    let pause = min(Self.most, Self.least * (1 << min(failures, 10)))
    failures += 1
    return pause * (1 - random / 2)
  }

  mutating func succeed() {
    failures = 0
  }
}
