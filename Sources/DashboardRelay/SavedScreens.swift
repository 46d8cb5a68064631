import Dashboard
import Markup

/// Every screen as a file without script, for the record of an incident.
package struct SavedScreens: Sendable {
  private let link: DaemonLink
  private let facts: DaemonFacts

  /// - Parameters:
  ///   - path: of the daemon's control socket.
  ///   - zone: of times; nil: the one of racing's calendar.
  package init(path: String, zone: String?) {
    link = DaemonLink(path: path)
    facts = DaemonFacts(link, zone: zone, place: DaemonPlace())
  }

  /// Writes the files into a new directory of mode 0700, which has its name once it is whole.
  ///
  /// A directory that holds something is left as it is. Files have mode 0600, because they hold what the operator may
  /// read.
  package func write(to directory: String) async throws {
    guard case .answer = await link.reply(to: .init("status")) else {
      throw RelayError(.unavailable, "the daemon does not answer: nothing is saved")
    }
    let new = try UnfinishedDirectory(beside: directory)
    do {
      for (name, text) in await pages() + [("page.css", PageFiles.style)] { try new.write(text, name) }
      try new.finish()
    } catch {
      new.remove()
      throw error
    }
  }

  private func pages() async -> [(name: String, text: String)] {
    let state = await facts.state(zone: nil, allowsChanges: false)
    let header = await ScreenPage.render(Screen.header.parts, state: state, link: link)
    var pages: [(name: String, text: String)] = []
    for screen in Screen.all where screen.isInNavigation {
      let parts = await ScreenPage.render(screen.parts, state: state, link: link)
      let page = Shell.saved(screen, header: .joined(header), main: ScreenPage.html(screen, parts))
      pages.append((screen.name + ".html", page))
    }
    return pages
  }
}
