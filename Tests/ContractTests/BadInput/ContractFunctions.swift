/// Every function of the contract that exists, with its arguments in their order.
///
/// The world of the calls: athlete 1 (connected, with money), athlete 2 (never connected), race 1 that athlete 1 may
/// enter and race 2 that he has entered (entry 1), activity 1 of athlete 1, flagged by athlete 2 and not by 3, the
/// deposit 2 and the pending withdrawal 5 of athlete 1, and three events.
enum ContractFunctions {
  typealias Function = (name: String, arguments: [Argument])

  static let all =
    athletes + money + races + entries + activities + reviews + checkIns + seasons + talks + achievements + house

  private static let athlete = Argument.id("athlete_id", of: "athlete", good: "1")
  private static let race = Argument.id("race_id", of: "race", good: "1")

  private static let athletes: [Function] = [
    (
      "racing.create_athlete",
      [
        .name("display_name"), .date("date_of_birth", good: "'2000-02-29'"),
        .word("gender", ["female", "male", "other"], isOptional: true), .word("user_type", ["racer", "spectator"]),
      ]
    ),
    ("racing.athlete", [athlete]),
    (
      "racing.update_athlete",
      [
        athlete,
        .object("changes", good: "'{}'").also(
          (#"'{"displayName": "A", "dateOfBirth": "2003-05-05", "gender": "male", "userType": "spectator"}'"#, "ok"),
          (#"'{"dateOfBirth": "2003-05-06"}'"#, "SD409 profile-frozen"),
          (#"'{"gender": "other"}'"#, "SD409 profile-frozen"),
          (#"'{"displayName": null, "dateOfBirth": null, "gender": null, "userType": null}'"#, "ok"),
          (#"'{"displayName": 3}'"#, "SD400 display-name"), (#"'{"displayName": ""}'"#, "SD400 display-name"),
          ("jsonb_build_object('displayName', repeat('x', 10001))", "SD400 display-name"),
          (#"'{"userType": {}}'"#, "SD400 user-type"), (#"'{"userType": "x"}'"#, "SD400 user-type"),
          (#"'{"gender": []}'"#, "SD400 gender"), (#"'{"gender": "x"}'"#, "SD400 gender"),
          (#"'{"dateOfBirth": true}'"#, "SD400 date-of-birth"), (#"'{"dateOfBirth": ""}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "2001-02-29"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "2001-00-10"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "infinity"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "0000-01-01"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "1899-12-31"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "2031-06-03"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "2031-06-02"}'"#, "SD409 profile-frozen"),
          (#"'{"dateOfBirth": "2001-02-28\n"}'"#, "SD400 date-of-birth"),
          (#"'{"dateOfBirth": "٢٠٠١-02-28"}'"#, "SD400 date-of-birth")),
      ]
    ),
    (
      "racing.connect_strava",
      [athlete, .text("authorization_code"), .text("scope", good: "'read'", isEmptyAllowed: true)]
    ),
    ("racing.disconnect_strava", [athlete.also(("2", "SD404 connection"))]),
    ("strava.access_token", [Argument.id("athlete_id", of: "connection", good: "1").also(("2", "SD404 connection"))]),
  ]

  private static let withdrawal = Argument.id("transaction_id", of: "withdrawal", good: "5")
    .also(("2", "SD404 withdrawal"), ("6", "SD404 withdrawal"))

  private static let money: [Function] = [
    ("racing.deposit", [athlete, .pence("amount_pence"), .text("idempotency_key")]),
    (
      "racing.withdraw",
      [
        athlete.also(("2", "SD402 funds")),
        .other(
          "amount_pence", good: "100",
          ["null", "0", "-1", "100000001"].map { ($0, "SD400 amount-pence") } + [
            ("1", "ok"), ("100000000", "SD402 funds"),
          ]),
        .text("idempotency_key"),
      ]
    ),
    ("racing.complete_withdrawal", [withdrawal]),
    ("racing.fail_withdrawal", [withdrawal, .text("reason")]),
    (
      "racing.reverse_deposit",
      [
        .id("transaction_id", of: "deposit", good: "2").also(("1", "SD404 deposit"), ("5", "SD404 deposit")),
        .text("reason"),
      ]
    ),
    ("racing.wallet", [athlete]),
    ("racing.transactions", [athlete, .cursor("before"), .page(good: "50")]),
  ]

  private static let types = ["top_speed", "furthest_distance", "fastest_1km", "fastest_5km"]
  private static let categories = [
    "junior_girls", "junior_boys", "women_u23", "men_u23", "senior_women", "senior_men", "masters_women", "masters_men",
  ]

  private static let races: [Function] = [
    (
      "racing.create_race",
      [
        .word("type", types), .word("duration", ["daily", "weekly", "monthly"]), .word("category", categories),
        .instant("starts_at", good: "'2031-07-01Z'").also(
          ("'1900-01-01Z'", "ok"), ("'2031-07-02Z'", "SD400 ends-at"), ("'2200-01-01Z'", "SD400 ends-at")),
        .instant("ends_at", good: "'2031-07-02Z'").also(
          ("'2200-01-01Z'", "ok"), ("'2031-07-01Z'", "SD400 ends-at"), ("'1900-01-01Z'", "SD400 ends-at")),
      ]
    ),
    ("racing.race", [race]),
    (
      "racing.races",
      [
        .object("filter", good: "'{}'").also(
          (#"'{"type": null, "duration": null, "category": null, "status": null}'"#, "ok"),
          (#"'{"type": "fastest_1km", "duration": "weekly", "category": "men_u23", "status": "settled"}'"#, "ok"),
          (#"'{"type": 1}'"#, "SD400 type"), (#"'{"type": "x"}'"#, "SD400 type"), (#"'{"type": ""}'"#, "SD400 type"),
          (#"'{"duration": ["daily"]}'"#, "SD400 duration"), (#"'{"duration": "Daily"}'"#, "SD400 duration"),
          (#"'{"category": "men"}'"#, "SD400 category"), (#"'{"category": true}'"#, "SD400 category"),
          (#"'{"status": {}}'"#, "SD400 status"), (#"'{"status": "waiting"}'"#, "SD400 status"),
          ("jsonb_build_object('status', repeat('x', 1000001))", "SD400 status")),
        .cursor("after"), .page(good: "50"),
      ]
    ),
    ("racing.leaderboard", [race, .page(good: "100")]),
  ]

  private static let entries: [Function] = [
    ("racing.enter_race", [athlete.also(("2", "SD403 not-connected")), race.also(("2", "SD409 already-entered"))]),
    ("racing.entry", [.id("entry_id", of: "entry", good: "1")]),
    ("racing.entries", [athlete, .cursor("before"), .page(good: "50")]),
  ]

  /// The values for the keys of an activity are in `ImportValueTests`.
  private static let activities: [Function] = [
    (
      "racing.import_activity",
      [
        athlete,
        .object("activity", good: "'\(Outing.json(at: "2031-06-02T08:00:00Z"))'").also(("'{}'", "SD400 strava-id")),
      ]
    ),
    ("racing.activity", [.id("activity_id", of: "activity", good: "1")]),
    (
      "racing.activities",
      [
        .other(
          "athlete_id", good: "1",
          [("null", "ok"), ("0", "SD404 athlete"), ("-1", "SD404 athlete"), ("9223372036854775807", "SD404 athlete")]),
        .cursor("before"), .page(good: "50"),
      ]
    ),
  ]

  private static let activity = Argument.id("activity_id", of: "activity", good: "1")

  private static let reviews: [Function] = [
    (
      "racing.flag_activity",
      [
        activity,
        .id("flagged_by", of: "athlete", good: "3").also(("1", "SD403 own-activity"), ("2", "SD409 already-flagged")),
        .word(
          "reason",
          ["suspicious_speed", "motorized_assistance", "impossible_route", "fake_activity", "other"]),
        .other(
          "notes", good: "'x'",
          [("null", "ok"), ("''", "ok"), ("repeat('x', 10000)", "ok"), ("repeat('x', 10001)", "SD400 notes")]),
      ]
    ),
    (
      "racing.flagged",
      [
        .other(
          "after", good: "1",
          [
            ("null", "ok"), ("0", "SD404 activity"), ("-1", "SD404 activity"),
            ("9223372036854775807", "SD404 activity"),
          ]),
        .page(good: "500"),
      ]
    ),
    (
      "racing.review_activity",
      [
        activity, .word("decision", ["approve", "disqualify", "request_info"]), .text("reviewer"),
        .text("note", isEmptyAllowed: true), .cursor("reviewer_athlete").also(("1", "SD403 own-race")),
      ]
    ),
    (
      "racing.overrule_review",
      [
        activity, .word("decision", ["approve", "disqualify"]), .text("reviewer"),
        .text("note", isEmptyAllowed: true),
      ]
    ),
  ]

  private static let house: [Function] = [
    ("settled.clock", []),
    (
      "settled.events",
      [
        .other(
          "after", good: "null",
          [("null", "ok"), ("'0'", "ok"), ("'3'", "ok"), ("'4'", "SD409 position")]
            + ["''", "'x'", "'-1'", "'1.5'", "'01'", "'9223372036854775808'", "repeat('1', 1000001)"].map {
              ($0, "SD400 after")
            }),
        .page(good: "100"),
      ]
    ),
    (
      "settled.set",
      [
        .other(
          "key", good: "'racing.flag_threshold'",
          ["null", "''", "'x'", "'RACING.FLAG_THRESHOLD'", "repeat('x', 10001)", "repeat('x', 1000001)"].map {
            ($0, "SD400 key")
          }),
        .other(
          "value", good: "'5'",
          ["null", "''", "'x'", "'0'", "'-1'", "'101'", "repeat('9', 10000)", "repeat('9', 1000001)"].map {
            ($0, "SD400 value")
          }),
      ]
    ),
    (
      "settled.set_clock",
      [
        .instant("at", good: "'2031-07-01Z'").also(("'2031-06-02Z'", "SD400 at"), ("'2200-01-01Z'", "ok")),
        .flag("running"),
      ]
    ),
    ("racing.verify_ledger", []),
  ]
}
