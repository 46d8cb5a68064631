import Postgres
import TestSupport
import Testing

@Suite("Activities in racepace") struct RacepaceActivityTests {
  private static func activity(
    status: String, exact: String, gps: Bool, uk: Bool, place: String = #"{"latitude": 54.3626, "longitude": -2.9206}"#,
    flags: Int = 0, type: String = "Kayaking", exactType: String? = nil, reasons: String? = "[]"
  ) -> String {
    // Only its athlete sees these.
    let own =
      reasons.map { #", "reasons": \#($0), "polyline": "mock", "visibility": "everyone", "infoRequested": null"# } ?? ""
    return """
      {"id": "1", "stravaId": 1, "userId": "1", "name": "Paddle", "activityType": "\(type)",
       "exactType": "\(exactType ?? type)", "startDate": "2031-06-03T10:00:00Z", "elapsedTime": 1800, "movingTime": 1800, "distance": 6000, "maxSpeed": 4.5,
       "averageSpeed": 3.333, "startLocation": \(place), "endLocation": \(place), "isGPSVerified": \(gps),
       "isUKActivity": \(uk), "flagCount": \(flags), "status": "\(status)", "exactStatus": "\(exact)",
       "importedAt": "2031-06-03T11:00:00Z"\(own)}
      """
  }

  /// Hundredths of a degree: half of one is about 500 m.
  private static let rounded = #"{"latitude": 54.36, "longitude": -2.92}"#

  @Test func `activities of others show in racepace only when verified, with rough places`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    _ = try await course.athlete("Bob")
    _ = try await course.outing(athlete, stravaId: 1)
    let pending = Self.activity(status: "pending", exact: "pending", gps: false, uk: false)
    try await session.expect("gateway.racepace_own_activities(1)", is: "[\(pending)]")
    try await session.expect("gateway.racepace_activities()", is: "[]")
    try await session.run("UPDATE racing.activity SET status = 'verified', scored = true")
    let others = Self.activity(
      status: "verified", exact: "verified", gps: true, uk: true, place: Self.rounded, reasons: nil)
    let own = Self.activity(status: "verified", exact: "verified", gps: true, uk: true)
    for viewer in ["NULL", "2", "99"] {
      try await session.expect("gateway.racepace_activities(\(viewer))", is: "[\(others)]", "\(viewer)")
    }
    try await session.expect("gateway.racepace_activities(1)", is: "[\(own)]")
    try await session.expect("gateway.racepace_own_activities(1)", is: "[\(own)]")
    try await session.expect("gateway.racepace_activities(1, 1)", is: "[]")
  }

