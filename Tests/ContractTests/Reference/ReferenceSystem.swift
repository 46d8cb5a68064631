import Testing

/// A schema whose functions apps call: the page that describes it, and the calls before its examples.
struct ReferenceSystem: CustomTestStringConvertible {
  let schema: String
  let title: String
  let page: String
  let world: [String]

  var testDescription: String { schema }

  static let all = [
    ReferenceSystem(
      schema: "settled", title: "Clock, events and the engine in SQL", page: "Sources/Daemon/Daemon.docc/SettledSQL.md",
      world: []),
    ReferenceSystem(
      schema: "strava", title: "Connections in SQL", page: "Sources/Strava/Strava.docc/StravaSQL.md", world: strava),
    ReferenceSystem(
      schema: "racing", title: "Racing in SQL", page: "Sources/Racing/Racing.docc/RacingSQL.md", world: racing),
    ReferenceSystem(
      schema: "checkins", title: "Check-ins in SQL", page: "Sources/CheckIns/CheckIns.docc/CheckInsSQL.md",
      world: checkins),
    ReferenceSystem(
      schema: "seasons", title: "Seasons in SQL", page: "Sources/Seasons/Seasons.docc/SeasonsSQL.md", world: seasons),
    ReferenceSystem(
      schema: "achievements", title: "Achievements in SQL",
      page: "Sources/Achievements/Achievements.docc/AchievementsSQL.md", world: achievements),
  ]

  private static let strava = [
    "SELECT racing.create_athlete('Ann Lee', '2003-05-05', 'female')",
    "SELECT racing.connect_strava(1, 'code-of-ann', 'read,activity:read_all,profile:read_all')",
  ]

  private static let racing = [
    "SELECT racing.create_athlete('Ann Lee', '2003-05-05', 'female')",
    "SELECT racing.create_athlete('Bea Cole', '2001-02-28', 'female')",
    "SELECT racing.create_athlete('Dan Hill', '1999-11-30', 'male')",
    "SELECT racing.connect_strava(1, 'code-of-ann', 'read,activity:read_all,profile:read_all')",
    "SELECT racing.deposit(1, 5000, 'payment-1')",
    "SELECT racing.withdraw(1, 1000, 'payout-1')",
    "SELECT racing.create_race('top_speed', 'daily', 'senior_women', '2031-07-01 00:00Z', '2031-07-02 00:00Z')",
    "SELECT racing.create_race('fastest_1km', 'daily', 'senior_women', '2031-07-01 00:00Z', '2031-07-02 00:00Z')",
    "SELECT racing.enter_race(1, 2)",
    """
    SELECT racing.import_activity(1, '{"stravaId": 8001, "name": "Morning paddle", "activityType": "Kayaking",
        "startDate": "2026-06-02T08:00:00Z", "elapsedTime": 1900, "movingTime": 1800, "distance": 6000,
        "startLocation": {"latitude": 54.3626, "longitude": -2.9206}}')
    """,
    "SELECT racing.flag_activity(1, 2, 'suspicious_speed', 'Faster than the ferry')",
  ]

  private static let checkins = [
    "SELECT checkins.onboard('ann', 'Europe/London', 34.5)",
    "SELECT checkins.onboard('bea', 'Europe/Istanbul', 41)",
    """
    SELECT checkins.submit('bea', '{"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1,
        "alcoholUnits": 0, "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}')
    """,
  ]

  private static let seasons = [
    "SELECT seasons.create_runner('Ann Lee', 2033, 'UA', true, true)",
    "SELECT seasons.earn_points(1, 'WORKOUT', 'workout-1', 'xc', '2031')",
    """
    SELECT seasons.create_reward('{"season": "xc", "year": "2031", "description": "Team shirts",
        "pointThreshold": 1000, "displayOrder": 1}')
    """,
    "SELECT seasons.create_user('coach', 'Coach Kim', 'coach')",
    "SELECT seasons.create_user('ann', 'Ann Lee', 'runner', 1)",
    """
    SELECT seasons.create_team_talk('{"author": "Coach Kim", "season": "xc", "year": "2031", "title": "Welcome",
        "content": "First meeting on Monday.", "team": "UA"}')
    """,
  ]

  private static let achievements = [
    "SELECT achievements.create_user(1, 'Ann Lee')",
    "SELECT achievements.create_user(2, 'Bea Cole')",
    """
    SELECT achievements.define('{"slug": "reader", "name": "Reader", "description": "Reads five books",
        "icon": {"type": "book", "color": "#335577", "symbol": "R"},
        "unlock_requirements": {"metric": "books_read", "value": 5}, "category": "career"}')
    """,
    "SELECT achievements.report_metric(1, 'books_read', 3, 'add', 'report-1')",
  ]
}
