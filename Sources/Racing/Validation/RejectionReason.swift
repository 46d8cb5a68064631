/// Why an activity was rejected; raw values are those of the contract, cases stand in the order they are shown.
package enum RejectionReason: String, CaseIterable, Sendable {
  /// Neither canoeing nor kayaking.
  case type
  /// No start or no end coordinates, or an empty track.
  case gps
  /// Started or ended outside of the United Kingdom.
  case uk
}
