import TestSupport
import Testing

@Suite("The fake provider in trouble") struct FakeProviderTroubleTests {
  @Test func `the fake provider's windows count refused calls and restart on the quarter and at midnight`()
    async throws
  {
    let (provider, tokens) = try await FakeProvider.connected()
    try await provider.configure(ProviderSettings(limits: .init(3, 6), readLimits: .init(2, 1000)))
    let first = try await provider.list(tokens.accessToken)
    #expect(first.header("X-RateLimit-Limit") == "3,6" && first.header("X-RateLimit-Usage") == "2,2")
    #expect(first.header("X-ReadRateLimit-Limit") == "2,1000" && first.header("X-ReadRateLimit-Usage") == "1,1")
    #expect(try await provider.list(tokens.accessToken).status == 200)
    for used in 4...5 {
      let refused = try await provider.refresh(tokens.refreshToken)
      #expect(refused.status == 429 && refused.header("X-RateLimit-Usage") == "\(used),\(used)")
      #expect(refused.header("X-ReadRateLimit-Usage") == nil)
    }
    #expect(try await provider.report().callsInSpentWindow == 2)

    try await provider.setClock(FakeProvider.noon + 899)
    #expect(try await provider.report().windows.used15 == 5)
    try await provider.setClock(FakeProvider.noon + 900)
    #expect(try await provider.refresh(tokens.refreshToken).header("X-RateLimit-Usage") == "1,6")
    #expect(try await provider.refresh(tokens.refreshToken).status == 429)
    try await provider.setClock(FakeProvider.noon + 12 * FakeProvider.hour)
    try await provider.configure(ProviderSettings(sendsHeaders: false))
    let bare = try await provider.refresh(tokens.refreshToken)
    #expect(bare.status == 200 && bare.header("X-RateLimit-Usage") == nil)
    let report = try await provider.report()
    #expect(report.limited == 3 && report.callsInSpentWindow == 3 && report.windows.usedDay == 1)
  }

  @Test func `a rotation whose answer is lost has happened, and is listed`() async throws {
    let (provider, first) = try await FakeProvider.connected()
    var token = first.refreshToken
    var now = FakeProvider.noon
    let faults: [ProviderSettings.Fault] = [.resetAfter, .truncate, .garbage, .wrongType, .status503After]
    for fault in faults {
      now += 6 * FakeProvider.hour
      try await provider.setClock(now)
      try await provider.configure(ProviderSettings(faults: [fault: 1]))
      let answer = try? await provider.refresh(token)
      #expect((answer == nil) == (fault == .resetAfter || fault == .truncate), "\(fault)")
      #expect(answer?.body.contains("rt_") != true)
      try await provider.configure(ProviderSettings(faults: [:]))
      #expect(try await provider.refresh(token).status == 400)
      token = try await provider.tokens(77).refreshToken
    }
    let report = try await provider.report()
    #expect(report.rotations == 5 && report.undelivered.count == 5 && report.refreshes == 5)
    #expect(report.undelivered.allSatisfy { $0.athlete == 77 } && report.undelivered.last?.at == now)
  }

  @Test func `a refresh that a reset, a 500 or an absent provider prevents changes nothing`() async throws {
    let (provider, tokens) = try await FakeProvider.connected()
    try await provider.setClock(tokens.expiresAt)
    try await provider.configure(ProviderSettings(faults: [.resetBefore: 1]))
    await #expect(throws: LoopbackClient.Lost.self) { try await provider.refresh(tokens.refreshToken) }
    try await provider.configure(ProviderSettings(faults: [.status500: 1]))
    #expect(try await provider.refresh(tokens.refreshToken).status == 500)
    try await provider.configure(ProviderSettings(faults: [:], away: true))
    await #expect(throws: LoopbackClient.Lost.self) { try await provider.refresh(tokens.refreshToken) }
    try await provider.configure(ProviderSettings(away: false))
    #expect(try await provider.report().rotations == 0)
    _ = try Issued(await provider.refresh(tokens.refreshToken))
    provider.kill()
    await #expect(throws: (any Error).self) { try await provider.refresh(tokens.refreshToken) }
  }

