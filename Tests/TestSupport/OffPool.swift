import Foundation

/// Runs blocking work on a thread of its own.
///
/// Servers under test run on the cooperative pool of the same process. A call that blocks there can wait for ever for a
/// server that it keeps from running.
package func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
