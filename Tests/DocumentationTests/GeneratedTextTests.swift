import TestSupport
import Testing

@Suite("Generated texts") struct GeneratedTextTests {
  @Test func `the commands of settlectl, its manual page and the page of levels follow the descriptions`()
    async throws
  {
    let check = try SettledProcess(["--check"], program: SettledProcess.built("settled-texts"))
    let stale = try await check.finished()
    #expect(stale.exit == .code(0), "out of date, renew with `swift run settled-texts`: \(stale.output)")
  }
}
