import Postgres
import TestSupport

@testable import Gateway

/// People, and what they have: so that requests that are nearly right find something.
struct FuzzPeople {
  var tokens: [String?] = [nil, "not.a.token"]
  var goodTokens: [String] = []
  var known: [String: [String]] = [
    "reason": ["suspicious_speed", "suspiciousSpeed", "other"], "gender": ["female", "male", "other"],
    "userType": ["racer", "spectator"], "season": ["xc", "track"], "year": ["2031", "2030"],
    "activityType": [
      "Kayaking", "Canoeing", "Surfing", "TRAINING_RUN", "LIFTING",
    ],
    "startDate": ["2031-06-02T08:00:00Z", "2031-06-02T08:10:00Z"], "dateOfBirth": ["1990-01-01T00:00:00Z"],
    "timezone": ["Europe/London", "America/New_York"], "email": ["ann@example.com", "nobody@example.com"],
    "password": ["short", "correct horse"], "token": ["a", "b"], "type": ["top_speed", "fastest_1km"],
    "duration": ["daily", "weekly"], "category": ["masters_women", "authors"],
    "status": ["active", "ended", "upcoming"],
    "filter": ["all", "locked", "unlocked"], "slug": ["first"], "limit": ["1", "2", "100"], "offset": ["0", "1"],
    "after": ["0", "1"], "before": ["5", "1000"], "scope": ["read,activity:read_all"], "code": ["c"],
    "Idempotency-Key": (1...300).map { "k\($0)" }, "team": ["UA", "NU"], "displayName": ["Ann"],
    "elapsedTime": ["600", "600.5"], "movingTime": ["590", "1"], "maxSpeed": ["4.2", "5.55"],
    "latitude": ["51.5", "51.501"], "longitude": ["-0.1", "-0.12"], "amount": ["4.99", "1", "0.01"],
    "displayOrder": (1...50).map { "\($0)" }, "sleepHours": ["7.5"], "processedFoodScore": ["2"], "stressLevel": ["3"],
    "bedtimeHour": ["22.5"], "alcoholUnits": ["0"], "steps": ["9000"], "vigorousMinutes": ["30"],
  ]

  init(_ world: SystemWorld) async throws {
    let (ann, bob) = (try await world.athlete("Ann", pounds: 500), try await world.athlete("Bob", pounds: 20))
    let race = try await world.number(
      """
      SELECT racing.create_race('top_speed', 'daily', 'masters_women', settled.clock() - interval '1 hour',
        settled.clock() + interval '23 hours')
      """)
    let next = try await world.number(
      """
      SELECT racing.create_race('fastest_1km', 'daily', 'masters_women', settled.clock() + interval '1 day',
        settled.clock() + interval '2 days')
      """)
    _ = try await world.owner.query(
      "SELECT racing.connect_strava(id, 'c' || id, 'read,activity:read_all') FROM racing.athlete")
    try await world.owner.execute("UPDATE strava.connection SET status = 'active'")
    let activity = try await world.number(
      """
      SELECT racing.import_activity(\(bob), '{"stravaId": 77, "name": "Out", "activityType": "Kayaking",
        "startDate": "2031-06-02T08:00:00Z", "elapsedTime": 600, "movingTime": 590, "distance": 2000.5, "maxSpeed": 4.2,
        "startLocation": {"latitude": 51.5, "longitude": -0.1}, "endLocation": {"latitude": 51.5, "longitude": -0.1}}')
      """)
    try await world.owner.execute("UPDATE racing.activity SET status = 'verified', scored = true")
    for name in ["Eve", "Fay", "Gil"] {
      _ = try await world.owner.query(
        "SELECT racing.flag_activity(\(activity), \(try await world.athlete(name)), 'other')")
    }
    let runner = try await world.number("SELECT seasons.create_runner('Ann', 2032, 'UA', true, true)")
    try await world.owner.execute("SELECT seasons.create_user('coach', 'Coach', 'coach')")
    try await world.owner.execute("SELECT seasons.create_user('ann', 'Ann', 'runner', \(runner))")
    let reward = try await world.owner.query(
      """
      SELECT seasons.create_reward('{"season": "xc", "year": "2031", "description": "Pizza", "pointThreshold": 100, "displayOrder": 1,
        "createdBy": "coach"}') ->> 'id'
      """
    ).one(String.self)
    let talk = try await world.owner.query(
      """
      SELECT seasons.create_team_talk('{"author": "coach", "season": "xc", "year": "2031", "title": "T", "content": "C",
        "team": "UA"}')::text
      """
    ).one(String.self)
    try await world.owner.execute("SELECT seasons.comment(\(talk)::text::uuid, 'ann', 'Yes')")
    for (slug, hidden) in [("first", false), ("secret", true)] {
      let definition = """
        {"slug": "\(slug)", "name": "First", "description": "One", "icon": {"type": "book", "color": "#FFD700", "symbol": "B"},
         "unlock_requirements": {"metric": "author_read_count", "value": 1}, "is_hidden": \(hidden), "category": "authors", "display_order": 1}
        """
      try await world.owner.execute("SELECT achievements.define(\(JSON(text: definition)))")
    }
    try await world.owner.execute("SELECT achievements.create_user(5, 'Ann')")
    try await world.owner.execute("SELECT checkins.onboard('ann', 'Europe/London')")

    tokens += [
      try await world.token(athlete: ann, username: "ann", runner: runner, reader: 5, checkin: "ann"),
      try await world.token(athlete: ann, username: "ann", runner: runner, reader: 5, checkin: "ann"),
      try await world.token(athlete: bob, reader: 99, checkin: "new"),
      try await world.token(athlete: 4711, username: "nobody", runner: 4711, checkin: "\u{1F600} x"),
      try await world.token(
        athlete: ann, username: "coach", runner: runner, reader: 5, checkin: "ann", roles: [.moderator, .payments]),
      try await world.token(
        athlete: ann, username: "coach", runner: runner, reader: 5, checkin: "ann", roles: [.moderator, .payments]),
      try await world.token(roles: [.moderator]),
    ]
    // Two identities of one account, so that logging in and out works.
    let account = try await world.json(
      "POST /auth/register", body: #"{"email":"ann@example.com","password":"correct horse","userType":"racer"}"#,
      status: 201)
    goodTokens = Array(tokens.compactMap { $0 }.suffix(7).dropLast())
    tokens.append(try account["token"].plain)
    goodTokens.append(try account["token"].plain)
    let people = ["\(ann)", "\(ann)", "\(ann)", "\(ann)", "\(bob)"]
    known.merge([
      "users": people, "wallets": people, "userId": people, "races": ["\(race)", "\(next)"],
      "entries": ["1", "2"], "activities": ["\(activity)", "\(activity + 1)"], "activityId": ["\(activity)"],
      "stravaId": ["77", "78", "79"], "runnerId": ["\(runner)"], "rewards": [reward], "achievements": ["1", "2"],
      "user": ["5"], "uuid": [talk], "teamTalkUuid": [talk], "username": ["ann", "coach"], "activityUuid": [talk],
    ]) { $1 }
  }
}
