import ControlAPI
import Dashboard
@testable import DashboardRelay
import Testing

@Suite("The dashboard's paths") struct RouteTests {
  @Test func `each screen has a path, with an id behind it`() {
    for screen in Screen.all {
      for path in ["/\(screen.name)", "/\(screen.name)/42"] {
        guard case .shell = RelayRoute(path: path) else {
          Issue.record("\(path) has no page")
          continue
        }
      }
      guard case .page = RelayRoute(path: "/page/" + screen.name) else {
        Issue.record("\(screen.name) has no parts")
        continue
      }
    }
  }

  @Test(arguments: [
    "", "x", "//", "/settings/1/2", "/page/none", "/part/settings/none", "/part/settings", "/command/status",
    "/command/none", "/../etc/passwd", "/%2e%2e/page.css", "/page.css/", "/settings%00", "/%ff", "/v1/status",
  ])
  func `any other path does not exist, commands that read included`(_ path: String) {
    #expect(RelayRoute(path: path) == nil)
  }

  @Test func `every command that changes something has a path, and takes POST`() {
    for command in CommandDescription.all where command.method == .post {
      #expect(RelayRoute(path: "/command/" + command.name)?.method == "POST", "\(command.name)")
    }
  }

  @Test func `a query is decoded by name, and a broken one is refused`() {
    #expect(RelayRequest.query(of: "/a?x=1%262&y=a+b&z&x=3") == ["x": "3", "y": "a b", "z": ""])
    #expect(RelayRequest.query(of: "/a") == [:])
    #expect(RelayRequest.query(of: "/a?x=%zz") == nil)
    #expect(RelayRequest.query(of: "/a?%ff=1") == nil)
  }

  @Test func `names of screens and parts do not meet other paths or each other`() {
    let names = Screen.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(names).isDisjoint(with: ["page", "part", "events", "command", "header", "page.css", "page.js"]))
    for screen in Screen.all { #expect(Set(screen.parts.map(\.name)).count == screen.parts.count) }
    let keys = Screen.all.filter(\.isInNavigation).map(\.key)
    #expect(Set(keys).count == keys.count)
  }

  @Test func `a part is renewed by its kinds, by all of a noun, or by everything that happens`() {
    #expect(BeatLine.matches("race.settled", ["race.settled"]))
    #expect(!BeatLine.matches("race.settled", ["race.ended"]))
    #expect(BeatLine.matches("race.*", ["race.ended"]))
    #expect(!BeatLine.matches("race.*", ["racer.ended"]))
    #expect(BeatLine.matches("*", ["command.set"]))
    #expect(!BeatLine.matches("*", [Part.everyFiveSeconds, Part.everyMinute]))
    #expect(BeatLine.matches(Part.everyMinute, [Part.everyFiveSeconds, Part.everyMinute]))
  }
}
