package import Engine
package import HostProcess
import Postgres

extension Host {
  /// The machine's clocks and chance, as the engine takes them.
  package static let timekeeper: Timekeeper = {
    let start = ContinuousClock.now
    return Timekeeper(
      now: { ContinuousClock.now - start },
      boot: { Host.sinceBoot },
      bootId: (try? text(ofFile: "/proc/sys/kernel/random/boot_id"))?.trimmed
        ?? "unknown boot \(UInt64.random(in: 0 ... .max))",
      wall: { Timestamp(microseconds: Host.wall.microseconds) },
      sleep: { try await Task.sleep(for: $0, clock: .continuous) },
      draw: { Double.random(in: 0..<1) })
  }()
}
