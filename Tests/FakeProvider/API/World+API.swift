extension World {
  /// `GET /api/v3/...`.
  func read(_ call: ProviderCall) -> ProviderResponse {
    guard let token = call.credentials("Bearer"), let athlete = grants.reader(token, now: clock.now) else {
      return .refusal(401, "Authorization Error", "Athlete", "access_token", "invalid")
    }
    let steps = call.path.split(separator: "/").dropFirst(2)
    if steps.elementsEqual(["athlete", "activities"]) { return list(call, athlete) }
    guard steps.count == 3, steps.first == "activities", steps.last == "streams",
      let activity = steps.dropFirst().first.flatMap({ Int64($0) })
    else { return .notFound }
    let kinds = call.query["keys"]?.split(separator: ",").map(String.init) ?? []
    return activities.streams(athlete, activity: activity, kinds: kinds).map { ProviderResponse(200, $0) } ?? .notFound
  }

  private func list(_ call: ProviderCall, _ athlete: Int64) -> ProviderResponse {
    let page = call.query["page"].flatMap { Int($0) } ?? 1
    let size = call.query["per_page"].flatMap { Int($0) } ?? 30
    guard page > 0, (1...200).contains(size) else {
      return .refusal(400, "Bad Request", "Application", "per_page", "invalid")
    }
    let times = ["after", "before"].map { name in call.query[name].flatMap { Int64($0) } }
    return ProviderResponse(200, activities.page(athlete, after: times[0], before: times[1], page: page, size: size))
  }
}
