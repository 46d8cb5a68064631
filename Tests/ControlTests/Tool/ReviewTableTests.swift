import Operations
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Reviews for people")
struct ReviewTableTests {
  private func decode<Answer: Decodable>(_ json: String) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: Data(json.utf8))
  }

  private static let activity = """
    "activity":{"id":17,"athleteId":3,"displayName":"Ann Other","stravaId":5,"name":"Paddle","activityType":"Kayaking",\
    "startDate":"2031-06-03T10:00:00.000Z","distance":6000,"elapsedTime":1900,"movingTime":1800,"maxSpeed":4.5,\
    "startLocation":null,"endLocation":null,"status":"under_review","reasons":[],"flagCount":3,\
    "importedAt":"2031-06-03T12:00:00.000Z"},\
    "flags":[{"flaggedBy":8,"reason":"suspicious_speed","notes":"an engine\\u001b[2J was heard","at":"2031-06-03T13:00:00.000Z"},\
    {"flaggedBy":9,"reason":"suspicious_speed","notes":null,"at":"2031-06-03T13:00:00.000Z"},\
    {"flaggedBy":10,"reason":"other","notes":null,"at":"2031-06-03T13:00:00.000Z"}],\
    "level":1,"openedAt":"2031-06-03T13:00:00.000Z","state":"open"
    """

  @Test func `the list of reviews fits 80 columns`() throws {
    let reviews: [ReviewAnswer] = try decode("[{\(Self.activity)}]")
    #expect(
      ReviewAnswer.table(reviews, Style()) == """
        ACTIVITY  ATHLETE    STATUS        REVIEW  LEVEL  OPENED
              17  Ann Other  under_review  open        1  2031-06-03 13:00:00Z
            3 flags: suspicious_speed (2), other
        """)
  }

  @Test func `the money at stake stands behind the flags, and nothing of a former daemon or of no race`() throws {
    let reviews: [ReviewAnswer] = try decode("[{\(Self.activity),\(#""stakePence":140888"#)}]")
    #expect(ReviewAnswer.table(reviews, Style()).hasSuffix("3 flags: suspicious_speed (2), other; £1,408.88 at stake"))
    let none: [ReviewAnswer] = try decode("[{\(Self.activity),\(#""stakePence":0"#)},{\(Self.activity)}]")
    #expect(!ReviewAnswer.table(none, Style()).contains("at stake"))
  }

  @Test func `a reviewer sees that an activity was deleted at the provider`() throws {
    let reviews: [ReviewAnswer] = try decode("[{\(Self.activity),\(#""deletedAt":"2031-06-03T14:00:00.000Z""#)}]")
    #expect(
      ReviewAnswer.table(reviews, Style()).hasSuffix("deleted at the provider; 3 flags: suspicious_speed (2), other"))
    #expect(reviews[0].text(Style()).contains("\ndeleted   at the provider, 2031-06-03 14:00:00Z\n"))
  }

  @Test func `a reviewer sees that the name, places, track and streams were forgotten`() throws {
    let activity = Self.activity.replacing(#""name":"Paddle""#, with: #""name":"""#)
    let reviews: [ReviewAnswer] = try decode("[{\(activity),\(#""forgottenAt":"2031-06-04T14:00:00.000Z""#)}]")
    #expect(ReviewAnswer.table(reviews, Style()).hasSuffix("forgotten; 3 flags: suspicious_speed (2), other"))
    let text = reviews[0].text(Style())
    #expect(text.contains("\nforgotten  name, places, track and streams, 2031-06-04 14:00:00Z\n"), "\(text)")
  }

  @Test func `the first of many flags are shown, with the number of all`() throws {
    let reviews: [ReviewAnswer] = try decode(
      "[{\(Self.activity.replacing(#""flagCount":3"#, with: #""flagCount":70"#))}]")
    let table = ReviewAnswer.table(reviews, Style())
    #expect(table.hasSuffix("70 flags, of the first 3: suspicious_speed (2), other"))
    #expect(reviews[0].text(Style()).contains("\nand 67 flags more"))
  }

  @Test func `a review of the daemon shows its reasons, and the bounds that are exceeded`() throws {
    let flags = try #require(Self.activity.firstMatch(of: /"flags":\[.*\],"level"/))
    let unflagged = Self.activity.replacing(flags.output, with: #""flags":[],"level""#)
    let doubt =
      #""reasons":["implausible","provider_flag"],"bounds":[{"score":"top_speed","value":21500,"bound":12000},"#
      + #"{"score":"furthest_distance","value":30000001,"bound":30000000},{"score":"fastest_1km","value":52000,"bound":150000}]"#
    let reviews: [ReviewAnswer] = try decode("[{\(unflagged),\(doubt)},{\(Self.activity),\(doubt)}]")
    let table = ReviewAnswer.table(reviews, Style())
    #expect(table.contains("\n    implausible, provider_flag\n"))
    #expect(table.hasSuffix("\n    implausible, provider_flag; 3 flags: suspicious_speed (2), other"))
    #expect(
      reviews[0].text(Style()).contains(
        """
        review    open, level 1, opened 2031-06-03 13:00:00Z
        reasons   implausible, provider_flag
        exceeded  top_speed 21.500 m/s; the limit is 12.000 m/s
        exceeded  furthest_distance 300000.01 m; the limit is 300000.00 m
        exceeded  fastest_1km 0:52.000; the limit is 2:30.000
        """))
  }

  @Test func `a review shows its decided flags, each with the decision that closed it`() throws {
    let decided = """
      "decidedFlags":[{"flaggedBy":8,"reason":"motorized_assistance","notes":"an engine","at":"2031-06-03T13:00:00.000Z",\
      "counts":true,"closedAt":"2031-06-04T13:00:00.000Z","decision":{"at":"2031-06-04T13:00:00.000Z",\
      "decision":"approve","reviewer":"uid 1004","reason":"it was the lock"}},\
      {"flaggedBy":9,"reason":"other","notes":null,"at":"2031-06-03T13:00:00.000Z","counts":true,\
      "closedAt":"2031-06-03T14:00:00.000Z","decision":null}],"decidedFlagsCount":30
      """
    let reviews: [ReviewAnswer] = try decode("[{\(Self.activity),\(decided)}]")
    let text = reviews[0].text(Style())
    #expect(
      text.hasSuffix(
        """
        DECIDED FLAG          BY USER  CLOSED                DECISION  REVIEWER
        motorized_assistance        8  2031-06-04 13:00:00Z  approve   uid 1004
            an engine; decided: it was the lock
        other                       9  2031-06-03 14:00:00Z  none      -
        and 28 decided flags more
        """), "\(text)")
  }

  @Test func `flags that do not count are shown as such`() throws {
    let reviews: [ReviewAnswer] = try decode(
      "[{\(Self.activity.replacing(#""flagCount":3"#, with: #""flagCount":1"#)),\(#""openFlags":3"#)}]"
        .replacing(#""reason":"other","#, with: #""reason":"other","counts":false,"#))
    #expect(
      ReviewAnswer.table(reviews, Style()).hasSuffix("3 flags, 1 counts: suspicious_speed (2), other"))
    #expect(reviews[0].text(Style()).contains("\nother (does not count)       10  2031-06-03 13:00:00Z"))
  }

  @Test func `the list of reviews follows pages of a hundred up to its own limit`() async throws {
    let runner = StubRunner([
      "review.list": { call in
        let (after, count) = (call.integer("after") ?? 0, call.integer("limit") ?? 1)
        let rows = (after + 1...after + count).map { id in
          "{" + Self.activity.replacing(#""id":17,"#, with: #""id":\#(id),"#) + "}"
        }
        return "[" + rows.joined(separator: ", ") + "]"
      }
    ])
    let ended = try await Served.run(runner) { directory, _ async throws in
      try await run([settlectl, "review", "list", "--limit", "250", "--json", "--socket", directory.control])
    }
    #expect(ended.code == 0, "\(ended.errors)")
    let all: [ReviewAnswer] = try decode(ended.output)
    #expect(all.map(\.activity.id) == Array(1...250))
    #expect(runner.calls.map { $0.call.integer("limit") } == [100, 100, 50])
  }

  @Test func `the list of reviews shows whole states beside long names`() throws {
    let long = Self.activity.replacing("Ann Other", with: "Wilhelmina Featherstonehaugh")
      .replacing(#""state":"open""#, with: #""state":"info_requested""#)
    let text = ReviewAnswer.table(try decode("[{\(long)}]") as [ReviewAnswer], Style())
    #expect(
      text == """
        ACTIVITY  ATHLETE      STATUS        REVIEW          LEVEL  OPENED
              17  Wilhelmina   under_review  info_requested      1  2031-06-03 13:00:00Z
                  Featherston
                  ehaugh
            3 flags: suspicious_speed (2), other
        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `a review shows figures, field, flags, prizes and the effect of each decision`() throws {
    let payouts = { (athletes: [Int]) in
      let all = athletes.enumerated().map { index, athlete in
        #"{"place":\#(index + 1),"entryId":\#(athlete + 40),"athleteId":\#(athlete),"amountPence":\#([297, 79, 20][index])}"#
      }
      return "[" + all.joined(separator: ",") + "]"
    }
    let review: ReviewAnswer = try decode(
      """
      {\(Self.activity),"affected":[{"raceId":42,"field":{"type":"top_speed","duration":"daily","category":"senior_men",\
      "status":"ended","dueAt":"2031-06-04T01:00:00.000Z","entryId":43,"entryStatus":"entered","entries":4,"score":4500,\
      "best":[3500,3400,3300],"median":3400,"ranked":3},\
      "now":{"outcome":"paid","prizePoolPence":396,"payouts":\(payouts([4, 5, 6])),"refunds":[],\
      "waitingFor":{"reason":"review","until":"2031-06-07T01:00:00.000Z","activities":[17]}},\
      "approve":{"outcome":"paid","prizePoolPence":396,"payouts":\(payouts([3, 4, 5])),"refunds":[],"waitingFor":null},\
      "disqualify":{"outcome":"paid","prizePoolPence":297,"payouts":\(payouts([4, 5, 6])),\
      "refunds":[{"entryId":43,"amountPence":100}],"waitingFor":null}},\
      {"raceId":43,"field":{"type":"fastest_5km","duration":"weekly","category":"senior_men","status":"settled",\
      "dueAt":"2031-06-04T01:00:00.000Z","entryId":50,"entryStatus":"completed","entries":1,"score":1500007,"best":[],\
      "median":null,"ranked":0},"now":{"outcome":"paid","payouts":\(payouts([3])),"revision":null,"nets":[]},\
      "approve":null,"disqualify":{"outcome":"void","payouts":[],"revision":2,"nets":[{"athleteId":3,"amountPence":202}]},\
      "people":[{"entryId":50,"athleteId":3,"displayName":"Ann Other"}]}]}
      """)
    let text = review.text(Style())
    #expect(
      text == """
        activity  17, Paddle (Kayaking)
        athlete   3, Ann Other
        status    under_review
        started   2031-06-03 10:00:00Z
        imported  2031-06-03 12:00:00Z
        figures   6000 m in 30:00 moving, 31:40 elapsed, average 3.33 m/s, top speed
                  4.50 m/s
        review    open, level 1, opened 2031-06-03 13:00:00Z

        FLAG              BY USER  AT
        suspicious_speed        8  2031-06-03 13:00:00Z
            an engine [2J was heard
        suspicious_speed        9  2031-06-03 13:00:00Z
        other                  10  2031-06-03 13:00:00Z

        race 42      top_speed, daily, senior_men; ended, due 2031-06-04 01:00:00Z
        entry        43 of 4, entered
        score        4.500 m/s
        best others  3.500 m/s, 3.400 m/s, 3.300 m/s; median of 3: 3.400 m/s

        ATHLETE       NOW   APPROVE  DISQUALIFY
              4  1. £2.97  2. £0.79    1. £2.97
              5  2. £0.79  3. £0.20    2. £0.79
              6  3. £0.20         -    3. £0.20
             3*         -  1. £2.97           -

        now         waits for review until 2031-06-07 01:00:00Z; pays £3.96 in prizes
        approve     pays £3.96 in prizes
        disqualify  pays £3.96 in prizes; refunds the fee for entry 43, £1.00

        race 43      fastest_5km, weekly, senior_men; settled, due 2031-06-04 01:00:00Z
        entry        50 of 1, completed
        score        25:00.007
        best others  no other entry has a score

        ATHLETE  NAME            NOW  APPROVE  DISQUALIFY
             3*  Ann Other  1. £2.97                    -

        now         pays £2.97 in prizes
        approve     is not possible: no flag or review is open, the activity is already
                    decided, or the review window has ended
        disqualify  revision 2 books athlete 3 +£2.02; void: no entry is ranked
        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
