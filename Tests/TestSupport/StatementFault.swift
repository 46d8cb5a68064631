package import Postgres
import Synchronization

/// A statement that fails, counted from 1 over all sessions that have these options; 0: none fails.
package final class StatementFault: Sendable {
  private let left: Mutex<Int>
  private let sqlState: String

  package init(at number: Int, sqlState: String = "57P01") {
    left = Mutex(number)
    self.sqlState = sqlState
  }

  package var wasMet: Bool { left.withLock { $0 <= 0 } }

  package func options(_ options: ConnectionOptions) -> ConnectionOptions {
    var options = options
    options.beforeStatement = { [self] _ in
      let isHit = left.withLock { left in
        left -= 1
        return left == 0
      }
      if isHit { throw PostgresError(sqlState == "57P01" ? .connection : .server, "injected", sqlState: sqlState) }
    }
    return options
  }
}
