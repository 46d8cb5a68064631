import ControlAPI
@testable import DashboardRelay
import TestSupport
import Testing

@Suite("The checks of a dashboard's request") struct GateTests {
  private let gate: Gate
  private let good: Approach

  init() {
    var random = SeededGenerator(seed: 7)
    gate = Gate(owner: 1004, token: Token(using: &random), allowsChanges: true)
    good = Approach(
      peer: 1004, method: "POST", route: RelayRoute(path: "/command/job.pause"), host: ["127.0.0.1:8081"],
      origin: ["http://127.0.0.1:8081"], fetchSite: ["same-origin"], authorization: ["Bearer " + gate.token.text],
      requestId: ["a1"])
  }

  private func rule(_ change: (inout Approach) -> Void, level: CommandLevel = .operate) -> String? {
    var approach = good
    change(&approach)
    return gate.refusal(of: approach, level: level)?.rule
  }

  @Test func `a request of the operator's own page is let in`() {
    #expect(gate.refusal(of: good, level: .operate) == nil)
    for host in ["127.0.0.1", "localhost", "localhost:1", "[::1]", "[::1]:65535"] {
      #expect(
        rule {
          $0.host = [host]
          $0.origin = ["http://" + host]
        } == nil, "\(host)")
    }
    #expect(rule { $0.origin = [] } == nil)
    #expect(rule { $0.fetchSite = ["none"] } == nil)
    #expect(rule { $0.fetchSite = [] } == nil)
  }

  @Test func `another uid is refused, and so is one that the kernel does not name`() {
    #expect(rule { $0.peer = 65534 } == "peer")
    #expect(rule { $0.peer = 0 } == "peer")
    #expect(rule { $0.peer = nil } == "peer")
  }

  @Test(arguments: [
    "evil.example", "127.0.0.1.evil.example", "localhost.", "localhost:", "localhost:123456", "127.0.0.1:80a", "[::1",
    "127.0.0.1@evil.example", "", "LOCALHOST.evil", "127.0.0.1:80:80",
  ])
  func `a rebound name is refused`(_ host: String) {
    #expect(rule { $0.host = [host] } == "host")
  }

  @Test func `a request without Host or with two is refused`() {
    #expect(rule { $0.host = [] } == "host")
    #expect(rule { $0.host = ["127.0.0.1", "127.0.0.1"] } == "host")
  }

  @Test(arguments: [
    "http://127.0.0.1:8082", "http://localhost:8081", "https://127.0.0.1:8081", "null", "http://evil.example", "",
  ])
  func `a page of another origin is refused`(_ origin: String) {
    #expect(rule { $0.origin = [origin] } == "origin")
    #expect(rule { $0.origin.append(origin) } == "origin")
  }

  @Test(arguments: ["cross-site", "same-site", "", "Same-Origin"])
  func `a request that another site caused is refused`(_ site: String) {
    #expect(rule { $0.fetchSite = [site] } == "fetch-site")
    #expect(rule { $0.fetchSite.append(site) } == "fetch-site")
  }

  @Test func `a missing, shorter, longer, changed or doubled token is refused`() {
    let right = "Bearer " + gate.token.text
    #expect(gate.token.text.utf8.count == 43)
    for wrong in ["", "Bearer ", String(right.dropLast()), right + "A", right.lowercased(), "Basic " + gate.token.text]
    {
      #expect(rule { $0.authorization = [wrong] } == "token", "\(wrong)")
    }
    #expect(rule { $0.authorization = [] } == "token")
    #expect(rule { $0.authorization = [right, right] } == "token")
  }

  @Test func `a path needs its own method, and an unknown path is not told from others without the token`() {
    #expect(rule { $0.method = "GET" } == "method")
    #expect(
      rule {
        $0.route = RelayRoute(path: "/page/settings")
        $0.method = "POST"
      } == "method")
    #expect(rule { $0.route = nil } == "path")
    #expect(
      rule {
        $0.route = nil
        $0.authorization = []
      } == "token")
  }

  @Test func `a change needs --changes, the level, and a request id`() {
    let reading = Gate(owner: 1004, token: gate.token, allowsChanges: false)
    #expect(reading.refusal(of: good, level: .admin)?.rule == "changes")
    #expect(gate.refusal(of: good, level: .read)?.rule == "level")
    #expect(rule { $0.requestId = [] } == "request-id")
    #expect(rule { $0.requestId = ["a b"] } == "request-id")
    #expect(rule { $0.requestId = ["a", "b"] } == "request-id")
  }

  @Test func `the first check that fails answers, in the order of the page`() {
    var approach = Approach(
      peer: nil, method: "DELETE", route: good.route, host: [], origin: ["null"], fetchSite: ["cross-site"],
      authorization: [], requestId: [])
    let reading = Gate(owner: 1004, token: gate.token, allowsChanges: false)
    var rules: [String] = []
    for mend: (inout Approach) -> Void in [
      { $0.peer = 1004 }, { $0.host = good.host }, { $0.origin = [] }, { $0.fetchSite = [] },
      { $0.authorization = good.authorization }, { $0.method = "POST" }, { _ in },
    ] {
      rules.append(reading.refusal(of: approach, level: .read)?.rule ?? "-")
      mend(&approach)
    }
    #expect(rules == ["peer", "host", "origin", "fetch-site", "token", "method", "changes"])
  }
}
