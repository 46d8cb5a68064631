import Postgres
import TestSupport
import Testing

@testable import Racing

/// The steps of a history that depend on proof.
extension History {
  /// Opens claims only while proof is on, as the gateway does.
  mutating func setProof(_ isOn: Bool) async throws {
    try await session.execute("SELECT settled.set('racing.proof', \(isOn ? "on" : "off"))")
    model.provesUsers = isOn
    if !isOn { model.rejectAll() }
    log.append("proof \(isOn)")
  }

  mutating func setClaimHold() async throws {
    model.claimHold = [0, 1, 2, 2, 4, 20, 100].randomElement(using: &random) ?? 2
    try await session.execute("SELECT settled.set('racing.provider_hold', \("\(model.claimHold)h"))")
    log.append("claim hold \(model.claimHold)")
  }

  /// Users who flag: of some the provider knows nothing. The provider knows all athletes.
  mutating func meetUsers() async throws {
    users = try await day.course.spectators(3)
    for index in 0..<4 { proved.insert(try await day.course.athlete("Flagger \(base) \(index)", pence: 0)) }
    users += proved.sorted()
    try await session.execute(
      """
      UPDATE strava.connection SET status = 'active', provider_athlete_id = athlete_id
      WHERE athlete_id = ANY(\(athletes + users))
      """)
  }

  /// A new activity is claimed, one that was refused, or one that somebody else claims too.
  mutating func claim() async throws {
    guard model.provesUsers, model.activities.count < 9, model.claims.values.filter(\.isOpen).count < 3,
      let athlete = athletes.randomElement(using: &random)
    else { return }
    stravaId += 1
    let known = model.claims.values.map(\.strava).filter { id in
      !model.activities.values.contains { $0.athlete == athlete && strava[$0.id] == id }
    }
    let id =
      Int.random(in: 0..<3, using: &random) == 0 ? known.sorted().randomElement(using: &random) ?? stravaId : stravaId
    let isInWindow = Int.random(in: 0..<5, using: &random) > 0
    let (speed, distance) = (Int64.random(in: 1...8, using: &random), Int64.random(in: 1...8, using: &random))
    let sent = try await summary(id, speed: speed, distance: distance, isBad: false, isInWindow: isInWindow)
    let claim = try await session.query("SELECT racing.claim_activity(\(athlete), \(sent))").one(Int64.self)
    log.append("claim \(claim) of \(athlete): \(id) \(isInWindow)")
    model.claim(
      claim, of: athlete, strava: id, isInWindow: isInWindow, speed: speed * 1000, distance: distance * 100_000)
  }

  /// The provider answers the read of a claim, most often with what was claimed.
  mutating func answer() async throws {
    let open = model.claims.values.filter(\.isOpen).map(\.id).sorted()
    guard let id = open.randomElement(using: &random), let claim = model.claims[id] else { return }
    let outcome = ["found", "found", "found", "found", "missing", "hidden"].randomElement(using: &random) ?? "found"
    var (speed, distance) = (claim.speed / 1000, claim.distance / 100_000)
    if Int.random(in: 0..<3, using: &random) == 0 { speed = Int64.random(in: 1...8, using: &random) }
    if Int.random(in: 0..<3, using: &random) == 0 { distance = Int64.random(in: 1...8, using: &random) }
    let isBad = Int.random(in: 0..<8, using: &random) == 0
    let isInWindow = Int.random(in: 0..<8, using: &random) > 0
    let shown =
      outcome == "found"
      ? try await summary(claim.strava, speed: speed, distance: distance, isBad: isBad, isInWindow: isInWindow) : nil
    _ = try await session.query(
      """
      SELECT racing.take_activity(\(claim.athlete), \(claim.strava), \(outcome), \(shown), 1,
        settled.clock() + interval '1 day')
      """)
    log.append("\(outcome) \(id): \(speed) \(distance)\(isBad ? " bad" : "")\(isInWindow ? "" : " elsewhere")")
    let isAnothers = model.activities.keys.contains { strava[$0] == claim.strava }
    switch outcome {
    case "found" where isAnothers: model.reject(id)
    case "found":
      strava[id] = claim.strava
      model.prove(id, speed: speed * 1000, distance: distance * 100_000, isBad: isBad, isInWindow: isInWindow)
    case "missing": model.reject(id)
    default: break
    }
  }

  /// The limit of reads is used up, the hold of claims changes, or proof is switched.
  mutating func disturbClaims() async throws {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      try await day.useUpReads(at: at(model.hour))
      log.append("reads used up")
    case 1: try await setClaimHold()
    default: try await setProof(!model.provesUsers)
    }
  }

  private func summary(_ id: Int64, speed: Int64, distance: Int64, isBad: Bool, isInWindow: Bool) async throws -> JSON {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    return JSON(
      text: """
        {"stravaId": \(id), "name": "Paddle", "activityType": "\(isBad ? "Running" : "Kayaking")",
         "startDate": "\(try await at(isInWindow ? 25 : 20))", "elapsedTime": 1800, "movingTime": 1800,
         "distance": \(distance)000, "maxSpeed": \(speed), "startLocation": \(place), "endLocation": \(place),
         "polyline": "mock"}
        """)
  }
}
