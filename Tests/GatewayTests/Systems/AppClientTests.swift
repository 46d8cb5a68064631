import Gateway
import Foundation
import Postgres
import TestSupport
import Testing

/// The Swift code of the documents runs with another host, and a token.
@Suite("The documents' own clients", .timeLimit(.minutes(2))) struct AppClientTests {
  @Test func `a team's app creates, changes, reads and deletes rewards`() async throws {
    try await SystemWorld.run { world in
      try await world.clock("2024-09-01T10:00:00Z")
      let runner = try await world.number("SELECT seasons.create_runner('Ann', 2027, 'UA', true, true)")
      _ = try await world.owner.query("SELECT seasons.create_user('coach_smith', 'Coach Smith', 'coach')")
      let service = TeamApp.DataService(baseUrl: world.base, token: try await world.token(username: "coach_smith"))
      let made = try await service.createSeasonalReward(
        request: .init(
          season: "xc", year: "2024", description: "Team Hoodies", pointThreshold: 15, displayOrder: 2,
          createdBy: "Coach Smith")
      ).get()
      #expect(made.achievedDate == nil && made.description == "Team Hoodies")
      let changed = try await service.updateSeasonalReward(
        id: made.id,
        request: .init(description: "Custom Team Hoodies (Updated)", pointThreshold: nil, displayOrder: nil)
      ).get()
      #expect(changed.description == "Custom Team Hoodies (Updated)" && changed.displayOrder == 2)
      try await world.clock("2024-10-15T10:30:00Z")
      let earning = TeamApp.EarnPointsRequest(
        runnerId: Int(runner), activityType: "MEET_LOG", activityUuid: nil, season: "xc", year: "2024",
        description: nil)
      let earned = try await world.json(
        "POST /api/v1/points/earn", token: service.token,
        body: String(decoding: JSONEncoder().encode(earning), as: UTF8.self))
      #expect(try earned["newBalance"] == .number(20))
      let app = TeamApp.DataService(baseUrl: world.base, token: nil)
      let progress = try await app.getTeamSeasonalProgress(season: "xc", year: "2024").get()
      #expect(progress.teamTotalPoints == 20 && progress.activeRosterCount == 1)
      #expect(progress.rewards.map(\.progressPercentage) == [100])
      #expect(progress.rewards.map(\.achievedDate) == [Date(timeIntervalSince1970: 1_728_988_200)])
      #expect(try await app.getSeasonalRewardsConfig(season: "xc", year: "2024").get().map(\.id) == [made.id])
      let points = try await app.getRunnerSeasonalPoints(runnerId: Int(runner), season: "xc", year: "2024").get()
      #expect(points.pointsEarned == 20 && points.year == "2024")
      guard case .failure(let refused) = await app.deleteSeasonalReward(id: made.id) else {
        Issue.record("nobody deletes a reward")
        return
      }
      #expect((refused as? AppRequest.Failure)?.status == 401)
      try await service.deleteSeasonalReward(id: made.id).get()
      #expect(try await app.getSeasonalRewardsConfig(season: "xc", year: "2024").get().isEmpty)
    }
  }

  /// A number and a text are the same provider's id on the way in; a number goes out.
  @Test func `the canoe app reads the feed, its own list, an import's answer and the moderation list`() async throws {
    try await SystemWorld.run { world in
      let ann = try await world.athlete("Ann")
      let token = try await world.token(athlete: ann)
      for (number, id) in [(77, "77"), (78, "\"78\"")] {
        let body = """
          {"stravaId":\(id),"userId":"\(ann)","name":"Out","activityType":"Kayaking","startDate":"2031-06-01T0\(number - 70):00:00Z",
           "elapsedTime":600,"movingTime":590,"distance":2000.5,"maxSpeed":4.2,
           "startLocation":{"latitude":51.5,"longitude":-0.1},"endLocation":{"latitude":51.5,"longitude":-0.1}}
          """
        let imported = try await world.call("POST /activities", token: token, body: body)
        let activity = try RacepaceApp.decode(RacepaceApp.Activity.self, imported.body)
        #expect(imported.status == 201 && activity.stravaId == Int64(number) && activity.status == .pending)
      }
      try await world.owner.execute("UPDATE racing.activity SET status = 'verified', scored = true")
      for (path, caller) in [("/activities", nil), ("/users/\(ann)/activities", token)] {
        let list = try await world.call("GET \(path)", token: caller)
        #expect(try RacepaceApp.decode([RacepaceApp.Activity].self, list.body).map(\.stravaId) == [78, 77], "\(path)")
      }
      let flagger = try await world.token(athlete: try await world.athlete("Bob"))
      let first = try await world.number("SELECT min(id) FROM racing.activity")
      for (athlete, reason) in [(flagger, "motorized_assistance")] {
        _ = try await world.json(
          "POST /activities/\(first)/flag", token: athlete, body: #"{"reason":"\#(reason)"}"#, status: 201)
      }
      try await world.owner.execute(
        "INSERT INTO racing.review (activity_id, opened_at) VALUES (\(first), settled.clock()) ON CONFLICT DO NOTHING")
      let moderator = try await world.token(username: "mod", roles: [.moderator])
      let flagged = try await world.call("GET /moderation/flagged", token: moderator)
      let items = try RacepaceApp.decode([RacepaceApp.FlaggedActivity].self, flagged.body)
      #expect(items.map(\.reasons) == [[.motorizedAssistance]] && items[0].activityDetails.stravaId == 77)
    }
  }

  @Test func `a view is tracked, and a coach's app shows it`() async throws {
    try await SystemWorld.run { world in
      let talk = try await TeamTalkRouteTests.talk(world)
      let reader = TeamApp.TeamTalkService(host: world.base, token: try await world.token(username: "jsmith"))
      try await world.clock("2024-12-16T14:32:10Z")
      try await reader.trackView(teamTalkUuid: talk, username: "jsmith", displayName: "John Smith")
      await #expect(throws: TeamApp.TeamTalkError.self) {
        try await reader.trackView(teamTalkUuid: talk, username: "coach_mike", displayName: "Mike")
      }
      let coach = TeamApp.TeamTalkService(host: world.base, token: try await world.token(username: "coach_mike"))
      let views = try await coach.teamTalk(talk).viewSummary
      #expect(views.totalViews == 1 && views.recentViews.map(\.displayName) == ["John Smith"])
      #expect(views.recentViews.first?.viewedAtDate == Date(timeIntervalSince1970: 1_734_359_530))
      #expect(try await reader.teamTalk(talk).viewSummary.totalViews == 0)
    }
  }

  @Test func `a reader's app reads achievements from either base, masked and revealed`() async throws {
    try await SystemWorld.run { world in
      try await GReadRouteTests.fill(world)
      for base in ["/wp-json/gread/v2", "/gread/v2"] {
        let reader = GReadApp.Client(baseURL: world.base + base, token: try await world.token(reader: 123))
        let other = GReadApp.Client(baseURL: world.base + base, token: try await world.token(reader: 124))
        let revealed = try await reader.getAchievements()
        #expect(revealed.map(\.name) == ["Secret Master"] && revealed[0].progress?.percentage == 100)
        #expect(revealed[0].unlockRequirements?.metric == "author_read_count" && revealed[0].reward == 500)
        let masked = try await other.getAchievements(category: GReadApp.AchievementCategory.authors.rawValue)
        #expect(masked.map(\.name) == ["???"] && masked[0].icon.svgUrl == nil && masked[0].reward == nil)
        #expect(try await reader.getAchievements(category: "career").isEmpty)
        let lists = ["/achievements", "/achievements?category=authors"]
        for path in lists {
          #expect(try await other.curl(path, as: [GReadApp.Achievement].self).map(\.slug) == ["secret-master"])
        }
        for (path, count) in [("/user/123/achievements", 1), ("/user/123/achievements?category=career", 0)] {
          #expect(try await other.curl(path, as: GReadApp.UserAchievements.self).achievements.count == count)
        }
        let locked = try await other.curl("/me/achievements?filter=locked", as: GReadApp.UserAchievements.self)
        #expect(locked.total == 1 && locked.unlockedCount == 0)
        let checked = try await other.curl("/me/achievements/check", "POST", as: GReadApp.UserAchievements.self)
        #expect(checked.newlyUnlocked?.isEmpty == true)
      }
    }
  }

  @Test func `a check-in app follows its documented flow`() async throws {
    try await SystemWorld.run(at: "2031-06-02T22:30:00Z") { world in
      let client = CheckInApp.Client(host: world.base, token: try await world.token(checkin: "firebase-1"))
      let me = try await client.get("/api/auth/me", as: CheckInApp.Me.self)
      #expect(me.profile.timezone == nil && !me.hasCompletedOnboarding)
      let screen = CheckInApp.Screen(client)
      await #expect(throws: CheckInApp.APIError.statusCode(404)) {
        try await screen.submitCheckIn(metrics: .init())
      }
      let changed = try await client.patch("/api/auth/profile", body: ["timezone": "Europe/Istanbul"])
      #expect(changed.profile.timezone == "Europe/Istanbul")
      _ = try await client.post("/api/onboarding/submit", body: [String: String](), as: CheckInApp.Me.self)
      try await screen.checkDailyStatus()
      #expect(screen.canCheckIn == true)
      try await screen.submitCheckIn(metrics: .init())
      #expect(screen.isCompleted && screen.error == nil)
      try await screen.submitCheckIn(metrics: .init())
      #expect(screen.error == "Daily check-in already completed" && screen.canCheckIn == false)
      let today = try await client.get("/api/stats/summary", as: CheckInApp.Summary.self).today
      #expect(today?.date == "2031-06-03")
    }
  }
}
