import ControlAPI
import Dashboard
@testable import DashboardRelay
import Markup
import Testing

@Suite("The files of the dashboard's page") struct PageFileTests {
  @Test func `shell, style and script keep to their sizes`() {
    #expect(Shell.page.utf8.count <= 6 * 1024)
    #expect(PageFiles.style.utf8.count <= 18 * 1024)
    #expect(PageFiles.script.utf8.count <= 12 * 1024)
  }

  @Test func `the shell has no inline script, style or handler, and loads nothing from elsewhere`() {
    let page = Shell.page
    #expect(
      page.components(of: "<script").count == 2 && page.contains("<script type=\"module\" src=\"/page.js\"></script>"))
    for forbidden in ["<style", " style=", " onclick", " onload", "http:", "https:", "//cdn"] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
    for screen in Screen.all where screen.isInNavigation {
      #expect(page.contains("href=\"/\(screen.name)\" data-key=\"g\(screen.key)\""))
    }
  }

  @Test func `a saved screen has no script, and its links lead to files`() throws {
    let link = HTML.element("a", [.link(["races", "42"], [("a", "b")])], text: " href=\"/races\" stays text")
    let page = Shell.saved(try #require(Screen.named("settings")), header: HTML(), main: link)
    #expect(!page.contains("<script") && page.contains("default-src 'none'"))
    #expect(page.contains("<a href=\"races.html\"> href=&quot;/races&quot; stays text</a>"))
    #expect(page.contains("<a href=\"settings.html\"") && page.contains("aria-current=\"page\""))
  }
}

extension String {
  fileprivate func components(of mark: String) -> [Substring] {
    split(separator: mark, omittingEmptySubsequences: false)
  }
}
