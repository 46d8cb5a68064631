import Dashboard
import Markup
import Synchronization

/// Every screen as a file without script, for the record of an incident.
package final class SavedScreens: Sendable {
  private let link: DaemonLink
  private let facts: DaemonFacts
  private let unfinished = Mutex<UnfinishedDirectory?>(nil)

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
      throw RelayError(.unavailable, "the daemon is not responding; nothing was saved")
    }
    let new = try UnfinishedDirectory(beside: directory)
    unfinished.withLock { $0 = new }
    do {
      for (name, text) in await pages() + [("page.css", PageFiles.style)] { try new.write(text, name) }
      try new.finish()
    } catch {
      new.remove()
      throw error
    }
  }

  /// Removes what was written so far; the process ends next.
  package func abandon() { unfinished.withLock { $0?.remove() } }

  private func pages() async -> [(name: String, text: String)] {
    let state = await facts.state(zone: nil, allowsChanges: false)
    let header = await ScreenPage.render(Screen.header.parts, state: state, link: link).parts
    var pages: [(name: String, text: String)] = []
    for screen in Screen.all where screen.isInNavigation {
      let parts = await ScreenPage.render(screen.parts, state: state, link: link).parts
      let page = Shell.saved(screen, header: .joined(header), main: ScreenPage.html(screen, parts))
      pages.append((screen.name + ".html", page))
    }
    return pages
  }
}
