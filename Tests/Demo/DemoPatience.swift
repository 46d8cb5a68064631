import Engine
import HostProcess

/// Waits for the daemon while it makes progress: a busy machine is slow, and only one without progress is stuck.
struct DemoPatience: Sendable {
  let time: Timekeeper

  /// Without any progress.
  private static let most: Duration = .seconds(120)

  /// Waits until nothing is left. Throws `Exit` (try later) where the number has not changed for two minutes.
  func wait(_ what: String, left: () async throws -> Int64) async throws {
    var (number, changedAt) = (Int64?.none, time.now())
    while true {
      let left = try await left()
      if left == 0 { return }
      if left != number { (number, changedAt) = (left, time.now()) }
      guard time.now() - changedAt < Self.most else {
        throw Exit(.tryLater, "\(what) did not come within two minutes: this machine is too busy, try again")
      }
      try await time.sleep(.milliseconds(10))
    }
  }
}
