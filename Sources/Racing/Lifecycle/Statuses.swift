/// Where a race stands. Raw values are those of the contract.
package enum RaceStatus: String, Sendable {
  case upcoming, active, ended, settled, cancelled
}

/// What has become of an entry. Raw values are those of the contract.
package enum EntryStatus: String, Sendable {
  case entered, completed, disqualified, refunded
}
