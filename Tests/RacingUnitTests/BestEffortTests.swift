import TestSupport
import Testing

@testable import Racing

@Suite("The best effort")
struct BestEffortTests {
  @Test func `the best effort equals an exact reference on random tracks with pauses and ties`() throws {
    var random = SeededGenerator()
    var efforts = 0
    for _ in 0..<1500 {
      let track = Track.random(using: &random)
      let streams = try #require(track.streams, "\(random)")
      let found = streams.shortestTime(over: 1_000 * Billionths.ofOne)
        .map { Billionths.rounded($0, to: 1_000_000) }
      let expected = track.leastTime(over: 1000).map { Int64(exactly: ($0 * Fraction(1000)).roundedHalfUp) }
      #expect(found == expected, "\(random) \(track)")
      efforts += found == nil ? 0 : 1
    }
    #expect(efforts > 300, "\(random)")
  }

  @Test(
    arguments: [
      ([0, 100, 200, 500], [0, 0, 0, 1000], 300_000),
      ([0, 300, 400, 500], [0, 1000, 1000, 1000], 300_000),
      ([0, 10, 110, 210, 220], [0, 0, 500, 1000, 1000], 200_000),
      ([0, 100, 900, 1000], [0, 500, 500, 1000], 1_000_000),
      ([0, 100, 200, 300], [0, 0, 1000, 2000], 100_000),
      ([0, 3, 6], [0, 1000, 3000], 1500),  // Starts at a sample.
      ([0, 3, 6], [0, 2000, 3000], 1500),  // Ends at one.
      ([0, 7], [0, 3000], 2333),
      ([0, 5], [0, 3000], 1667),
      ([0, 1, 2, 3], [0, 600, 1200, 1201], 1667),
    ] as [([Int64], [Int64], Int64)])
  func `the best effort ends a pause at its last instant and reaches one at its first`(
    seconds: [Int64], metres: [Int64], expected: Int64
  ) throws {
    let streams = try #require(
      Streams(times: seconds.map { $0 * Billionths.ofOne }, distances: metres.map { $0 * Billionths.ofOne }))
    let time = try #require(streams.shortestTime(over: 1000 * Billionths.ofOne))
    #expect(Billionths.rounded(time, to: 1_000_000) == expected)
  }

  @Test func `the best effort rounds exactly half a millisecond up, in any window`() throws {
    // 2 km in 600.001 s: any kilometre takes 300.0005 s.
    let even = try #require(Streams(times: [0, 600_001_000_000], distances: [0, 2_000_000_000_000]))
    #expect(even.shortestTime(over: 1_000_000_000_000) == 300_000_500_000)
    // One billionth less for the whole: 300.000499... s, cut and not rounded to the boundary.
    let less = try #require(Streams(times: [0, 600_000_999_999], distances: [0, 2_000_000_000_000]))
    let time = try #require(less.shortestTime(over: 1_000_000_000_000))
    #expect(time == 300_000_499_999)
    #expect(Billionths.rounded(time, to: 1_000_000) == 300_000)
  }

  @Test func `the best effort refuses the streams that the import refuses`() {
    #expect(Streams(times: [0, 1], distances: [0]) == nil)
    #expect(Streams(times: [1, 0], distances: [0, 1]) == nil)
    #expect(Streams(times: [0, 1], distances: [1, 0]) == nil)
    #expect(Streams(times: [-1, 0], distances: [0, 1]) == nil)
    #expect(Streams(times: [.min, .max], distances: [.min, .max]) == nil)
    #expect(Streams(times: [], distances: []) != nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func `the best effort of 200,000 samples is found in one pass`() throws {
    let indices: [Int64] = (0..<200_000).map { $0 }
    let streams = try #require(
      Streams(times: indices.map { $0 * Billionths.ofOne }, distances: indices.map { $0 / 4 * 4 * Billionths.ofOne }))
    // Four metres in one second of every four; the rest stands still.
    #expect(streams.shortestTime(over: 1_000 * Billionths.ofOne) == 997 * Int128(Billionths.ofOne))
  }
}
