import TestSupport
import Testing

@testable import Gateway

/// Buckets as one would explain them: a number of tokens that grows with time, up to a limit. In whole milliseconds.
private struct SimpleBuckets {
  let interval: Int
  let burst: Int
  /// Tokens times interval, and when that was so.
  var level: [String: (amount: Int, at: Int)] = [:]

  mutating func take(_ key: String, at now: Int) -> Int? {
    let full = burst * interval
    let (amount, at) = level[key] ?? (full, now)
    let present = min(full, amount + now - at)
    level[key] = (present >= interval ? present - interval : present, now)
    return present >= interval ? nil : interval - present
  }
}

@Suite("Token buckets") struct TokenBucketTests {
  @Test func `token buckets allow the burst at once, and then one in every interval`() throws {
    let buckets = TokenBuckets(.writes)
    for _ in 0..<40 { #expect(buckets.take("a", at: .zero) == nil) }
    #expect(buckets.take("a", at: .zero) == .milliseconds(50))
    #expect(buckets.take("a", at: .milliseconds(49)) == .milliseconds(1))
    #expect(buckets.take("b", at: .milliseconds(49)) == nil)
    #expect(buckets.take("a", at: .milliseconds(50)) == nil)
    #expect(buckets.take("a", at: .milliseconds(50)) == .milliseconds(50))
    for _ in 0..<40 { #expect(buckets.take("a", at: .seconds(10)) == nil) }
    #expect(buckets.take("a", at: .seconds(10)) != nil)
  }

  @Test func `token buckets match simple ones for many keys over a long time`() throws {
    var generator = SeededGenerator()
    for _ in 0..<40 {
      let count = Int.random(in: 1...20, using: &generator)
      let interval = Int.random(in: 1000...5000, using: &generator)
      let burst = Int.random(in: 1...20, using: &generator)
      let rate = try #require(Rate(count, per: .milliseconds(count * interval), burst: burst))
      let (buckets, keys) = (TokenBuckets(rate, keysMax: 1000), Int.random(in: 1...30, using: &generator))
      var simple = SimpleBuckets(interval: interval, burst: burst)
      var now = 0
      for _ in 0..<2000 {
        now +=
          Int.random(in: 0..<10, using: &generator) == 0
          ? Int.random(in: 0...interval * burst * 3, using: &generator)
          : Int.random(in: 0...interval / 2, using: &generator)
        let key = "key \(Int.random(in: 0..<keys, using: &generator))"
        let expected = simple.take(key, at: now).map { Duration.milliseconds($0) }
        #expect(buckets.take(key, at: .milliseconds(now)) == expected, "\(generator)")
      }
    }
  }

  @Test func `token buckets keep a limited number of keys, the last used ones`() {
    let buckets = TokenBuckets(.tenPerMinute, keysMax: 1000)
    for _ in 0..<10 { #expect(buckets.take("busy", at: .zero) == nil) }
    for number in 0..<100_000 {
      if number % 400 == 0 { #expect(buckets.take("busy", at: .zero) != nil) }
      _ = buckets.take("other \(number)", at: .zero)
      #expect(buckets.count <= 1000)
    }
  }

  @Test func `token buckets forget keys that nobody uses`() {
    let buckets = TokenBuckets(.tenPerMinute)
    for number in 0..<1000 { _ = buckets.take("\(number)", at: .zero) }
    _ = buckets.take("a", at: .seconds(60))
    _ = buckets.take("a", at: .seconds(120))
    #expect(buckets.count <= 2)
  }

  @Test func `token buckets never allow more than burst and rate, at any concurrency`() async {
    let buckets = TokenBuckets(.writes)
    let allowed = await withTaskGroup(of: Int.self) { group in
      for task in 0..<20 {
        group.addTask { (0..<100).count { _ in buckets.take("a", at: .milliseconds(50 * (task % 2))) == nil } }
      }
      return await group.reduce(0, +)
    }
    #expect((40...41).contains(allowed))
  }

  @Test func `token buckets have rates within bounds`() {
    #expect(Rate(10, per: .seconds(60)) == .tenPerMinute)
    #expect(Rate(20, per: .seconds(1), burst: 40) == .writes)
    #expect(Rate(200, per: .seconds(1)) == .payments)
    for bad in [
      Rate(0, per: .seconds(1)), Rate(-1, per: .seconds(1)), Rate(1, per: .zero), Rate(1, per: .seconds(86_401)),
      Rate(1, per: .seconds(1), burst: 0), Rate(1_000_001, per: .seconds(1)),
    ] {
      #expect(bad == nil)
    }
  }

  @Test func `token buckets round Retry-After up to whole seconds, and count each limit separately`() {
    let limits = RateLimits()
    for _ in 0..<10 { #expect(limits.secondsToWait(.signIn, of: "a", at: .zero) == nil) }
    #expect(limits.secondsToWait(.signIn, of: "a", at: .zero) == 6)
    #expect(limits.secondsToWait(.signIn, of: "a", at: .milliseconds(1)) == 6)
    #expect(limits.secondsToWait(.signIn, of: "a", at: .milliseconds(5999)) == 1)
    #expect(limits.secondsToWait(.flags, of: "a", at: .zero) == nil)
    for _ in 0..<40 { #expect(limits.secondsToWait(.writes, of: "a", at: .zero) == nil) }
    #expect(limits.secondsToWait(.writes, of: "a", at: .zero) == 1)
    for _ in 0..<200 { #expect(limits.secondsToWait(.payments, of: "a", at: .zero) == nil) }
    #expect(limits.secondsToWait(.payments, of: "a", at: .zero) == 1)
  }
}
