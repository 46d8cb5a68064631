/// One entry for each route, by system, method and path.
enum MatrixCases {
  static let all: [String: MatrixCase] =
    racepace.merging(accounts) { first, _ in first }.merging(team) { first, _ in first }
    .merging(gread) { first, _ in first }.merging(checkin) { first, _ in first }

  private static let me = ["id": "athlete"]

  private static let racepace: [String: MatrixCase] = [
    "racepace GET users/:id": .own().with(me),
    "racepace PUT users/:id": .own().with(me, body: #"{"displayName":"Ann"}"#),
    "racepace PUT users/:id/strava": .own(201).with(
      me, body: #"{"code":"c","scope":"read,activity:read_all"}"#, isLast: true),
    "racepace GET users/:id/entries": .own().with(me),
    "racepace GET users/:id/activities": .own().with(me),
    "racepace GET entries/:id": .identity(another: .oneself).with(["id": "entry"]),
    "racepace GET races": .everybody(),
    "racepace GET races/:id": .everybody().with(["id": "race"]),
    "racepace GET races/:id/leaderboard": .everybody().with(["id": "race"]),
    "racepace POST races/:id/enter": .identity(another: .done(201), oneself: .done(201)).with(["id": "nextRace"]),
    "racepace GET activities": .everybody(),
    "racepace POST activities": .identity(another: .done(201), oneself: .done(201)).with(
      body: """
        {"stravaId":"100{caller}","name":"Out","activityType":"Kayaking","startDate":"2031-06-01T09:00:00Z",
         "elapsedTime":600,"movingTime":590,"distance":2000.5}
        """),
    "racepace POST activities/:id/flag": .identity(
      another: .done(201), oneself: .refused(403, "own-activity")
    ).with(["id": "activity"], body: #"{"reason":"suspicious_speed"}"#),
    "racepace GET moderation/flagged": .moderator(),
    "racepace POST moderation/review": .moderator().with(
      body: #"{"activityId":"{flagged}","decision":"approve"}"#),
    "racepace POST wallets": .identity(another: .oneself).with(body: #"{"userId":"{athlete}"}"#),
    "racepace GET wallets/:id": .own().with(me),
    "racepace GET wallets/:id/transactions": .own().with(me),
    "racepace POST wallets/:id/deposit": .payments().with(me, body: #"{"amount":1}"#),
    "racepace GET strava/webhook/:secret": .everybody(.refused(404, "path")),
    "racepace POST strava/webhook/:secret": .everybody(.refused(404, "path")).with(body: "{}"),
    "racepace POST wallets/:id/withdraw": .own(201).with(me, body: #"{"amount":1}"#),
  ]

  /// A body that is not whole shows that nobody needs a token; one that is would take the time of a password.
  private static let accounts: [String: MatrixCase] = [
    "racepace POST auth/register": .everybody(.refused(400, "password")).with(
      body: #"{"email":"new@example.com"}"#,
      wholeBody: #"{"email":"new@example.com","password":"correct horse","userType":"racer"}"#),
    "racepace POST auth/login": .everybody(.refused(400, "password")).with(
      body: #"{"email":"new@example.com"}"#, wholeBody: #"{"email":"new@example.com","password":"correct horse"}"#),
    "racepace GET auth/validate": .identity(),
    "racepace POST auth/logout": .identity(another: .done(204), oneself: .done(204)),
    "racepace POST auth/reset-password": .everybody(.done(202)).with(body: #"{"email":"new@example.com"}"#),
    "racepace POST auth/reset-password/confirm": .everybody(.refused(400, "token")).with(
      body: #"{"token":"\#(String(repeating: "A", count: 43))","password":"correct horse"}"#),
  ]

  private static let period = "season=xc&year=2031"

  private static let team: [String: MatrixCase] = [
    "seasons GET points/seasonal/progress": .everybody().with(query: period),
    "seasons GET points/seasonal/rewards": .everybody().with(query: period),
    "seasons GET points/seasonal/:runnerId": .everybody().with(["runnerId": "runner"], query: period),
    "seasons GET points/leaderboard": .everybody(),
    "seasons POST points/seasonal/rewards": .coach().with(
      body: #"{"season":"xc","year":2031,"description":"Hoodies","pointThreshold":90,"displayOrder":9}"#),
    "seasons PUT points/seasonal/rewards/:id": .coach().with(["id": "reward"], body: #"{"pointThreshold":60}"#),
    "seasons DELETE points/seasonal/rewards/:id": .coach().with(["id": "otherReward"]),
    "seasons POST points/earn": .named(coach: .done(200)).with(
      body: #"{"runnerId":{runner},"activityType":"WORKOUT"}"#),
    "talks POST team-talks/views/track": .named(coach: .identity).with(
      body: #"{"teamTalkUuid":"{talk}","username":"ann","displayName":"Ann"}"#),
    "talks GET team-talks/season": .everybody(),
    "talks GET team-talks/all": .everybody(),
    "talks GET team-talks/:uuid": .everybody().with(["uuid": "talk"]),
  ]

  private static let gread: [String: MatrixCase] = [
    "gread GET achievements": .everybody(),
    "gread GET achievements/stats": .everybody(),
    "gread GET achievements/leaderboard": .everybody(),
    "gread GET achievements/slug/:slug": .everybody().with(["slug": "slug"]),
    "gread GET achievements/:id": .everybody().with(["id": "achievement"]),
    "gread GET user/:id/achievements": .everybody().with(["id": "reader"]),
    "gread GET me/achievements": .identity(),
    "gread POST me/achievements/check": .identity(),
    "gread POST jwt-auth/v1/token": .everybody(.refused(400, "password")).with(
      body: #"{"username":"ann"}"#, wholeBody: #"{"username":"ann","password":"correct horse"}"#),
  ]

  private static let checkin: [String: MatrixCase] = [
    "checkin GET auth/me": .identity(), "checkin POST auth/me": .identity(),
    "checkin PATCH auth/profile": .identity().with(body: #"{"timezone":"Europe/London"}"#),
    "checkin POST onboarding/submit": .identity().with(body: "{}"),
    "checkin GET stats/summary": .identity(),
    "checkin POST age/daily-update": .identity().with(
      body: """
        {"sleepHours":8,"steps":12000,"vigorousMinutes":40,"processedFoodScore":1,"alcoholUnits":0,"stressLevel":2,
         "lateCaffeine":false,"screenLate":false,"bedtimeHour":22}
        """),
  ]
}
