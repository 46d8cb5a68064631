/// Random numbers that follow from a seed: SplitMix64.
struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Another label gives other numbers of the same seed.
  init(_ seed: UInt64, _ label: String = "") {
    state = label.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// A number in 0..<1.
  mutating func draw() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  mutating func hits(_ probability: Double) -> Bool { probability > 0 && draw() < probability }

  mutating func span(_ range: ClosedRange<Duration>) -> Duration {
    range.lowerBound + (range.upperBound - range.lowerBound) * draw()
  }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
