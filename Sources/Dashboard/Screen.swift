/// A screen of the dashboard; its name is the first segment of its path.
package struct Screen: Sendable {
  package let name: String
  package let title: String
  /// `g` and this key lead to it.
  package let key: Character
  /// The heading of its group in the navigation; nil above the first one.
  package let group: String?
  package let isInNavigation: Bool
  package let parts: [Part]

  package init(
    _ name: String, title: String, key: Character, group: String? = nil, isInNavigation: Bool = true, parts: [Part]
  ) {
    self.name = name
    self.title = title
    self.key = key
    self.group = group
    self.isInNavigation = isInNavigation
    self.parts = parts
  }

  /// In the order of the navigation.
  package static let all: [Screen] = [
    .overview, .timeline, .schedules, .races, .reviews, .withdrawals, .ledger, .checkIns, .seasons, .strava, .athletes,
    .failures, .nodes, .audit, .settings, .doctor,
  ]

  package static func named(_ name: String) -> Screen? { all.first { $0.name == name } }
}
