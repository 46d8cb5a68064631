/// The level of a caller's rights; each level contains those before it.
package enum CommandLevel: String, Sendable, Comparable, CaseIterable {
  case read, operate, admin

  package static func < (left: CommandLevel, right: CommandLevel) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}
