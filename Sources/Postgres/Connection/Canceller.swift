internal import CLibpq
internal import Dispatch

/// Sends cancel requests for one connection, each on a thread of its own, because libpq blocks meanwhile.
final class Canceller: @unchecked Sendable {
  private let handle: OpaquePointer

  init?(_ connection: OpaquePointer) {
    guard let handle = PQgetCancel(connection) else { return nil }
    self.handle = handle
  }

  deinit { PQfreeCancel(handle) }

  /// Calls `done` when the server has taken the request, or could not be reached.
  func send(_ done: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "settled.postgres.cancel").async { [self] in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        _ = PQcancel(handle, buffer.baseAddress, Int32(buffer.count))
      }
      done()
    }
  }
}
