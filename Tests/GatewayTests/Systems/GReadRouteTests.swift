import Postgres
import TestSupport
import Testing

/// The requests and answers of the guide of achievements over HTTP, from all bases.
@Suite("Achievements over HTTP", .timeLimit(.minutes(2))) struct GReadRouteTests {
  /// Achievement 42, readers 123, who has read 50 authors, and 124, who has read none.
  static func fill(_ world: SystemWorld) async throws {
    try await world.clock("2025-12-04T10:30:00Z")
    try await world.owner.script(
      """
      ALTER TABLE achievements.achievement ALTER COLUMN id RESTART WITH 42;
      SELECT achievements.create_user(123, 'Reader 123');
      SELECT achievements.create_user(124, 'Reader 124');
      """)
    try await world.owner.execute("SELECT achievements.define(\(JSON(text: SecretMaster.definition)))")
    try await world.owner.execute("SELECT achievements.report_metric(123, 'author_read_count', 50, 'set', 'k')")
  }

  @Test(arguments: ["/gread", "/wp-json/gread"])
  func `both versions of achievements answer the guide's lines, the first without masked ones`(base: String)
    async throws
  {
    try await SystemWorld.run { world in
      try await Self.fill(world)
      let owner = try await world.token(reader: 123)
      let other = try await world.token(reader: 124)
      func list(_ user: Int, _ items: String, total: Int, unlocked: Int, more: String = "") throws -> DocumentJSON {
        try DocumentJSON(
          """
          {"user_id": \(user), "total": \(total), "unlocked_count": \(unlocked)\(more), "achievements": [\(items)]}
          """)
      }
      for version in [1, 2] {
        let root = "\(base)/v\(version)"
        let locked = version == 1 ? "" : SecretMaster.masked
        for one in ["42", "slug/secret-master"] {
          let path = "GET \(root)/achievements/\(one)"
          #expect(try await world.json(path) == DocumentJSON(SecretMaster.masked))
          #expect(try await world.json(path, token: owner) == DocumentJSON(SecretMaster.revealed))
        }
        for query in ["", "?category=authors"] {
          let path = "GET \(root)/achievements\(query)"
          #expect(try await world.json(path) == DocumentJSON("[\(locked)]"))
          #expect(try await world.json(path, token: owner) == DocumentJSON("[\(SecretMaster.revealed)]"))
        }
        let whole = try list(123, SecretMaster.revealed, total: 1, unlocked: 1)
        #expect(try await world.json("GET \(root)/user/123/achievements", token: other) == whole)
        #expect(try await world.json("GET \(root)/me/achievements", token: owner) == whole)
        let career = try await world.json("GET \(root)/user/123/achievements?category=career")
        #expect(try career["achievements"] == .array([]))
        #expect(
          try await world.json("GET \(root)/me/achievements?filter=locked", token: other)
            == list(124, locked, total: version - 1, unlocked: 0))
        // The body is ignored, as curl -X POST sends nothing.
        for body in [nil, "{", "[1]"] {
          let checked = try await world.json("POST \(root)/me/achievements/check", token: other, body: body)
          #expect(
            try checked == list(124, locked, total: version - 1, unlocked: 0, more: #", "newly_unlocked": []"#))
        }
        #expect(try await world.json("GET \(root)/achievements/stats")["total_unlocks"] == .number(1))
        #expect(
          try await world.json("GET \(root)/achievements/leaderboard")
            == DocumentJSON(
              """
              [{"rank": 1, "user_id": 123, "user_name": "Reader 123", "achievement_count": 1, "user_avatar_url": ""}]
              """))
      }
    }
  }

  @Test func `the achievement leaderboard is read page by page`() async throws {
    try await SystemWorld.run { world in
      try await Self.fill(world)
      try await world.owner.execute("SELECT achievements.report_metric(124, 'author_read_count', 50, 'set', 'k')")
      let path = "/gread/v2/achievements/leaderboard"
      let first = try await world.call("GET \(path)?limit=1")
      #expect(first["Link"] == "<\(SystemWorld.publicURL)\(path)?limit=1&offset=1>; rel=\"next\"", "\(first)")
      let second = try await world.call("GET \(path)?limit=1&offset=1")
      #expect(second["Link"]?.contains("offset=2") == true, "\(second)")
      let users = try [first, second].map { try DocumentJSON($0.body).elements[0]["user_id"].plain }
      #expect(Set(users) == ["123", "124"])
      let third = try await world.call("GET \(path)?limit=1&offset=2")
      #expect(third.status == 200 && third.body == "[]" && third["Link"] == nil, "\(third)")
      #expect(try await world.call("GET \(path)")["Link"] == nil)
    }
  }

  @Test func `refused achievement requests are worded as in WordPress`() async throws {
    try await SystemWorld.run { world in
      try await Self.fill(world)
      let reader = try await world.token(reader: 123)
      let unknown = try await world.token(reader: 999)
      let none = try await world.token(athlete: 7)
      for base in ["/gread/v1", "/wp-json/gread/v2"] {
        let (mine, board) = ("\(base)/me/achievements", "\(base)/achievements/leaderboard")
        for (line, token, status, code) in [
          ("GET \(mine)", nil, 401, "rest_forbidden"), ("POST \(mine)/check", nil, 401, "rest_forbidden"),
          ("GET \(mine)", none, 403, "rest_forbidden"), ("POST \(mine)/check", none, 403, "rest_forbidden"),
          ("GET \(mine)", "x", 403, "jwt_auth_invalid_token"),
          ("GET \(base)/achievements", "x", 403, "jwt_auth_invalid_token"),
          ("GET \(mine)", unknown, 404, "user_not_found"), ("POST \(mine)/check", unknown, 404, "user_not_found"),
          ("GET \(base)/user/999/achievements", nil, 404, "user_not_found"),
          ("GET \(base)/user/x/achievements", nil, 404, "user_not_found"),
          ("GET \(base)/achievements/43", nil, 404, "achievement_not_found"),
          ("GET \(base)/achievements/secret-master", nil, 404, "achievement_not_found"),
          ("GET \(base)/achievements/slug/no", nil, 404, "achievement_not_found"),
          ("GET \(base)/achievements?category=poetry", nil, 400, "rest_invalid_param"),
          ("GET \(base)/achievements?category=", nil, 400, "rest_invalid_param"),
          ("GET \(mine)?filter=some", reader, 400, "rest_invalid_param"),
          ("GET \(board)?limit=0", nil, 400, "rest_invalid_param"),
          ("GET \(board)?limit=101", nil, 400, "rest_invalid_param"),
          ("GET \(board)?offset=-1", nil, 400, "rest_invalid_param"),
          ("GET \(board)?offset=3000000000", nil, 400, "rest_invalid_param"),
          ("GET \(board)?offset=x", nil, 400, "rest_invalid_param"),
          ("GET \(base)/books", nil, 404, "rest_no_route"), ("POST \(mine)", reader, 405, "rest_no_route"),
        ] as [(String, String?, Int, String)] {
          let reply = try await world.call(line, token: token)
          let members = try DocumentJSON(reply.body)
          #expect(reply.status == status, "\(line): \(reply)")
          #expect(try members["code"] == .text(code) && members.count == 3, "\(line): \(reply)")
          #expect(try members["data"] == .object(["status": .number(Double(status))]), "\(line): \(reply)")
        }
        let check = "POST \(mine)/check"
        let key = ["Idempotency-Key: \(base)"]
        #expect(try await world.call(check, token: reader, headers: key).status == 200)
        let other = try await world.call("\(check)?again=1", token: reader, headers: key)
        #expect(other.status == 409 && other.has(#""code":"rest_conflict""#), "\(other)")
      }
    }
  }
}
