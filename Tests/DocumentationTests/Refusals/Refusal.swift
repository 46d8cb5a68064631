/// A rule by which something refuses: 409 `cutoff` from `racing`.
struct Refusal: Hashable, Comparable, CustomStringConvertible {
  /// Three digits, those of the SQLSTATE or of HTTP.
  let status: String
  let rule: String
  /// The schema of the function, or `gateway`, `settlectl` or `dashboard`.
  let place: String

  var description: String { "\(status) \(rule) from \(place)" }

  static func < (one: Refusal, two: Refusal) -> Bool { one.description < two.description }
}

/// The refusals that sources contain.
struct FoundRefusals {
  private(set) var all: Set<Refusal> = []
  /// The expressions that make a rule where no literal does, with their function or file.
  private(set) var computed: [String] = []

  mutating func add(_ status: some StringProtocol, _ rule: some StringProtocol, _ place: String) {
    all.insert(Refusal(status: String(status), rule: String(rule), place: place))
  }

  mutating func addComputed(_ expression: some StringProtocol, in place: some StringProtocol) {
    computed.append("\(place): \(expression)")
  }
}
