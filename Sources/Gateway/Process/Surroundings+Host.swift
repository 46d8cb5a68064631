import HostProcess
import Postgres

extension Surroundings {
  /// The machine's own.
  package static let host = Surroundings(
    now: { Host.elapsed },
    wall: {
      let (seconds, attoseconds) = Host.wall.components
      return Timestamp(microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    },
    sleep: { try await Task.sleep(for: $0, clock: .continuous) },
    randomBytes: Host.randomBytes)
}
