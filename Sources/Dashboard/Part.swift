package import Markup

/// A part of a screen: it is asked for, rendered and replaced as a whole.
package struct Part: Sendable {
  /// How much of the screen's width it takes on a wide display.
  package enum Width: String, Sendable {
    case whole, half, third, quarter
    case twoThirds = "two-thirds"
    case threeQuarters = "three-quarters"
  }

  /// One word with hyphens, unique on its screen.
  package let name: String
  package let width: Width
  /// The kinds of happenings that change it, `activity.*` for all of a noun; also `everyFiveSeconds`, `everyMinute`.
  package let watches: Set<String>
  /// Whether it is computed only when the operator asks: it has no pace, and page.js does not renew it of its own.
  package let isOnDemand: Bool
  package let asks: @Sendable (PageState) -> [Ask]
  package let body: @Sendable (PageState, [Ask: Reply]) -> HTML

  /// Among `watches`: asked again at this pace while somebody looks.
  package static let everyFiveSeconds = "5s"
  package static let everyMinute = "60s"

  package init(
    _ name: String, width: Width = .whole, watches: Set<String> = [], isOnDemand: Bool = false,
    asks: @escaping @Sendable (PageState) -> [Ask],
    body: @escaping @Sendable (PageState, [Ask: Reply]) -> HTML
  ) {
    precondition(!isOnDemand || watches.isEmpty, "\(name) is computed on demand, so it cannot watch anything")
    self.name = name
    self.width = width
    self.watches = watches
    self.isOnDemand = isOnDemand
    self.asks = asks
    self.body = body
  }
}
