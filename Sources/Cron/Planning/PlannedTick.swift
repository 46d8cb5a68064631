/// A tick that becomes a row of the ledger: to run, or ended at once.
package struct PlannedTick: Sendable, Equatable {
  package enum Status: String, Sendable {
    case planned, skipped, coalesced
  }

  package let tick: Tick
  package let status: Status
  package let reason: String?

  package init(_ tick: Tick, _ status: Status, _ reason: String? = nil) {
    self.tick = tick
    self.status = status
    self.reason = reason
  }
}
