import ControlAPI
import Dashboard
import TextCoding

/// A path of the relay.
enum RelayRoute: Sendable {
  /// The static page of every screen; its script fetches the rest.
  case shell
  case style
  case script
  /// All parts of a screen.
  case page(Screen)
  case part(Screen, Part)
  case events
  /// A change; commands that read have no path here.
  case command(CommandDescription)

  /// Nil where there is no such path.
  init?(path: some StringProtocol) {
    guard let encoded = PathTemplate.segments(of: path) else { return nil }
    let segments = encoded.compactMap { PercentCoding.decode($0) }
    guard segments.count == encoded.count else { return nil }
    switch (segments.count, segments[0]) {
    case (1, ""): self = .shell
    case (1, "page.css"): self = .style
    case (1, "page.js"): self = .script
    case (1, "events"): self = .events
    case (2, "page"):
      guard let screen = Screen.served(segments[1]) else { return nil }
      self = .page(screen)
    case (3, "part"):
      guard let screen = Screen.served(segments[1]), let part = screen.parts.first(where: { $0.name == segments[2] })
      else { return nil }
      self = .part(screen, part)
    case (2, "command"):
      guard let command = CommandDescription.named(segments[1]), command.method == .post else { return nil }
      self = .command(command)
    case (1...2, _) where Screen.named(segments[0]) != nil: self = .shell
    default: return nil
    }
  }

  /// Shell, style and script hold nothing of the daemon's.
  var isPublic: Bool {
    switch self {
    case .shell, .style, .script: true
    case .page, .part, .events, .command: false
    }
  }

  var method: String { if case .command = self { "POST" } else { "GET" } }
}

extension Screen {
  /// A screen, or the header of all of them.
  fileprivate static func served(_ name: String) -> Screen? { name == header.name ? header : named(name) }
}

extension CommandDescription {
  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  static func named(_ name: String) -> CommandDescription? { byName[name] }
}
