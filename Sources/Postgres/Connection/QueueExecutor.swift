internal import Dispatch

/// Runs an actor's jobs on a dispatch queue of its own, so that it shares the thread of the queue's event sources.
///
/// The queue uses the threads of Swift's tasks: a switch between a task and the actor wakes fewer threads.
/// A task that blocked its thread would therefore delay connections, too.
final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label, target: .global())
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
