import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ThreadTests {
  @Test func `many waiting statements do not keep other tasks from running`() async throws {
    let (database, holder) = try await connected()
    let observer = try await database.connect()
    let count = 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 2
    try await holder.execute("SELECT pg_advisory_lock(1)")
    let waiting = (0..<count).map { _ in
      Task { try await database.connect().execute("SELECT pg_advisory_lock_shared(1)") }
    }
    try await eventually("not all statements wait") {
      try await observer.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      ).count == count
    }
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<1000 {
        group.addTask {
          await Task.yield()
          return number
        }
      }
      return await group.reduce(0, +)
    }
    #expect(sum == 499_500)
    try await holder.execute("SELECT pg_advisory_unlock(1)")
    for task in waiting { _ = try await task.value }
  }
}
