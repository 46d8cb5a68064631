extension ContractFunctions {
  /// In the world of the calls there are a coach, a runner who is runner 1, a talk, and a comment on it that ends in
  /// a chain of replies as deep as they may be.
  static let talk = """
    SELECT seasons.create_user('coach', 'Coach', 'coach'), seasons.create_user('ann', 'Ann', 'runner', 1);
    INSERT INTO seasons.team_talk (uuid, author, season, year, title, content, team, created_at, updated_at)
      VALUES ('\(uuid)', 'coach', 'xc', 2031, 'Title', 'Content', 'UA', now(), now());
    INSERT INTO seasons.comment (uuid, talk_id, user_id, message, parent_id, depth, created_at, updated_at)
      SELECT format('00000000-0000-0000-0000-00000000000%s', n)::uuid, 1, 1, 'm', nullif(n, 0), n, now(), now()
      FROM generate_series(0, 8) AS n;
    """

  private static let uuid = "11111111-1111-1111-1111-111111111111"

  private static let request = """
    {"author": "coach", "season": "xc", "year": "2031", "title": "T", "content": "C", "team": "UA"}
    """

  private static let talkUUID = Argument.other(
    "team_talk_uuid", good: "'\(uuid)'",
    [("null", "SD400 team-talk-uuid"), ("'00000000-0000-0000-0000-000000000000'", "SD404 team-talk")])

  private static let user = Argument.other(
    "username", good: "'ann'",
    ["null", "''", "repeat('x', 10001)", "repeat('x', 1000001)"].map { ($0, "SD400 username") }
      + ["'nobody'", "'Ann'", "' '", "repeat('é', 10000)"].map { ($0, "SD404 user") })

  private static func team(_ good: String, isOptional: Bool) -> Argument {
    .other(
      "team", good: good,
      ["''", "'ua'", "'UA '", "repeat('x', 1000001)"].map { ($0, "SD400 team") }
        + [("'UA'", "ok"), ("'NU'", "ok"), ("null", isOptional ? "ok" : "SD400 team")])
  }

  private static let emoji = Argument.other(
    "emoji", good: "'🔥'",
    ["null", "''", "repeat('x', 65)", "repeat('x', 1000001)"].map { ($0, "SD400 emoji") }
      + [("repeat('🔥', 64)", "ok"), ("' '", "ok"), ("'👩‍👩‍👧‍👦'", "ok")])

  private static let viewer = Argument.other(
    "viewer", good: "null",
    [
      ("null", "ok"), ("''", "ok"), ("'nobody'", "ok"), ("'coach'", "ok"), ("repeat('é', 10000)", "ok"),
      ("repeat('x', 10001)", "SD400 viewer"),
    ])

  private static func refused(_ key: String, _ values: [String]) -> [(String, String)] {
    values.map { ("'\(request)' || '{\"\(key)\": \($0)}'::jsonb", "SD400 \(key)") }
  }

  static let talks: [Function] = [
    (
      "seasons.create_user",
      [
        .name("username", good: "'new'").also(("'ann'", "SD409 user"), ("'Ann'", "ok")), .name("display_name"),
        .word("role", ["coach", "runner"]),
        .other(
          "runner_id", good: "null",
          [("null", "ok"), ("1", "ok"), ("0", "SD404 runner"), ("9223372036854775807", "SD404 runner")]),
      ]
    ),
    ("seasons.user", [user]),
    (
      "seasons.create_team_talk",
      [
        .object("request", good: "'\(request)'").also(
          ("'{}'", "SD400 author"), ("'\(request)' || '{\"year\": 2031}'::jsonb", "ok"),
          ("'\(request)' || jsonb_build_object('content', repeat('x', 100000))", "ok"),
          ("'\(request)' || jsonb_build_object('content', repeat('x', 100001))", "SD400 content")
        )
        .also(refused("author", ["null", "\"\"", "3"])).also(refused("season", ["null", "\"XC\""]))
        .also(refused("year", ["null", "31", "\"x\""])).also(refused("title", ["null", "\"\"", "{}"]))
        .also(refused("content", ["null", "\"\"", "[]"])).also(refused("team", ["null", "\"\"", "\"ua\"", "3"]))
      ]
    ),
    ("seasons.react", [talkUUID, user, emoji]),
    ("seasons.unreact", [talkUUID, user, emoji]),
    (
      "seasons.comment",
      [
        talkUUID, user, .text("message"),
        .other(
          "parent", good: "null",
          [
            ("null", "ok"), ("'00000000-0000-0000-0000-000000000007'", "ok"),
            ("'00000000-0000-0000-0000-000000000008'", "SD400 depth"), ("'\(uuid)'", "SD404 comment"),
          ]),
      ]
    ),
    (
      "seasons.track_view",
      [
        talkUUID, user,
        .other(
          "display_name", good: "'x'",
          [
            ("repeat('é', 100)", "ok"), (#"E'\x01'"#, "SD400 display-name"), ("null", "SD400 display-name"),
            ("''", "SD400 display-name"), ("' '", "SD400 display-name"),
            ("repeat('é', 101)", "SD400 display-name"), ("repeat('x', 1000001)", "SD400 display-name"),
          ]),
        team("null", isOptional: true),
      ]
    ),
    ("seasons.team_talk", [talkUUID, viewer]),
    (
      "seasons.team_talks",
      [
        viewer, .word("season", ["xc", "track"], isOptional: true),
        .other("year", good: "null", [("null", "ok"), ("'2031'", "ok"), ("'31'", "SD400 year"), ("''", "SD400 year")]),
        team("null", isOptional: true),
        .other(
          "before", good: "null",
          [
            ("null", "ok"), ("'\(uuid)'", "ok"), ("'00000000-0000-0000-0000-000000000000'", "SD404 team-talk"),
          ]), .page(good: "50"),
      ]
    ),
  ]
}
