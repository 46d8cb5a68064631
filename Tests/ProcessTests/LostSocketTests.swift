import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A removed control socket") struct LostSocketTests {
  @Test func `a removed control socket is reported by settlectl and by the daemon's journal`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemon = try SettledProcess.daemon(database, node: "lost", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    #expect(try await daemon.settlectl("status").exit == .code(0))
    try FileManager.default.removeItem(atPath: daemon.controlSocket)
    let status = try await daemon.settlectl("status")
    #expect(status.exit == .code(69))
    #expect(status.errors.contains("its lock file does: the daemon may be running"), "\(status.errors)")
    #expect(status.errors.contains("systemctl restart settled"))
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await daemon.log("a socket file was removed")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    let gone = try await daemon.settlectl("status")
    #expect(gone.exit == .code(69) && !gone.errors.contains("lock file"), "\(gone.errors)")
  }

  @Test func `a control socket of a wrong mode or group is named by doctor and by a settlectl that is kept out`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "closed", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    func sockets() async throws -> String {
      let doctor = try await daemon.settlectl("doctor", "--json").output
      return doctor.split(separator: "}").first { $0.contains("sockets") }.map(String.init) ?? doctor
    }
    let path = daemon.controlSocket
    for (mode, fault) in [(0o600, "mode 0600: its group cannot open it"), (0o666, "mode 0666: everyone can open it")] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      #expect(try await sockets().contains(fault), "\(mode)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path)
    if geteuid() == 0 {
      try FileManager.default.setAttributes([.groupOwnerAccountID: 1], ofItemAtPath: path)
      #expect(try await sockets().contains("but socket_group is "))
    }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
