/// A held activity that would count in the race with a score better than its athlete's `lo`.
package struct HeldActivity: Hashable, Sendable {
  package let id: Int64
  package let athleteId: Int64

  package init(id: Int64, athleteId: Int64) {
    self.id = id
    self.athleteId = athleteId
  }
}
