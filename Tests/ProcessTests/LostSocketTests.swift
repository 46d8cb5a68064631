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
    #expect(status.errors.contains("its lock file is there: the daemon may run"), "\(status.errors)")
    #expect(status.errors.contains("systemctl restart settled"))
    try await owner.execute("SELECT pg_notify('settled', '')")
    try await daemon.log("a socket's file was removed")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    let gone = try await daemon.settlectl("status")
    #expect(gone.exit == .code(69) && !gone.errors.contains("lock file"), "\(gone.errors)")
  }
}
