import ControlAPI
import Dashboard
@testable import DashboardRelay
import Markup
import Testing

@Suite("The files of the dashboard's page") struct PageFileTests {
  @Test func `shell, style and script keep to their sizes`() {
    #expect(Shell.page(version: "7").utf8.count <= 6 * 1024)
    #expect(PageFiles.style.utf8.count <= 18 * 1024)
    #expect(PageFiles.script.utf8.count <= 12 * 1024)
  }

  @Test func `the shell has no inline script, style or handler, and loads nothing from elsewhere`() {
    let page = Shell.page(version: "7")
    #expect(
      page.components(of: "<script").count == 2
        && page.contains("<script type=\"module\" src=\"/page.js?v=7\"></script>"))
    for forbidden in ["<style", " style=", " onclick", " onload", "http:", "https:", "//cdn"] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
    for screen in Screen.all where screen.isInNavigation {
      #expect(page.contains("href=\"/\(screen.name)\" data-key=\"g\(screen.key)\""))
    }
  }

  @Test func `a part that lacks an answer is marked, so that the page asks for it`() throws {
    let screen = try #require(Screen.named("overview"))
    let html = ScreenPage.html(screen, screen.parts.map { _ in HTML() }, late: ["money"]).description
    #expect(
      html.matches(of: /data-part="([a-z\/]+)"( data-asked)? data-late/).map { String($0.1) } == ["overview/money"])
  }

  private func saved(_ main: HTML) throws -> String {
    Shell.saved(try #require(Screen.named("settings")), header: HTML(), main: main)
  }

  @Test func `a saved screen has no script, and its links lead to files`() throws {
    let link = HTML.element("a", [.link(["races"]), Attribute("class", "muted")], text: " href=\"/races\" stays text")
    let page = try saved(link)
    #expect(!page.contains("<script") && page.contains("default-src 'none'"))
    #expect(page.contains("<a href=\"races.html\" class=\"muted\"> href=&quot;/races&quot; stays text</a>"))
    #expect(page.contains("<a href=\"settings.html\"") && page.contains("aria-current=\"page\""))
  }

  @Test func `links that would lead nowhere in a saved screen are text, or are left out`() throws {
    let one = HTML.element("a", [.link(["races", "42"])], [.element("bdi", text: "42")])
    let filtered = HTML.element("a", [.link(["races"], [("status", "open")])], text: "open ones")
    let button = HTML.element(
      "a", [.link(["ledger"], [("verify", "1")]), Attribute("class", "btn")], text: "Verify now")
    let form = HTML.element("form", [.flag("data-query")], [.element("label", text: "Uid")])
    let seg = HTML.element("span", [Attribute("class", "seg")], [one])
    let page = try saved(.joined([one, filtered, button, form, seg, .element("p", text: "rest")]))
    #expect(page.contains(">" + "<span><bdi>42</bdi></span><span>open ones</span><p>rest</p></main>"))
  }

  @Test(arguments: View.all) func `each link of a saved screen leads to a file that is saved`(_ view: View) throws {
    let answers = try Answers.recorded()
    let screen = try #require(Screen.named(view.screen))
    let state = Answers.state(view, zone: answers.london, allowsChanges: false)
    let parts = screen.parts.map { part in
      let replies = part.asks(state).map { ask in
        (ask, answers.byCommand[ask.command].map { Reply.answer($0) } ?? .missing)
      }
      return part.body(state, Dictionary(replies) { first, _ in first })
    }
    let page = Shell.saved(screen, header: HTML(), main: ScreenPage.html(screen, parts))
    let files = Set(Screen.all.filter(\.isInNavigation).map { "\($0.name).html" } + ["#main"])
    let links = page.matches(of: /<a [^>]*href="([^"]*)"/).map { String($0.1) }
    #expect(links.count >= files.count && links.filter { !files.contains($0) } == [])
    for useless in ["<form", "<button", "class=\"btn", "class=\"seg\"", "<kbd"] { #expect(!page.contains(useless)) }
    #expect(page.components(of: "<a ").count == page.components(of: "</a>").count)
  }
}

extension String {
  func components(of mark: String) -> [Substring] {
    split(separator: mark, omittingEmptySubsequences: false)
  }
}
