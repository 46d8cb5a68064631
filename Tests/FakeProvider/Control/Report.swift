/// The answer to `GET /_fake/report`.
struct Report: Encodable {
  struct Undelivered: Encodable {
    let athlete: Int64
    let at: Int64
  }

  struct Windows: Encodable {
    let used15: Int
    let usedDay: Int
    let limit15: Int
    let limitDay: Int
  }

  struct Athlete: Encodable {
    let alive: Bool
    let expiresAt: Int64
  }

  let calls, exchanges, refreshes, rotations, revocations, refusedGrants, limited, deniedClients: Int
  let byStatus: [String: Int]
  let faults: [String: Int]
  let parallel, inHandMax: Int
  let callsInSpentWindow: Int
  let undelivered: [Undelivered]
  let windows: Windows
  let athletes: [String: Athlete]

  init(_ world: World) {
    let tally = world.tally
    (calls, exchanges, refreshes, rotations) = (tally.calls, tally.exchanges, tally.refreshes, tally.rotations)
    (revocations, refusedGrants) = (tally.revocations, tally.refusedGrants)
    (limited, deniedClients) = (tally.limited, tally.deniedClients)
    (byStatus, faults) = (tally.byStatus, tally.faults)
    (parallel, inHandMax, callsInSpentWindow) = (tally.parallel, tally.inHandMax, tally.callsInSpentWindow)
    undelivered = tally.undelivered.map { Undelivered(athlete: $0.athlete, at: $0.at) }
    windows = Windows(
      used15: world.limits.used(.quarter), usedDay: world.limits.used(.day), limit15: world.settings.limits.limit15,
      limitDay: world.settings.limits.limitDay)
    let grants = world.grants.latest.values.map { grant in
      ("\(grant.athlete)", Athlete(alive: grant.isAlive, expiresAt: grant.expiresAt))
    }
    athletes = Dictionary(uniqueKeysWithValues: grants)
  }
}
