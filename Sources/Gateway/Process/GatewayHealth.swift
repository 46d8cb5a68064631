import HTTPServing
import HostProcess
import Synchronization

/// Whether the database responds, as the latest probe found it.
final class GatewayHealth: Sendable {
  private let database: Database
  private let surroundings: Surroundings
  /// Nil: not probed yet.
  private let isUp = Mutex<Bool?>(nil)

  /// How often is looked, and how long a look may take.
  static let interval: Duration = .seconds(2)
  private static let limit: Duration = .seconds(2)

  init(_ database: Database, _ surroundings: Surroundings) {
    self.database = database
    self.surroundings = surroundings
  }

  var isReady: Bool { isUp.withLock { $0 ?? false } }

  /// Looks again and again until the task is cancelled; `changed` hears of each change, `looked` of each look.
  func watch(changed: @Sendable (Bool) -> Void, checked: @Sendable () -> Void) async {
    while !Task.isCancelled {
      let now = await database.probe(within: Self.limit)
      if isUp.withLock({ isUp in
        defer { isUp = now }
        return isUp != now
      }) {
        changed(now)
      }
      checked()
      guard (try? await surroundings.sleep(Self.interval)) != nil else { return }
    }
  }
}
