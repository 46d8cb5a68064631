extension World {
  /// `GET /api/v3/...`.
  mutating func read(_ call: ProviderCall) -> ProviderResponse {
    guard let token = call.credentials("Bearer"), let reader = grants.reader(token, now: clock.now) else {
      return .refusal(401, "Authorization Error", "Athlete", "access_token", "invalid")
    }
    let athlete = reader.athlete
    tally.reads.append(ReadOf(athlete: athlete, path: call.path))
    let steps = call.path.split(separator: "/").dropFirst(2)
    if steps.elementsEqual(["athlete", "activities"]) { return list(call, athlete, seesPrivate: reader.seesPrivate) }
    guard steps.first == "activities", let activity = steps.dropFirst().first.flatMap({ Int64($0) }) else {
      return .notFound
    }
    if steps.count == 2 {
      let shown = activities.shown(activity, to: athlete, seesPrivate: reader.seesPrivate)
      return shown.map { ProviderResponse(200, $0) } ?? .notFound
    }
    guard steps.count == 3, steps.last == "streams" else { return .notFound }
    let kinds = call.query["keys"]?.split(separator: ",").map(String.init) ?? []
    return activities.streams(athlete, activity: activity, kinds: kinds).map { ProviderResponse(200, $0) } ?? .notFound
  }

  private func list(_ call: ProviderCall, _ athlete: Int64, seesPrivate: Bool) -> ProviderResponse {
    let page = call.query["page"].flatMap { Int($0) } ?? 1
    let size = call.query["per_page"].flatMap { Int($0) } ?? 30
    guard page > 0, (1...200).contains(size) else {
      return .refusal(400, "Bad Request", "Application", "per_page", "invalid")
    }
    let times = ["after", "before"].map { name in call.query[name].flatMap { Int64($0) } }
    return ProviderResponse(
      200,
      activities.page(
        athlete, seesPrivate: seesPrivate, after: times[0], before: times[1], page: page, size: size))
  }
}

/// A read that was answered: of whose activities, and which.
struct ReadOf: Encodable {
  let athlete: Int64
  let path: String
}
