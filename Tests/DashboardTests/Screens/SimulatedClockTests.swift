import Dashboard
import Markup
import Testing
import TextCoding

@Suite("Screens of a database whose clock is simulated") struct SimulatedClockTests {
  private static let mark = "simulated clock\">real</span>"

  private func html(_ view: View, isSimulated: Bool, _ byCommand: [String: JSONValue] = [:]) throws -> String {
    let answers = try Answers.recorded().byCommand.merging(byCommand) { $1 }
    var state = Answers.state(view)
    state.hasSimulatedClock = isSimulated
    return Answers(byCommand: answers).html(view, state)
  }

  @Test(arguments: [View("nodes"), View("audit"), View("failures", "88"), View("settings", "racing.grace")])
  func `instants of real time are marked, and only where the others are simulated`(_ view: View) throws {
    #expect(try html(view, isSimulated: true).contains(Self.mark))
    #expect(!(try html(view, isSimulated: false).contains(Self.mark)))
  }

  @Test(arguments: [View("ledger"), View("races"), View("withdrawals", "88001"), View("timeline")])
  func `instants of the database's clock have no mark`(_ view: View) throws {
    #expect(!(try html(view, isSimulated: true).contains(Self.mark)))
  }

  @Test func `a command among the happenings is marked, and a settlement is not`() throws {
    var state = Answers.state()
    state.hasSimulatedClock = true
    state.happenings = ["race.settled", "command.set"].map { kind in
      ["at": "2026-10-24T10:00:00.000Z", "kind": .text(kind), "key": "1", "text": ""]
    }
    let html = Answers(byCommand: [:]).html(View("overview"), state)
    let feed = html.components(of: "<li>").filter { $0.contains("race.settled") || $0.contains("command.set") }
    #expect(feed.map { $0.contains(Self.mark) } == [true, false])
  }

  @Test func `the problem of a schedule has times of the database's clock, and a failure has real ones`() throws {
    func failure(_ id: Int) -> JSONValue {
      ["rows": [["id": .integer(Int64(id)), "job": "j", "key": "k", "lastAt": "2026-10-24T10:00:00.000Z"]]]
    }
    for (id, isMarked) in [(0, false), (88, true)] {
      let html = try html(View("failures"), isSimulated: true, ["failures": failure(id)])
      #expect(html.contains(Self.mark) == isMarked)
    }
  }

  @Test func `the header names a simulated clock, and no real one`() throws {
    for isSimulated in [true, false] {
      var state = Answers.state()
      state.hasSimulatedClock = isSimulated
      let header = Screen.header.parts.map { $0.body(state, [:]).description }.joined()
      #expect(header.contains("simulated clock") == isSimulated)
    }
  }

  @Test func `the time that a node is up follows from its own instants`() throws {
    let nodes: JSONValue = [
      "rows": [
        [
          "node": "one", "state": "ready", "startedAt": "2026-10-24T10:00:00.000Z", "silentMs": 60000,
          "lastSeenAt": "2026-10-24T12:00:00.000Z",
        ]
      ]
    ]
    for view in [View("nodes"), View("overview")] {
      #expect(try html(view, isSimulated: true, ["nodes": nodes]).contains("<td class=\"num\">2 h 01</td>"))
    }
  }
}
