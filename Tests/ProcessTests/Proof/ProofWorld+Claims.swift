import Postgres
import TestSupport
import Testing
import TextCoding

/// An outing: what its athlete has at the provider, and what anybody may say about it.
struct ProofOuting {
  var id: Int64
  /// The time of the start on 5 March 2031.
  var at = "11:30"
  var distance = 6000
  var maxSpeed = 4.5
  var type = "Kayaking"
  var isPrivate = false

  private var start: String { "2031-03-05T\(at):00Z" }

  /// As the app posts it.
  var posted: String {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    return """
      {"stravaId": \(id), "name": "Out", "activityType": "\(type)", "startDate": "\(start)", "elapsedTime": 1200,
       "movingTime": 1200, "distance": \(distance), "maxSpeed": \(maxSpeed), "startLocation": \(place),
       "endLocation": \(place), "polyline": "mock"}
      """
  }

  /// As the provider has it.
  var kept: String {
    """
    {"id": \(id), "name": "Out", "sport_type": "\(type)", "start_date": "\(start)", "elapsed_time": 1200,
     "moving_time": 1200, "distance": \(distance), "max_speed": \(maxSpeed), "start_latlng": [54.3626, -2.9206],
     "end_latlng": [54.3626, -2.9206], "map": {"summary_polyline": "mock"}, "private": \(isPrivate),
     "visibility": "\(isPrivate ? "only_me" : "everyone")"}
    """
  }
}

extension ProofWorld {
  /// Somebody whom the provider knows, by their account there.
  func racer(_ name: String, account: Int64, scope: String = FakeProvider.scopes) async throws -> Person {
    let person = try await person(name)
    try await connect(person, code: try await provider.authorize(account, scope: scope), scope: scope)
    try await until(person, is: "active")
    return person
  }

  /// What the athlete of an account has at the provider.
  func plant(_ account: Int64, _ outings: ProofOuting..., streams: String = "{}") async throws {
    try await provider.plant(
      account, activities: "[\(outings.map(\.kept).joined(separator: ","))]", streams: streams)
  }

  /// Posts an activity over HTTP: the status, and the rule or the exact status of the answer.
  func post(_ person: Person, _ outing: ProofOuting) async throws -> String {
    let answer = try await ask("POST", "/activities", person, body: outing.posted)
    let body = try JSONValue(answer.body)
    return "\(answer.status) \(body["rule"]?.text ?? body["exactStatus"]?.text ?? "")"
  }

  /// Posts activities that the person's account has. The list that the daemon reads for the first claim also proves the
  /// others, perhaps before they are posted.
  func claim(_ person: Person, _ outings: ProofOuting...) async throws {
    for (place, outing) in outings.enumerated() {
      let answer = try await post(person, outing)
      #expect(answer == "201 pending" || place > 0 && answer.hasSuffix(" verified"), "\(outing.id): \(answer)")
    }
  }

  /// A person's own list over HTTP, newest first: id at the provider, exact status, reasons.
  func list(_ person: Person) async throws -> [String] {
    let answer = try await ask("GET", "/users/\(person.athlete)/activities", person)
    return try JSONValue(answer.body).elements.map {
      let reasons = ($0["reasons"]?.elements ?? []).compactMap(\.text)
      return (["\($0["stravaId"]?.integer ?? 0)", $0["exactStatus"]?.text ?? ""] + reasons).joined(separator: " ")
    }
  }

  /// Waits for a list. The clock advances while it is another: listings of an athlete begin a minute apart.
  func until(_ person: Person, lists expected: [String]) async throws {
    for _ in 1...20 {
      do {
        return try await untilTrue("the list", within: .seconds(4)) { try await self.list(person) == expected }
      } catch is TimeLimitError { try await advance(61) }
    }
    throw TimeLimitError(description: "\(person.athlete) has \(try await list(person)) and not \(expected)")
  }

  /// The number of activities that everybody sees.
  func publicCount() async throws -> Int {
    try JSONValue(try await ask("GET", "/activities", nil).body).elements.count
  }

  /// How often the provider was asked about one activity, or for its streams.
  func reads(of id: Int64) async throws -> [String] {
    try await provider.reads().map(\.path).filter { $0.contains("/\(id)") }
  }

  /// Balance, in pence.
  func balance(_ person: Person) async throws -> Int64 {
    try await owner.query("SELECT balance_pence FROM racing.wallet WHERE athlete_id = \(person.athlete)").one(
      Int64.self)
  }

  func untilSettled(_ race: Int64) async throws {
    try await untilTrue("race \(race) is settled") {
      try await self.owner.query("SELECT status FROM racing.race WHERE id = \(race)").one(String.self) == "settled"
    }
  }

  func set(_ key: String, _ value: String) async throws {
    _ = try await owner.query("SELECT settled.set(\(key), \(value))")
  }
}
