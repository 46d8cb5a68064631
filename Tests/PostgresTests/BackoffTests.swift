import Postgres
import Testing

@Suite("Back-off") struct BackoffTests {
  private let backoff = Backoff(first: .seconds(1), factor: 4, longest: .seconds(300))

  @Test(arguments: [(1, 1), (2, 4), (3, 16), (4, 64), (5, 256), (6, 300), (7, 300), (64, 300), (.max, 300)])
  func `back-off delays grow by the factor up to the longest`(attempts: Int, seconds: Int) {
    #expect(backoff.delay(afterAttempts: attempts) == .seconds(seconds))
  }

  @Test(arguments: [0, -1, .min])
  func `attempt numbers below one have the first delay`(attempts: Int) {
    #expect(backoff.delay(afterAttempts: attempts) == .seconds(1))
  }

  @Test(arguments: [(0.0, 16.0), (0.5, 12.0), (0.999_999, 8.0)])
  func `jitter shortens a delay by up to a half`(draw: Double, seconds: Double) {
    let delay = backoff.delay(afterAttempts: 3, draw: draw)
    #expect(abs(delay / .seconds(1) - seconds) < 0.001)
  }

  @Test func `a back-off factor of one never grows`() {
    #expect(Backoff(first: .seconds(2), factor: 1, longest: .seconds(9)).delay(afterAttempts: 50) == .seconds(2))
  }
}
