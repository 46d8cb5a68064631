extension RacingModel {
  /// A statement of an athlete that the provider has not answered, or has refused.
  struct Claim {
    let id: Int64
    let athlete: Int64
    let strava: Int64
    /// Whether the claimed start lies in the window of the races.
    var isInWindow: Bool
    var cameInTime: Bool
    /// The hour at which it was claimed.
    var hour: Int
    /// What was claimed.
    var speed: Int64
    var distance: Int64
    var isOpen = true
  }

  mutating func claim(
    _ id: Int64, of athlete: Int64, strava: Int64, isInWindow: Bool, speed: Int64, distance: Int64
  ) {
    guard claims[id]?.isOpen != true else { return }
    claims[id] = Claim(
      id: id, athlete: athlete, strava: strava, isInWindow: isInWindow, cameInTime: !isDue, hour: hour, speed: speed,
      distance: distance)
  }

  mutating func reject(_ id: Int64) { claims[id]?.isOpen = false }

  mutating func rejectAll() {
    for id in claims.keys { reject(id) }
  }

  /// The claim becomes an activity, and everybody else's claim of the same id is refused. What is proved after the
  /// settlement counts until prizes can leave or the hold of reviews is over; what is due and differs is reviewed.
  mutating func prove(_ id: Int64, speed: Int64, distance: Int64, isBad: Bool, isInWindow: Bool) {
    guard let claim = claims.removeValue(forKey: id) else { return }
    var proved = Activity(
      id: id, athlete: claim.athlete, speed: speed, distance: distance, isBad: isBad,
      cameInTime: claim.cameInTime && isInWindow, importedAt: claim.hour)
    let own = races.values.filter { $0.status != "cancelled" && $0.entries.contains { $0.athlete == claim.athlete } }
    if proved.cameInTime {
      proved.lateFor = Set(own.filter { isClosed($0) }.map(\.id))
      proved.isChangedLate =
        isDue && !own.isEmpty
        && (isBad || !claim.isInWindow || (claim.speed, claim.distance) != (speed, distance))
    }
    activities[id] = proved
    for other in claims.values where other.strava == claim.strava { reject(other.id) }
  }

  private func isClosed(_ race: Race) -> Bool {
    race.settledAt.map { hour > $0 && hour >= min(49 + 72, $0 + rest) } ?? false
  }

  func openClaims(of athlete: Int64) -> [Claim] {
    claims.values.filter { $0.athlete == athlete && $0.isOpen && $0.isInWindow && $0.cameInTime }
  }

  func openClaims(_ race: Race) -> [Claim] {
    race.entries.filter { $0.status == "entered" && !isOut($0) }.flatMap { openClaims(of: $0.athlete) }
  }

  /// The open claims whose hold is not over. Results are due in hour 49, and reviews hold for 72 hours. Nobody has a
  /// token here: no read is in line, so a limit that is used up lengthens no hold.
  func claims(holding race: Race, isVoid: Bool) -> [Claim] {
    let end = isVoid ? 49 + 72 : min(49 + 72, 49 + claimHold)
    return hour < end ? openClaims(race) : []
  }
}