  @Test func `an athlete's own activities show in the app's words, without types unknown to it`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    _ = try await course.outing(course.athlete(), stravaId: 1)
    for (change, shown) in [
      ("status = 'under_review'", Self.activity(status: "underReview", exact: "under_review", gps: true, uk: true)),
      (
        "status = 'rejected', reasons = '{uk}'",
        Self.activity(status: "disqualified", exact: "rejected", gps: true, uk: false, reasons: #"["uk"]"#)
      ),
      (
        "status = 'rejected', reasons = '{gps}'",
        Self.activity(status: "disqualified", exact: "rejected", gps: false, uk: true, reasons: #"["gps"]"#)
      ),
      ("status = 'disqualified'", Self.activity(status: "disqualified", exact: "disqualified", gps: true, uk: true)),
    ] {
      let change = change.contains("reasons") ? change : change + ", reasons = '{}'"
      try await session.run("UPDATE racing.activity SET scored = true, \(change)")
      try await session.expect("gateway.racepace_own_activities(1)", is: "[\(shown)]", "\(change)")
    }
    for type in ["Rowing", "StandUpPaddling", "Stand Up Paddling"] {
      try await session.run(
        "UPDATE racing.activity SET activity_type = '\(type)', status = 'rejected', reasons = '{type}'")
      let shown = Self.activity(
        status: "disqualified", exact: "rejected", gps: true, uk: true, exactType: type, reasons: #"["type"]"#)
      try await session.expect("gateway.racepace_own_activities(1)", is: "[\(shown)]", "\(type)")
      try await session.expect("gateway.racepace_activities(1)", is: "[]")
    }
    try await session.run("UPDATE racing.activity SET activity_type = 'Running'")
    try await session.expect("gateway.racepace_own_activities(1)", is: "[]")
    #expect(try await session.tried("SELECT gateway.racepace_own_activities(9)") == "SD404 athlete")
  }

  @Test func `an activity sent as the app's whole Activity is stored without its own claims`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    _ = try await course.athlete("Bob")
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let sent = """
      {"id": "77", "stravaId": 1, "userId": "\(athlete)", "name": "Paddle", "activityType": "Kayaking",
       "startDate": "2031-06-03T10:00:00Z", "elapsedTime": 1800, "movingTime": 1800, "distance": 6000, "maxSpeed": 4.5,
       "averageSpeed": 99, "startLocation": \(place), "endLocation": \(place), "polyline": "mock", "isGPSVerified": true,
       "isUKActivity": true, "flagCount": 3, "status": "verified", "importedAt": "2030-01-01T00:00:00Z"}
      """
    let shown = Self.activity(status: "pending", exact: "pending", gps: false, uk: false)
    try await session.expect("gateway.racepace_import(1, '\(sent)')", is: shown)
    try await session.expect("gateway.racepace_import(1, '\(sent)')", is: shown, "again")
    for (patch, expected) in [
      (#"{"userId": "2"}"#, "SD403 self"), (#"{"userId": 2}"#, "SD403 self"), (#"{"userId": 1}"#, "ok"),
      (#"{"userId": null}"#, "ok"), (#"{"stravaId": 1}"#, "ok"), (#"{"stravaId": "x"}"#, "SD400 strava-id"),
      (#"{"stravaId": "99999999999999999999"}"#, "SD400 strava-id"), (#"{"distance": "6"}"#, "SD400 distance"),
      (#"{"startDate": "yesterday"}"#, "SD400 start-date"),
    ] {
      let call = "SELECT gateway.racepace_import(1, '\(sent)'::jsonb || '\(patch)')"
      #expect(try await session.tried(call) == expected, "\(patch)")
    }
    #expect(
      try await session.tried("SELECT gateway.racepace_import(2, '\(sent)'::jsonb - 'userId')") == "SD409 strava-id")
    #expect(try await session.tried("SELECT gateway.racepace_import(1, '[]')") == "SD400 body")
  }

  @Test func `an activity shows no keys for values that were not measured`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let athlete = try await course.athlete()
    try await course.session.run(
      Outing.call(athlete, #"{"maxSpeed": null, "movingTime": 0, "startLocation": null, "endLocation": null}"#))
    try await course.session.expect(
      """
      (SELECT jsonb_build_array(a -> 'maxSpeed', a -> 'averageSpeed', a -> 'startLocation', a -> 'endLocation')
      FROM jsonb_array_elements(gateway.racepace_own_activities(1)) AS a)
      """, is: "[null, null, null, null]")
  }

  @Test func `flagged activities show the reasons of their flags, and not the users`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    _ = try await course.outing(course.athlete(), stravaId: 1)
    for name in ["Bob", "Eve", "Kim"] { _ = try await course.athlete(name) }
    try await session.run("UPDATE racing.activity SET status = 'verified', scored = true")
    for (flagger, reason, count) in [
      (2, "suspicious_speed", 1), (3, "suspiciousSpeed", 2), (4, "motorizedAssistance", 3),
    ] {
      try await session.expect(
        #"gateway.racepace_flag(\#(flagger), 1, '{"reason": "\#(reason)", "notes": "saw it"}')"#,
        is: #"{"activityId": "1", "flagCount": \#(count), "status": "verified", "exactStatus": "verified"}"#)
    }
    let details = Self.activity(
      status: "verified", exact: "verified", gps: true, uk: true, place: Self.rounded, flags: 3,
      reasons: nil)
    try await session.expect(
      "gateway.racepace_flagged()",
      is: """
        [{"id": "1", "activityId": "1", "userId": "1", "userName": "Ann Other", "flagCount": 3, "openFlags": 3,
          "reasons": ["motorized_assistance", "suspicious_speed"],
          "exactReasons": ["motorized_assistance", "suspicious_speed"], "activityDetails": \(details),
          "createdAt": "2031-06-03T11:00:00Z"}]
        """)
    for (call, expected) in [
      (#"racepace_flag(1, 1, '{"reason": "other"}')"#, "SD403 own-activity"),
      (#"racepace_flag(2, 1, '{"reason": "other"}')"#, "SD409 already-flagged"),
      (#"racepace_flag(2, 9, '{"reason": "other"}')"#, "SD404 activity"),
      (#"racepace_flag(2, 1, '{"reason": "Suspicious Speed"}')"#, "SD400 reason"),
      (#"racepace_flag(2, 1, '{"reason": 1}')"#, "SD400 reason"), (#"racepace_flag(2, 1, '{}')"#, "SD400 reason"),
      (#"racepace_flag(2, 1, '{"reason": "other", "flaggedBy": 1}')"#, "SD400 key"),
    ] { #expect(try await session.tried("SELECT gateway.\(call)") == expected, "\(call)") }
  }

  @Test func `an activity of a type unknown to the app shows to reviewers as a known type`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    _ = try await course.outing(course.athlete(), stravaId: 1, type: "Running")
    _ = try await course.athlete("Bob")
    try await course.session.run(#"SELECT gateway.racepace_flag(2, 1, '{"reason": "other"}')"#)
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_flagged(), '$[0].activityDetails.exactType')", is: #"["Running"]"#)
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_flagged(), '$[0].activityDetails.activityType')", is: #"["Kayaking"]"#)
  }

  @Test func `an athlete sees what moderators ask, until they have decided`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    _ = try await course.outing(course.athlete(), stravaId: 1)
    _ = try await course.athlete("Bob")
    try await session.run("UPDATE racing.activity SET status = 'verified', scored = true")
    try await session.run(#"SELECT gateway.racepace_flag(2, 1, '{"reason": "other"}')"#)
    let asked = "(gateway.racepace_own_activities(1) #> '{0,infoRequested}')"
    for (note, instant) in [("Which boat?", "2031-06-03T12:00:00Z"), ("And whose?", "2031-06-03T13:00:00Z")] {
      try await course.setClock(instant)
      let body = #"{"activityId": "1", "decision": "requireMoreInfo", "notes": "\#(note)"}"#
      try await session.run("SELECT gateway.racepace_review('m', '\(body)')")
      try await session.expect(asked, is: #"{"note": "\#(note)", "at": "\#(instant)"}"#)
    }
    for other in ["gateway.racepace_activities(2)", "gateway.racepace_flagged()"] {
      try await session.expect("to_jsonb(\(other)::text LIKE '%infoRequested%')", is: "false")
    }
    try await session.run(
      #"SELECT gateway.racepace_review('m', '{"activityId": "1", "decision": "approve", "notes": "fine"}')"#)
    try await session.expect(asked, is: "null")
  }

  /// The gateway links to the next page where an answer is larger than 4 MiB.
  @Test func `a page of one's own activities ends behind the track that makes it too large`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    for id in 1...7 { _ = try await course.outing(athlete, stravaId: Int64(id)) }
    try await session.run(
      "UPDATE racing.activity SET polyline = repeat('x', 1000000), status = 'verified', scored = true")
    func ids(_ call: String) async throws -> [String] {
      try await session.value(
        "SELECT coalesce(array_agg(a ->> 'id'), '{}') FROM jsonb_array_elements(gateway.\(call)) AS a",
        as: [String].self)
    }
    for list in ["racepace_own_activities(1", "racepace_activities(1"] {
      #expect(try await ids(list + ")") == ["7", "6", "5", "4", "3"])
      #expect(try await ids(list + ", 3)") == ["2", "1"])
      #expect(try await ids(list + ", max => 2)") == ["7", "6"])
    }
    #expect(try await ids("racepace_activities(2)").count == 7)
    try await session.expect("to_jsonb(octet_length(gateway.racepace_own_activities(1)::text) > 4194304)", is: "true")
  }

  @Test func `an activity shows a moderator's decision`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    let race = try await course.race()
    _ = try await course.enter(athlete, race)
    _ = try await course.outing(athlete, stravaId: 1)
    try await session.run("UPDATE racing.activity SET status = 'verified', scored = true")
    try await session.expect(
      #"gateway.racepace_review('mod@example.org', '{"activityId": "1", "decision": "disqualify", "notes": "motor"}')"#,
      is: """
        {"activityId": "1", "decision": "disqualify", "status": "disqualified", "exactStatus": "disqualified",
         "affectedRaces": ["1"]}
        """)
    try await session.expect(
      "(SELECT jsonb_agg(jsonb_build_array(reviewer, note)) FROM racing.decision)",
      is: #"[["mod@example.org", "motor"]]"#)
    for (body, expected) in [
      (#"{"activityId": "1", "decision": "approve"}"#, "SD409 decided"),
      (#"{"activityId": 9, "decision": "approve"}"#, "SD404 activity"),
      (#"{"activityId": "x", "decision": "approve"}"#, "SD404 activity"),
      (#"{"decision": "approve"}"#, "SD400 activity-id"),
      (#"{"activityId": [], "decision": "approve"}"#, "SD400 activity-id"),
      (#"{"activityId": "1", "decision": "request_info"}"#, "SD400 decision"),
      (#"{"activityId": "1", "decision": "approve", "reviewer": "eve"}"#, "SD400 key"),
      (#"{"activityId": "1", "decision": "approve", "notes": 7}"#, "SD400 note"),
    ] { #expect(try await session.tried("SELECT gateway.racepace_review('m', '\(body)')") == expected, "\(body)") }
  }

  @Test func `a refusal has the present name of the moderator who has decided`() async throws {
    let course = try await Course(at: "2031-06-03T11:00:00Z")
    let session = course.session
    _ = try await course.outing(course.athlete(), stravaId: 1)
    try await session.script(
      """
      UPDATE racing.activity SET status = 'verified', scored = true;
      SELECT accounts.create_account('mod@example.org', sha256('1'), 'moderator');
      SELECT gateway.racepace_review('account 1', '{"activityId": "1", "decision": "disqualify"}')
      """)
    func refusal() async throws -> String {
      do {
        _ = try await session.query(
          #"SELECT gateway.racepace_review('m', '{"activityId": "1", "decision": "approve"}')"#)
        return "ok"
      } catch {
        let detail = error.detail ?? ""
        #expect(detail.contains(#""rule": "decided""#))
        let name = detail.firstMatch(of: /"by": "([^"]*)"/)?.1 ?? ""
        return "\(error.message) \(name)"
      }
    }
    #expect(try await refusal() == "moderator has already decided: disqualify moderator")
    try await session.run("SELECT accounts.unlink('1', '{username}')")
    try await session.run("UPDATE accounts.account SET display_name = 'Mo'")
    #expect(try await refusal() == "Mo has already decided: disqualify Mo")
    try await session.run("SELECT gateway.erase_person('account', '1')")
    #expect(try await refusal() == "account 1 has already decided: disqualify account 1")
  }
}
