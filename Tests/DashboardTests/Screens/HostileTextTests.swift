import ControlAPI
import Dashboard
import Markup
import Testing
import TextCoding

@Suite("Texts of others stay texts") struct HostileTextTests {
  private static let texts = [
    "<script>alert(1)</script>", "\"\u{301} onload=\"alert(1)", "'\u{200D}><img src=x onerror=alert(1)>",
    "\"\u{FE0F}><svg onload=alert(1)>", "\u{202E}<b>\u{2066}", "\0</td></table><script>", "`</code><i>`",
    "javascript:alert(1)//", "](http://evil.example)", String(repeating: "<\u{301}", count: 10_000),
  ]

  /// The tags, attributes and comments of a page, from a parser that is as simple as HTML's rules are.
  @Test(arguments: View.all) func `no text of an answer opens a tag or an attribute`(_ view: View) {
    for text in Self.texts {
      let html = Answers(byCommand: Self.answers(text)).html(view, Answers.state(view))
      #expect(Tags.strangers(in: html) == [], "of \(text.prefix(20).debugDescription) on \(view.name)")
      #expect(html.utf8.count < 400_000)
    }
  }

  @Test(arguments: View.all) func `no text of a query opens a tag or an attribute`(_ view: View) throws {
    let answers = try Answers.recorded()
    for text in Self.texts {
      let names = ["cron", "cronzone", "status", "after", "job", "uid", "target", "command", "from", "to", "race"]
      let hostile = View(
        view.screen, view.id.map { _ in text }, Dictionary(names.map { ($0, text) }) { first, _ in first })
      let html = answers.html(hostile, Answers.state(hostile))
      #expect(Tags.strangers(in: html) == [], "of \(text.prefix(20).debugDescription) on \(view.name)")
      #expect(html.utf8.count < 400_000)
    }
  }

  @Test(arguments: View.all) func `a name that runs from right to left keeps its direction to itself in a plot`(
    _ view: View
  ) {
    let html = Answers(byCommand: Self.answers("\u{5D0}\u{202E}\u{2069}")).html(view, Answers.state(view))
    for drawing in html.split(separator: "<svg ", omittingEmptySubsequences: false).dropFirst().map({
      $0.split(separator: "</svg>")[0]
    }) {
      var depth = 0
      for scalar in drawing.unicodeScalars {
        switch scalar {
        case "\u{2068}": depth += 1
        case "\u{2069}": depth -= 1
        case "\u{202E}": Issue.record("\(view.name) has a control of another's in a plot")
        case "\u{5D0}" where depth != 1: Issue.record("\(view.name) has a bare name in a plot")
        default: break
        }
      }
      #expect(depth == 0)
    }
  }

  @Test func `the plots of nodes, jobs and a race hold isolated names`() {
    for view in [View("nodes"), View("races", "4417"), View("timeline")] {
      let html = Answers(byCommand: Self.answers("\u{5D0}")).html(view, Answers.state(view))
      #expect(html.contains("\u{2068}\u{5D0}\u{2069}"), "\(view.name)")
    }
  }

  private static func answers(_ text: String) -> [String: JSONValue] {
    Dictionary(
      CommandDescription.all.map { command in
        var sample = SampleAnswer(text: text, count: 2)
        return (command.name, sample.value(command.answer, at: command.name))
      }
    ) { first, _ in first }
  }
}
