extension ContractFunctions {
  /// In the world of the calls runner 1 has earned with activity `done`, and rewards 1
  /// and 2 stand in the first two places.
  static let team = """
    SELECT seasons.create_runner('Ann', 2032, 'UA', true, true),
      seasons.earn_points(1, 'WORKOUT', 'done', 'xc', '2031'),
      seasons.create_reward('\(reward)'), seasons.create_reward('\(reward)' || '{"displayOrder": 2}'::jsonb);
    """

  private static let reward = """
    {"season": "xc", "year": "2031", "description": "Pizza", "pointThreshold": 100, "displayOrder": 1}
    """

  private static let runner = Argument.id("runner_id", of: "runner", good: "1")
  private static let season = Argument.word("season", ["xc", "track"])
  private static let year = Argument.other("year", good: "'2031'", years + [("null", "SD400 year")])
  private static let years = [
    ("'0000'", "ok"), ("'9999'", "ok"), ("''", "SD400 year"), ("'31'", "SD400 year"), ("'20311'", "SD400 year"),
    ("' 2031'", "SD400 year"), (#"E'2031\n'"#, "SD400 year"), ("'-203'", "SD400 year"), ("'٢٠٣١'", "SD400 year"),
    ("repeat('2', 1000001)", "SD400 year"),
  ]

  /// A text that may be absent.
  private static func note(_ name: String, rule: String) -> Argument {
    .other(
      name, good: "null",
      [
        ("null", "ok"), ("repeat('é', 10000)", "ok"), ("'x'", "ok"), ("repeat('x', 10001)", "SD400 \(rule)"),
        ("repeat('x', 1000001)", "SD400 \(rule)"),
      ])
  }

  /// The values that a key of a request may not hold; `patch` is laid over a good request.
  private static func refused(_ key: String, _ rule: String, _ values: [String]) -> [(String, String)] {
    values.map { ("'\(reward)' || '{\"displayOrder\": 3, \"\(key)\": \($0)}'::jsonb", "SD400 \(rule)") }
  }

  static let seasons: [Function] = [
    (
      "seasons.create_runner",
      [
        .name("name"),
        .other(
          "graduating_class", good: "2032",
          [
            ("1900", "ok"), ("2200", "ok"), ("null", "SD400 graduating-class"), ("1899", "SD400 graduating-class"),
            ("2201", "SD400 graduating-class"), ("-2147483648", "SD400 graduating-class"),
            ("2147483647", "SD400 graduating-class"),
          ]),
        .other(
          "team", good: "'UA'",
          [
            ("'NU'", "ok"), ("null", "SD400 team"), ("''", "SD400 team"), ("'ua'", "SD400 team"),
            ("'UA '", "SD400 team"),
            ("repeat('x', 1000001)", "SD400 team"),
          ]), .flag("does_xc"), .flag("does_track"),
      ]
    ),
    ("seasons.set_runner_active", [runner, .flag("active")]),
    (
      "seasons.earn_points",
      [
        runner,
        .other(
          "activity_type", good: "'LIFTING'",
          ["TRAINING_RUN", "WORKOUT", "CROSS_TRAINING", "MEET_LOG", "PRE_MEET_LOG", "TEAM_TALK_COMMENT"]
            .map { ("'\($0)'", "ok") }
            + ["null", "''", "'lifting'", "'LIFTING '", "'NAP'", "repeat('x', 1000001)"].map {
              ($0, "SD400 activity-type")
            }),
        note("activity_uuid", rule: "activity-uuid").also(("''", "SD400 activity-uuid"), ("'done'", "ok")),
        .word("season", ["xc", "track"], isOptional: true),
        .other("year", good: "null", years + [("null", "ok"), ("'2031'", "ok")]),
        note("description", rule: "description").also(("''", "ok")),
      ]
    ),
    ("seasons.progress", [season, year]),
    ("seasons.rewards", [season, year]),
    ("seasons.runner_points", [runner, season, year]),
    (
      "seasons.create_reward",
      [
        .object("request", good: "'\(reward)' || '{\"displayOrder\": 3}'::jsonb").also(
          ("'\(reward)'", "SD400 display-order"), ("'{}'", "SD400 season"),
          ("'\(reward)' || '{\"displayOrder\": 3, \"year\": 2031}'::jsonb", "ok"),
          ("'\(reward)' || '{\"displayOrder\": 3.0, \"pointThreshold\": 1e2}'::jsonb", "ok"),
          ("'\(reward)' || '{\"displayOrder\": 3, \"createdBy\": null}'::jsonb", "ok"),
          ("'\(reward)' || '{\"displayOrder\": 3, \"createdBy\": \"Coach Smith\"}'::jsonb", "ok")
        )
        .also(refused("season", "season", ["null", "3", "\"XC\"", "{}"]))
        .also(refused("year", "year", ["null", "31", "2031.5", "true", "\"\"", "1e400", "-2031"]))
        .also(refused("description", "description", ["null", "\"\"", "3", "[]"]))
        .also(
          refused(
            "pointThreshold", "point-threshold", ["null", "0", "-1", "1.5", "1000000001", "1e400", "\"100\"", "true"])
        )
        .also(refused("displayOrder", "display-order", ["null", "0", "-1", "10001", "1.5", "\"3\"", "1", "2"]))
        .also(refused("createdBy", "created-by", ["3", "{}"]))
      ]
    ),
    (
      "seasons.update_reward",
      [
        .id("id", of: "reward", good: "1"),
        .object("request", good: "'{}'").also(
          (#"'{"description": "A", "pointThreshold": 1, "displayOrder": 1}'"#, "ok"),
          (#"'{"description": null, "pointThreshold": null, "displayOrder": null}'"#, "ok"),
          (#"'{"displayOrder": 2}'"#, "SD400 display-order"), (#"'{"displayOrder": 0}'"#, "SD400 display-order"),
          (#"'{"pointThreshold": 0}'"#, "SD400 point-threshold"),
          (#"'{"pointThreshold": "5"}'"#, "SD400 point-threshold"), (#"'{"description": ""}'"#, "SD400 description"),
          (#"'{"description": 5}'"#, "SD400 description"), (#"'{"season": "xc"}'"#, "SD400 key")),
      ]
    ),
    ("seasons.delete_reward", [.id("id", of: "reward", good: "2")]),
    (
      "seasons.pride_leaderboard",
      [
        .page(good: "100"), season, year,
        .other("skip", good: "0", [("null", "SD400 skip"), ("-1", "SD400 skip"), ("2147483647", "ok")]),
      ]
    ),
    ("seasons.season_of", [.instant("at", good: "'2031-06-02 12:00:00Z'")]),
    ("seasons.verify", []),
  ]
}
