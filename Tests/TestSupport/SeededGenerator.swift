import Foundation

/// A reproducible source of random numbers (SplitMix64) for property tests.
///
/// The seed is random, or `SETTLED_TEST_SEED` where that is set. A test puts `description` into its expectations, so
/// that a failure says how to replay it.
package struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible, Sendable {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package init() {
    let given = ProcessInfo.processInfo.environment["SETTLED_TEST_SEED"].flatMap { UInt64($0) }
    self.init(seed: given ?? UInt64.random(in: .min ... .max))
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package var description: String { "SETTLED_TEST_SEED=\(seed)" }
}
