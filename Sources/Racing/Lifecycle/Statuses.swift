/// Where a race stands. Raw values are those of the contract.
package enum RaceStatus: String, CaseIterable, Sendable {
  case upcoming, active, ended, settled, cancelled
}

/// The state of an entry. Raw values are those of the contract.
package enum EntryStatus: String, Sendable {
  case entered, completed, disqualified, refunded
}
