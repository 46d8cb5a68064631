import ControlAPI
import Dashboard
@testable import DashboardRelay
import Synchronization
import TestSupport
import Testing
import TextCoding

@Suite("A dashboard's reads of its daemon") struct DaemonLinkTests {
  /// Targets in the order in which a stand-in was asked for them.
  private final class Asked: Sendable {
    private let targets = Mutex<[String]>([])

    var count: Int { targets.withLock { $0.count } }

    /// How many there are with this one.
    func add(_ target: String) -> Int {
      targets.withLock {
        $0.append(target)
        return $0.count
      }
    }
  }

  private let status = Ask("status")

  @Test func `replies that count no longer are dropped at the next call`() async throws {
    let link = DaemonLink(path: "/nowhere")
    for number in 1...100 { _ = await link.reply(to: Ask("no.such.command.\(number)")) }
    try await untilTrue("the end of the kept replies") {
      _ = await link.reply(to: Ask("no.such.command"))
      return await link.keptCount == 1
    }
  }

  @Test func `a read that was begun before a change does not answer one that is asked after it`() async throws {
    let (asked, before) = (Asked(), Gatekeeper())
    let daemon = try await StandInDaemon { target in
      let number = asked.add(target)
      if number == 1 { await before.wait() }
      return .json("{\"node\": \"\(number)\"}")
    }
    // However slow the machine is, the newer reply counts until the end.
    let link = DaemonLink(path: daemon.path, freshFor: .seconds(3600))
    async let old = link.reply(to: status)
    try await untilTrue("the first request") { asked.count == 1 }
    await link.forget()
    #expect(await link.reply(to: status).answer?["node"]?.text == "2")
    before.open()
    #expect(await old.answer?["node"]?.text == "1")
    // The end of the older read leaves the newer reply in its place.
    #expect(await link.reply(to: status).answer?["node"]?.text == "2")
  }

  @Test func `the end of a forgotten read does not end the one that is awaited`() async throws {
    let (asked, before, after) = (Asked(), Gatekeeper(), Gatekeeper())
    let daemon = try await StandInDaemon { target in
      let number = asked.add(target)
      await (number == 1 ? before : after).wait()
      return .json("{\"node\": \"\(number)\"}")
    }
    // An ended reply counts for no time at all, one that is awaited for all who want it.
    let link = DaemonLink(path: daemon.path, freshFor: .zero)
    async let old = link.reply(to: status)
    try await untilTrue("the first request") { asked.count == 1 }
    await link.forget()
    async let new = link.reply(to: status)
    try await untilTrue("the second request") { asked.count == 2 }
    before.open()
    _ = await old
    // The other ask shows when the link has taken both.
    async let same = link.replies(to: [status, Ask("no.such.command")])
    try await untilTrue("both asks") { await link.keptCount == 2 }
    after.open()
    #expect(await new.answer?["node"]?.text == "2")
    #expect(await same[status]?.answer?["node"]?.text == "2")
    #expect(asked.count == 2)
  }

  @Test func `a daemon that answers nothing is asked by a few, and the others fail without waiting`() async throws {
    let asked = Asked()
    let daemon = try await StandInDaemon { target in
      _ = asked.add(target)
      return nil
    }
    let link = DaemonLink(path: daemon.path, answerAtMost: .milliseconds(300), silentFor: .seconds(600))
    let asks = Set((1...60).map { Ask("race.list", ["limit": .integer(Int64($0))]) })
    let replies = await link.replies(to: asks)
    #expect(replies.count == asks.count)
    for reply in replies.values {
      guard case .unreachable = reply else {
        Issue.record("\(reply)")
        continue
      }
    }
    #expect((1...RelayLimits.asksMax * 2).contains(asked.count), "\(asked.count)")
  }

  @Test func `a read that is late leaves the others their replies, and is not asked again`() async throws {
    let (asked, gate) = (Asked(), Gatekeeper())
    let daemon = try await StandInDaemon { target in
      guard target.contains("races") else { return .json("{\"node\": \"a\"}") }
      _ = asked.add(target)
      await gate.wait()
      return .json("{}")
    }
    let (link, slow) = (DaemonLink(path: daemon.path), Ask("race.list"))
    // The quick one has its reply before the time begins.
    #expect(await link.reply(to: status).answer != nil)
    let replies = await link.replies(to: [status, slow], within: .milliseconds(20))
    #expect(replies[slow] == .awaited)
    async let later = link.reply(to: slow)
    gate.open()
    #expect(await later.answer != nil)
    #expect(asked.count == 1)
  }

  @Test func `a slow read beside others that are answered fails alone`() async throws {
    let daemon = try await StandInDaemon { $0.contains("races") ? nil : .json("{}") }
    let link = DaemonLink(path: daemon.path, answerAtMost: .milliseconds(300), freshFor: .zero)
    async let slow = link.reply(to: Ask("race.list"))
    try await untilTrue("an answer after the slow read") {
      _ = await link.reply(to: status)
      return await link.keptCount == 1
    }
    guard case .unreachable = await slow else { throw TimeLimitError(description: "the slow read was answered") }
    // Its time of 300 ms also counts on a busy machine.
    try await untilTrue("the others are answered") { await link.reply(to: status).answer != nil }
  }
}
