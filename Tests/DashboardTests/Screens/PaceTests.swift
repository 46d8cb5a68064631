import ControlAPI
import Dashboard
@testable import DashboardRelay
import Markup
import Testing

@Suite("The pace of parts") struct PaceTests {
  private static let parts = View.all.flatMap { view in
    (Screen.named(view.screen)?.parts ?? []).map { (view: view, part: $0) }
  }

  @Test func `a part of each five seconds asks for no heavy read`() {
    let fast = Self.parts.filter { $0.part.watches.contains(Part.everyFiveSeconds) }
    let heavy = fast.flatMap { view, part in
      part.asks(Answers.state(view)).filter(\.isHeavy).map { "\(view.name) \(part.name): \($0.command)" }
    }
    #expect(!fast.isEmpty && heavy == [])
  }

  @Test(arguments: ["ledger.verify", "seasons.verify", "audit.schedule", "schedule.backfill.preview"])
  func `a proof is asked for by a part on demand alone`(_ command: String) {
    let asking = Self.parts.filter { view, part in part.asks(Answers.state(view)).contains { $0.command == command } }
    let paced = asking.filter { !$0.part.isOnDemand }.map { "\($0.view.name) \($0.part.name)" }
    #expect(!asking.isEmpty && paced == [])
  }

  @Test func `a part on demand is marked for the page's script, and others are not`() throws {
    let screen = try #require(Screen.named("ledger"))
    let html = ScreenPage.html(screen, screen.parts.map { _ in .init() }).description
    #expect(html.contains(#"data-part="ledger/proof" data-asked>"#))
    #expect(html.contains(#"data-part="ledger/chain">"#))
  }

  @Test func `a command is as heavy for the dashboard as for the daemon`() {
    #expect(Ask("ledger.days").isHeavy && !Ask("status").isHeavy && !Ask("no.such").isHeavy)
    #expect(Ask("race.show", ["explain": .boolean(true)]).isHeavy)
    #expect(!Ask("race.show", ["explain": .boolean(false)]).isHeavy && !Ask("race.show").isHeavy)
  }
}
