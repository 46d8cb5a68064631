extension ContractFunctions {
  /// In the world of the calls there are the users 1 and 2, and the achievement 1, which asks for five
  /// books of user 1, who has read three.
  static let readers = """
    SELECT achievements.create_user(1, 'Ann'), achievements.create_user(2, 'Bob'),
      achievements.define('\(definition)'), achievements.report_metric(1, 'books_read', 3, 'add', 'first');
    """

  private static let definition = """
    {"slug": "reader", "name": "Reader", "description": "Reads", \
    "icon": {"type": "book", "color": "#000000", "symbol": "B", "svg_url": null}, \
    "unlock_requirements": {"metric": "books_read", "value": 5}}
    """

  private static let viewer = Argument.other(
    "viewer", good: "2",
    [("null", "ok"), ("1", "ok"), ("0", "SD404 user"), ("-1", "SD404 user"), ("9223372036854775807", "SD404 user")])

  private static let category = Argument.word(
    "category", ["authors", "books_and_series", "categories", "contributions", "career"], isOptional: true)

  private static let hidden = Argument.word("hidden", ["masked", "absent"])

  private static let user = Argument.id("user_id", of: "user", good: "1")

  private static func with(_ more: String) -> String { #"'\#(definition)'::jsonb || '{\#(more)}'"# }

  private static func step(_ more: String) -> String {
    """
    '\(definition)'::jsonb || jsonb_build_object('steps', jsonb_build_array('{"step_order": 1, "name": "One", \
    "description": "", "metric": "book_read", "target_value": 2, "target": "x"}'::jsonb || '{\(more)}'))
    """
  }

  static let achievements: [Function] = [
    (
      "achievements.create_user",
      [
        .other(
          "user_id", good: "(random() * 1e15)::bigint + 1000",
          [
            ("null", "SD400 user-id"), ("0", "SD400 user-id"), ("-9223372036854775808", "SD400 user-id"),
            ("1", "SD409 user"), ("9223372036854775807", "ok"),
          ]),
        .name("name"),
      ]
    ),
    (
      "achievements.define",
      [
        .object("achievement", good: "'\(definition)'").also(
          ("'{}'", "SD400 slug"), (with(#""slug": """#), "SD400 slug"), (with(#""slug": 5"#), "SD400 slug"),
          (with(#""slug": "other\nslug""#), "ok"),
          ("'\(definition)'::jsonb || jsonb_build_object('slug', repeat('é', 10000))", "ok"),
          ("'\(definition)'::jsonb || jsonb_build_object('slug', repeat('é', 10001))", "SD400 slug"),
          (with(#""name": null"#), "SD400 name"), (with(#""name": """#), "SD400 name"),
          (with(#""description": null"#), "SD400 description"), (with(#""description": """#), "ok"),
          (with(#""icon": null"#), "SD400 icon"), (with(#""icon": "book""#), "SD400 icon"),
          (with(#""icon": {}"#), "SD400 type"), (with(#""icon": {"type": "a", "color": 3}"#), "SD400 color"),
          (with(#""icon": {"type": "a", "color": "b"}"#), "SD400 symbol"),
          (with(#""icon": {"type": "a", "color": "b", "symbol": "c", "svg_url": 4}"#), "SD400 svg-url"),
          (with(#""icon": {"type": "a", "color": "b", "symbol": "c", "size": 4}"#), "SD400 key"),
          (with(#""icon": {"type": "a", "color": "b", "symbol": "c"}"#), "ok"),
          (with(#""unlock_requirements": null"#), "SD400 unlock-requirements"),
          (with(#""unlock_requirements": []"#), "SD400 unlock-requirements"),
          (with(#""unlock_requirements": {"metric": "x", "value": 1}"#), "SD400 metric"),
          (with(#""unlock_requirements": {"metric": 1, "value": 1}"#), "SD400 metric"),
          (with(#""unlock_requirements": {"metric": "points", "value": -1}"#), "SD400 value"),
          (with(#""unlock_requirements": {"metric": "points", "value": 1.5}"#), "SD400 value"),
          (with(#""unlock_requirements": {"metric": "points", "value": 1e400}"#), "SD400 value"),
          (with(#""unlock_requirements": {"metric": "points", "value": "1"}"#), "SD400 value"),
          (with(#""unlock_requirements": {"metric": "points", "value": 1000000000000001}"#), "SD400 value"),
          (with(#""unlock_requirements": {"metric": "points", "value": 1e15}"#), "ok"),
          (with(#""unlock_requirements": {"metric": "points", "value": 0}"#), "ok"),
          (with(#""unlock_requirements": {"metric": "points", "value": 1, "target": "x"}"#), "SD400 target"),
          (with(#""unlock_requirements": {"metric": "book_read", "value": 1, "target": ""}"#), "SD400 target"),
          (with(#""unlock_requirements": {"metric": "book_read", "value": 1, "target": 5}"#), "SD400 target"),
          (with(#""unlock_requirements": {"metric": "book_read", "value": 1, "condition": 5}"#), "SD400 condition"),
          (with(#""unlock_requirements": {"metric": "book_read", "value": 1, "nope": 5}"#), "SD400 key"),
          (with(#""steps": {}"#), "SD400 steps"), (with(#""steps": []"#), "ok"), (with(#""steps": null"#), "ok"),
          (with(#""steps": [5]"#), "SD400 steps"), (with(#""steps": [{}]"#), "SD400 metric"),
          (
            "'\(definition)'::jsonb || jsonb_build_object('steps', (SELECT jsonb_agg('{}'::jsonb) FROM generate_series(1, 101)))",
            "SD400 steps"
          ),
          (step(""), "ok"), (step(#""step_order": null"#), "SD400 step-order"),
          (step(#""step_order": -1"#), "SD400 step-order"), (step(#""step_order": 1000001"#), "SD400 step-order"),
          ("(\(step(""))) || jsonb_build_object('unlock_requirements', null)", "ok"),
          (step(#""name": """#), "SD400 name"), (step(#""description": null"#), "SD400 description"),
          (step(#""metric": "x""#), "SD400 metric"), (step(#""target_value": -1"#), "SD400 target-value"),
          (step(#""target_value": null"#), "SD400 target-value"), (step(#""target": []"#), "SD400 target"),
          (step(#""requires_previous_step": 1"#), "SD400 requires-previous-step"), (step(#""nope": 1"#), "SD400 key"),
          (with(#""reward": -1"#), "SD400 reward"), (with(#""reward": 1000000001"#), "SD400 reward"),
          (with(#""reward": 1000000000"#), "ok"), (with(#""reward": null"#), "ok"),
          (with(#""is_hidden": "true""#), "SD400 is-hidden"), (with(#""is_hidden": true"#), "ok"),
          (with(#""category": "x""#), "SD400 category"), (with(#""category": 5"#), "SD400 category"),
          (with(#""category": "career""#), "ok"), (with(#""display_order": 0.5"#), "SD400 display-order"),
          (with(#""display_order": 3000000000"#), "SD400 display-order"), (with(#""display_order": -7"#), "ok"))
      ]
    ),
    (
      "achievements.report_metric",
      [
        user,
        .word(
          "metric",
          ["author_read_count", "tag_read_count", "book_read", "book_reviewed", "book_added"]
        ).also(("'points'", "SD400 target"), ("'notes_created'", "SD400 target")),
        .other(
          "value", good: "1",
          ["null", "-1", "1000000000000001", "9223372036854775807", "-9223372036854775808"].map {
            ($0, "SD400 value")
          } + [("0", "ok")]),
        .word("mode", ["add", "set"]), .text("idempotency_key", good: "gen_random_uuid()::text"),
        .other(
          "target", good: "'x'",
          ["''", "repeat('x', 10001)", "repeat('x', 1000001)"].map { ($0, "SD400 target") }
            + ["null", "' '", "repeat('é', 10000)", #"E'\x01'"#].map { ($0, "ok") }),
      ]
    ),
    ("achievements.catalogue", [viewer, category, hidden]),
    ("achievements.by_id", [.id("id", of: "achievement", good: "1"), viewer]),
    (
      "achievements.by_slug",
      [
        .other(
          "slug", good: "'reader'",
          [("null", "SD400 slug"), ("''", "SD400 slug"), ("repeat('x', 10001)", "SD400 slug")]
            + ["'Reader'", "' '", "repeat('é', 10000)"].map { ($0, "SD404 achievement") }),
        viewer,
      ]
    ),
    (
      "achievements.of_user",
      [user, viewer, category, .word("filter", ["all", "unlocked", "locked"]), hidden]
    ),
    ("achievements.check", [user]),
    ("achievements.stats", []),
    (
      "achievements.leaderboard",
      [
        .other(
          "max", good: "10",
          ["null", "0", "-1", "101", "2147483647", "-2147483648"].map { ($0, "SD400 max") } + [
            ("1", "ok"), ("100", "ok"),
          ]),
        .other(
          "skip", good: "0",
          [("null", "SD400 skip"), ("-1", "SD400 skip"), ("1", "ok"), ("2147483647", "ok")]),
      ]
    ),
  ]
}
