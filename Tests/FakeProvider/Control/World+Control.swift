import TextCoding

extension World {
  private struct Athlete: Decodable {
    let athlete: Int64
    let scope: String?
    let sex: String?
  }

  private struct Time: Decodable {
    let now: Double?
    let runs: Bool?
  }

  private struct Planting: Decodable {
    let athlete: Int64
    let activities: [JSONValue]?
    let streams: [String: JSONValue]?
    let deleted: [Int64]?
  }

  /// A call under `/_fake/`, which no fault touches.
  mutating func control(_ call: ProviderCall) -> ProviderResponse {
    do {
      return try call.method == "POST" ? change(call) : show(call)
    } catch {
      let refusal: JSONValue = ["message": .text("\(error)")]
      return ProviderResponse(400, refusal)
    }
  }

  private mutating func change(_ call: ProviderCall) throws -> ProviderResponse {
    switch call.path {
    case "/_fake/authorize":
      let given = try call.json(Athlete.self)
      let code: JSONValue = ["code": .text(grants.authorize(given.athlete, scope: given.scope, sex: given.sex))]
      return ProviderResponse(200, code)
    case "/_fake/forget": _ = grants.end(try call.json(Athlete.self).athlete)
    case "/_fake/clock":
      let time = try call.json(Time.self)
      clock.set(time.now, runs: time.runs ?? false)
    case "/_fake/settings":
      let change = try call.json(Settings.Change.self)
      settings.apply(change)
      tally.beginInHandMax()
      if change.seed != nil { callsOfSeed = 0 }
    case "/_fake/activities":
      let planting = try call.json(Planting.self)
      try activities.plant(planting.athlete, planting.activities ?? [], planting.streams ?? [:])
      activities.remove(planting.deleted ?? [])
    case "/_fake/hint": return hint(try call.json(JSONValue.self))
    default: return .notFound
    }
    return .done
  }

  private mutating func show(_ call: ProviderCall) throws -> ProviderResponse {
    switch call.path {
    case "/_fake/report":
      limits.rotate(clock.now)
      return ProviderResponse(200, Report(self))
    case "/_fake/subscription": return shownSubscription
    case "/_fake/reads": return ProviderResponse(200, tally.reads)
    case "/_fake/secrets": return ProviderResponse(200, grants.secrets)
    case let path where path.hasPrefix("/_fake/tokens/"):
      guard let grant = path.split(separator: "/").last.flatMap({ Int64($0) }).flatMap({ grants.latest[$0] }) else {
        return .notFound
      }
      let tokens: JSONValue = [
        "accessToken": .text(grant.accessToken), "refreshToken": .text(grant.refreshToken),
        "expiresAt": .integer(grant.expiresAt), "alive": .boolean(grant.isAlive),
      ]
      return ProviderResponse(200, tokens)
    default: return .notFound
    }
  }
}
