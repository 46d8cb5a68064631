import FoundationEssentials
import Testing

/// The units that we ship, as systemd reads them.
struct UnitTests {
  static let analyzer = tool("systemd-analyze")
  static let units = [
    "settled.service", "settled.socket", "settled-health.socket", "settled-gateway.service", "settled-gateway.socket",
    "settled-gateway-health.socket",
  ]

  @Test(.enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func `systemd finds nothing wrong with the units`() async throws {
    let directory = try Directory()
    for unit in Self.units {
      // The programs are not installed where the tests run.
      let text = try Self.text(unit)
        .replacing("/usr/bin/settled run", with: "/bin/true").replacing("/usr/bin/settlectl", with: "/bin/true")
        .replacing("/usr/bin/settled-gateway run", with: "/bin/true")
      try directory.write(text.utf8, to: unit)
    }

    let paths = Self.units.map { "\(directory.path)/\($0)" }
    let found = try await output(of: try #require(Self.analyzer), ["verify", "--man=no"] + paths)

    #expect(found.isSuccess)
    #expect(found.text == "")
  }

  @Test(
    .enabled(if: analyzer != nil, "systemd-analyze is not installed"),
    arguments: ["settled.service", "settled-gateway.service"])
  func `a service's exposure is at most 1.5`(name: String) async throws {
    let service = "\(Self.folder)/\(name)"

    let found = try await output(
      of: try #require(Self.analyzer), ["security", "--offline=true", "--no-pager", "--threshold=15", service])

    #expect(found.isSuccess, "\(found.text.split(separator: "\n").last ?? "")")
  }

  @Test func `the daemon's unit keeps the promises that others rely on`() throws {
    let lines = try Self.text("settled.service").split(separator: "\n").map(String.init)

    for line in [
      "Type=notify", "NotifyAccess=main", "ExecReload=+/usr/bin/settlectl reload --wait", "WatchdogSec=30",
      "Restart=on-failure", "RestartPreventExitStatus=57 64 78", "TimeoutStopSec=30",
    ] {
      #expect(lines.contains(line))
    }
    // With it the daemon could not tell one peer from another; without /proc/sys it would not know the boot.
    #expect(!lines.contains { $0.hasPrefix("PrivateUsers=") || $0.hasPrefix("ProcSubset=") })
  }

  @Test func `the gateway's unit has the limits that its rules count on`() throws {
    let lines = try Self.text("settled-gateway.service").split(separator: "\n").map(String.init)

    for line in [
      "User=settled-gateway", "Type=notify", "WatchdogSec=30", "MemoryMax=768M", "TimeoutStopSec=20",
      "RestartPreventExitStatus=64 78",
    ] {
      #expect(lines.contains(line))
    }
    #expect(!lines.contains { $0.hasPrefix("PrivateUsers=") })
  }

  private static let folder =
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/deploy/systemd"

  private static func text(_ unit: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(unit)", encoding: .utf8)
  }
}