  @Test func `concurrent refreshes are counted for each athlete, and a caller who leaves ends its own`() async throws {
    let (provider, first) = try await FakeProvider.connected()
    let other = try Issued(await provider.exchange(provider.authorize(78)))
    try await provider.configure(ProviderSettings(delayMs: 300))
    async let one = provider.refresh(first.refreshToken)
    async let two = provider.refresh(other.refreshToken)
    _ = try await (one, two)
    #expect(try await provider.report().parallel == 0)
    async let three = provider.refresh(first.refreshToken)
    async let four = provider.refresh(first.refreshToken)
    _ = try await (three, four)
    #expect(try await provider.report().parallel == 1)

    try await provider.setClock(first.expiresAt)
    try await provider.configure(ProviderSettings(delayMs: 0, faults: [.slow: 1]))
    try await provider.configure(ProviderSettings(slowMs: 600_000))
    let given = Task { try await provider.refresh(first.refreshToken) }
    try await untilTrue("the rotation") { try await provider.report().rotations == 1 }
    #expect(try await provider.report().undelivered.isEmpty)
    given.cancel()
    try await untilTrue("the end of the call") { try await provider.report().undelivered.count == 1 }
    try await provider.configure(ProviderSettings(faults: [:]))
    #expect(try await provider.refresh(first.refreshToken).status == 400)
    #expect(try await provider.report().parallel == 1)
  }

  @Test(arguments: [false, true])
  func `a call that hangs has done nothing, and one with an endless answer has done everything`(isDone: Bool)
    async throws
  {
    let (provider, tokens) = try await FakeProvider.connected()
    try await provider.setClock(tokens.expiresAt)
    try await provider.configure(ProviderSettings(faults: [isDone ? .tooLarge : .hang: 1]))
    let call = Task { try await provider.refresh(tokens.refreshToken) }
    let rotations = isDone ? 1 : 0
    try await untilTrue("the call") {
      let report = try await provider.report()
      return report.faults.count == 1 && report.rotations == rotations
    }
    call.cancel()
    await #expect(throws: (any Error).self) { try await call.value }
    try await untilTrue("the end") { try await provider.report().undelivered.count == rotations }
    #expect(try await provider.report().rotations == rotations)
    try await provider.configure(ProviderSettings(faults: [:]))
    #expect(try await provider.refresh(tokens.refreshToken).status == (isDone ? 400 : 200))
  }

  @Test func `a refused client and spent limits are reported to every caller`() async throws {
    let (provider, tokens) = try await FakeProvider.connected()
    try await provider.configure(ProviderSettings(deniesClient: true))
    #expect(try await provider.refresh(tokens.refreshToken).status == 401)
    try await provider.configure(ProviderSettings(deniesClient: false, tooMany: true))
    let bare = try await provider.list(tokens.accessToken)
    #expect(bare.status == 429 && bare.header("X-RateLimit-Limit") == nil)
    #expect(try await provider.report().callsInSpentWindow == 0)
    #expect(try await provider.list(tokens.accessToken).status == 429)
    let report = try await provider.report()
    #expect(report.deniedClients == 1 && report.limited == 2 && report.callsInSpentWindow == 1)
  }

  @Test func `the faults of a seed are reproducible`() async throws {
    let provider = try await FakeProvider()
    var runs: [[Int]] = []
    for _ in 0..<2 {
      try await provider.configure(ProviderSettings(faults: [.status500: 0.3, .garbage: 0.2], seed: 7))
      var statuses: [Int] = []
      for _ in 0..<40 { statuses.append(try await provider.refresh("rt_none").status) }
      runs.append(statuses)
    }
    #expect(runs[0] == runs[1] && Set(runs[0]) == [200, 400, 500])
  }
}
