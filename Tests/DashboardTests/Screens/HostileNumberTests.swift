import ControlAPI
import Dashboard
import Testing
import TextCoding

@Suite("Numbers of others stay numbers") struct HostileNumberTests {
  private static let numbers: [JSONValue] = [
    .integer(.min), .integer(.max), .integer(-1), .integer(0), .number(1e308), .number(-1e308), .number(1e-300),
  ]
  private static let instants = ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]

  @Test(arguments: View.all) func `no number and no instant of an answer leaves a plot or ends the process`(
    _ view: View
  ) {
    for (index, number) in Self.numbers.enumerated() {
      for count in [0, 1, 3] {
        let sample = SampleAnswer(
          count: count, number: number, instant: Self.instants[(index + count) % 2], choice: index + count)
        let html = Answers(byCommand: Self.answers(sample)).html(view, Answers.state(view))
        #expect(PlotBounds.outside(in: html) == [], "of \(number) on \(view.name)")
      }
    }
  }

  @Test(arguments: 0..<6) func `no number of a mark leaves its lane or ends the process`(_ lane: Int) {
    for number in Self.numbers {
      let sample = SampleAnswer(count: 40, number: number, choice: lane)
      let view = View("timeline")
      let html = Answers(byCommand: Self.answers(sample)).html(view, Answers.state(view))
      #expect(PlotBounds.outside(in: html) == [], "of \(number)")
    }
  }

  @Test(arguments: View.all) func `no number and no instant of a query ends the process`(_ view: View) throws {
    let answers = try Answers.recorded()
    for text in ["9223372036854775807", "-9223372036854775808", "0", "-1", "99999999999999999999"] + Self.instants {
      let names = ["after", "days", "from", "to", "uid", "race", "athlete", "verify", "audit"]
      let odd = View(view.screen, view.id.map { _ in text }, Dictionary(names.map { ($0, text) }) { first, _ in first })
      let html = answers.html(odd, Answers.state(odd, zone: answers.london))
      #expect(PlotBounds.outside(in: html) == [], "of \(text) on \(view.name)")
    }
  }

  private static func answers(_ sample: SampleAnswer) -> [String: JSONValue] {
    Dictionary(
      CommandDescription.all.map { command in
        var sample = sample
        return (command.name, sample.value(command.answer, at: command.name))
      }
    ) { first, _ in first }
  }
}
