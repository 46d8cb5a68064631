import Synchronization

/// A request to stop claiming. Running batches still finish.
package final class StopFlag: Sendable {
  private let requested = Atomic<Bool>(false)

  package init() {}

  package var isRequested: Bool {
    requested.load(ordering: .acquiring)
  }

  package func request() {
    requested.store(true, ordering: .releasing)
  }

  package func lift() {
    requested.store(false, ordering: .releasing)
  }
}
