package import Postgres
import Synchronization

/// Counts statements, as `ConnectionOptions.beforeStatement`.
package final class StatementCounter: Sendable {
  private let counted = Mutex(0)

  package init() {}

  package var value: Int { counted.withLock { $0 } }

  package var count: @Sendable (Statement) throws -> Void {
    { [self] _ in counted.withLock { $0 += 1 } }
  }
}
