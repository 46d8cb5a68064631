import ControlAPI
import Foundation
import Testing
import TextCoding

@testable import CommandLineTool

@Suite("Tables for people")
struct TableTests {
  private func status(_ json: String) throws -> StatusAnswer {
    try JSONDecoder().decode(StatusAnswer.self, from: Data(json.utf8))
  }

  static func job(_ name: String, _ more: String = "") -> String {
    """
    {"name":"\(name)","state":"idle","nextDue":"2031-03-30T23:05:00.000Z","overdue":0,\
    "lastRunAt":"2031-03-30T22:58:00.000Z","lastOutcome":"ran","failing":0,"quarantined":0\(more)}
    """
  }

  static func status(_ state: String, problems: String, jobs: [String]) -> String {
    """
    {"state":"\(state)","version":"0.1.0","schemaVersion":4,"simulatedClock":false,"node":"web-1",\
    "now":"2031-03-30T23:00:00.123Z","clockSkewMs":2,"jobs":[\(jobs.joined(separator: ","))],"problems":[\(problems)]}
    """
  }

  @Test func `the status of a healthy node fits 80 columns`() throws {
    let idle =
      #"{"name":"view-rollup","state":"idle","nextDue":null,"overdue":0,"lastRunAt":null,"lastOutcome":null,"#
      + #""failing":0,"quarantined":0}"#
    let answer = try status(Self.status("ready", problems: "", jobs: [Self.job("race-settlement"), idle]))
    #expect(
      answer.text(Style()) == """
        settled 0.1.0 on web-1: READY

        JOB              STATE  NEXT DUE  OVERDUE  FAILING  QUAR.  LAST RUN
        race-settlement  idle   in 5m           -        -      -  2m ago: ran
        view-rollup      idle   -               -        -      -  -

        2031-03-30 23:00:00Z, clock skew 2 ms, schema 4
        """)
  }

  @Test func `the status of a degraded node fits 80 columns, with its problems first`() throws {
    let failing = """
      {"name":"activity-validation","state":"paused","nextDue":"2031-03-30T20:55:00.000Z","overdue":120,\
      "lastRunAt":"2031-03-28T19:00:00.000Z","lastOutcome":"failed: activity 17: the stream of distances\\u001b[2J ends",\
      "failing":2,"quarantined":3}
      """
    let problems = """
      "the database is unreachable: could not connect to server \\"db.example.net\\" (10.0.0.1), port 5432: Connection refused",\
      "activity-validation: 3 quarantined"
      """
    let answer = try status(Self.status("degraded", problems: problems, jobs: [failing, Self.job("race-settlement")]))
    let text = answer.text(Style())
    #expect(
      text == """
        settled 0.1.0 on web-1: DEGRADED, 2 problems
          ! the database is unreachable: could not connect to server "db.example.net"
            (10.0.0.1), port 5432: Connection refused
          ! activity-validation: 3 quarantined

        JOB                  STATE   NEXT DUE  OVERDUE  FAILING  QUAR.  LAST RUN
        activity-validation  paused  2h5m ago      120        2      3  2d4h ago
            failed: activity 17: the stream of distances [2J ends
        race-settlement      idle    in 5m           -        -      -  2m ago: ran

        2031-03-30 23:00:00Z, clock skew 2 ms, schema 4
        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `a table of the busiest jobs fits 80 columns`() throws {
    let busy = """
      {"name":"activity-validation","state":"running","nextDue":"2031-05-01T21:05:00.000Z","overdue":1200,\
      "lastRunAt":"2031-02-28T23:58:00.000Z","lastOutcome":"ran","failing":120,"quarantined":3}
      """
    let answer: JobsCommand.Answer = try decode(Self.status("ready", problems: "", jobs: [busy]))
    #expect(
      JobsCommand().text(answer, Style()) == """
        JOB                 STATE   NEXT DUE  OVERDUE FAILING QUAR. LAST RUN
        activity-validation running in 31d22h    1200     120     3 29d23h ago: ran
        """)
    let counting = busy.replacing(#""quarantined":3}"#, with: #""quarantined":3,"progress":{"done":120,"total":4000}}"#)
    let counted: JobsCommand.Answer = try decode(Self.status("ready", problems: "", jobs: [counting]))
    #expect(JobsCommand().text(counted, Style()).hasSuffix("ago: ran\n    120 of 4000 items done"))
    let step: JobAnswer = try decode(busy)
    #expect(
      step.text(Style()) == """
        job          activity-validation
        state        running
        next due     2031-05-01 21:05:00Z
        overdue      1200
        failing      120
        quarantined  3
        last run     2031-02-28 23:58:00Z: ran
        """)
  }

  @Test func `a table that is too wide is set closer, then wraps, and is never truncated`() {
    func text(_ width: Int) -> String {
      Table(
        columns: [.left("NAME", shrinks: true), .right("ID"), .left("STATE")],
        rows: [.init(["an old name", "17", "idle"], detail: "and why"), .init(["x", "1", "paused"])]
      ).text(Style(width: width))
    }
    #expect(
      text(23) == """
        NAME         ID  STATE
        an old name  17  idle
            and why
        x             1  paused
        """)
    #expect(
      text(21) == """
        NAME        ID STATE
        an old name 17 idle
            and why
        x            1 paused
        """)
    let narrow = """
      NAME      ID  STATE
      an old    17  idle
      name
          and why
      x          1  paused
      """
    #expect(text(20) == narrow)
    #expect(
      text(10) == """
        NAME     ID STATE
        an old   17 idle
        name
            and
            why
        x         1 paused
        """)
  }

  @Test func `a terminal that is too narrow gets each row as a block, and no broken name`() {
    let table = Table(
      columns: [.left("JOB", shrinks: true), .right("FAILING"), .left("LAST RUN", shrinks: true)],
      rows: [
        .init(["activity-validation", "2", "2d4h ago"], detail: "why"),
        .init(["race-settlement-of-a-very-long-name", "-", "2m ago: ran"]),
      ])
    #expect(
      table.text(Style(width: 50)) == """
        JOB       activity-validation
        FAILING   2
        LAST RUN  2d4h ago
            why

        JOB       race-settlement-of-a-very-long-name
        FAILING   -
        LAST RUN  2m ago: ran
        """)
    #expect(table.text(Style(width: 60)).split(separator: "\n").count == 4)
  }

  private func decode<Answer: Decodable>(_ json: String) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: Data(json.utf8))
  }

  @Test func `an explained race shows ranking, split and reason of the wait`() throws {
    let answer: RaceAnswer = try decode(
      """
      {"id":42,"type":"top_speed","status":"ended","dueAt":"2031-03-30T23:00:00.000Z","entryFeePence":500,\
      "waitingFor":{"reason":"review","until":"2031-04-02T23:00:00.000Z","activities":[9]},"settlement":null,\
      "ranking":[{"rank":1,"entryId":7,"athleteId":3,"displayName":"Ann","entryStatus":"entered","activityId":9,"score":12,"why":"place 1 with activity 9"},\
      {"rank":null,"entryId":8,"athleteId":4,"displayName":"Bob","entryStatus":"disqualified","activityId":null,"score":null,"why":"no activity counts"}],\
      "split":{"outcome":"paid","feesPence":100000,"shares":[60,40],"refundedPence":300,\
      "payouts":[{"place":1,"entryId":7,"amountPence":54000},{"place":2,"entryId":8,"amountPence":36000}]},"hold":{"waits":true,"activities":[9]}}
      """)
    #expect(
      answer.text(Style()) == """
        id         42
        status     ended
        type       top_speed
        due        2031-03-30 23:00:00Z
        entry fee  £5.00

        RANK  ENTRY  ATHLETE  NAME  STATUS        ACTIVITY      SCORE
           1      7        3  Ann   entered              9  0.012 m/s
            place 1 with activity 9
           -      8        4  Bob   disqualified         -          -
            no activity counts

        waiting for:
        activities  9
        reason      review
        until       2031-04-02 23:00:00Z

        split:
        fees      £1,000.00
        outcome   paid
        payouts   1. £540.00 to entry 7
                  2. £360.00 to entry 8
        refunded  £3.00
        shares    60, 40

        hold:
        activities  9
        waits       yes
        """)
  }

  @Test func `a waiting settlement shows its reason, and failures show their whole errors`() throws {
    let settlement: SettlementAnswer = try decode(
      """
      {"raceId":42,"outcome":"paid","inputHash":"ab12","feesPence":50000,"platformFeePence":5000,"prizePoolPence":45000,\
      "refundedPence":300,"payouts":[{"place":1,"entryId":7,"athleteId":3,"amountPence":45000}],\
      "waitingFor":{"reason":"review","until":"2031-04-02T23:00:00.000Z","activities":[9,10]}}
      """)
    #expect(
      settlement.text(Style()) == """
        race 42 is waiting: review, until 2031-04-02 23:00:00Z, for activities 9, 10

        fees          £500.00
        platform fee  £50.00
        prize pool    £450.00
        refunds       £3.00
        input hash    ab12

        PLACE  ENTRY  ATHLETE   AMOUNT
            1      7        3  £450.00
        """)
    let claimed: SettlementAnswer = try decode(
      """
      {"raceId":42,"outcome":"void","inputHash":"ab12","feesPence":0,"platformFeePence":0,"prizePoolPence":0,\
      "refundedPence":0,"payouts":[],\
      "waitingFor":{"reason":"provider","until":"2031-04-02T23:00:00.000Z","activities":[9]}}
      """)
    #expect(
      claimed.text(Style()).hasPrefix("race 42 is waiting: provider, until 2031-04-02 23:00:00Z, for claims 9\n"))
    let failures: [FailureAnswer] = try decode(
      """
      [{"id":3,"job":"activity-validation","key":"17","attempts":5,"firstAt":"2031-03-30T22:00:00.000Z",\
      "lastAt":"2031-03-30T23:00:00.000Z","nextAttemptAt":null,"quarantined":true,"dropped":null,\
      "error":"22P02: the stream of distances ends before the stream of times does, at second 1800 of the activity"}]
      """)
    #expect(
      FailureAnswer.text(failures, Style()) == """
        ID  JOB                  KEY  TRIES  LAST TRY              NEXT TRY
         3  activity-validation  17       5  2031-03-30 23:00:00Z  quarantined
            22P02: the stream of distances ends before the stream of times does, at
            second 1800 of the activity
        """)
  }

  @Test func `nodes show the age of their last heartbeat, and which have missed it`() throws {
    func node(_ name: String, _ state: String, _ silence: String) -> String {
      """
      {"node":"\(name)","version":"0.1.0","startedAt":"2031-03-30T01:00:00.000Z",\
      "lastSeenAt":"2031-03-30T02:00:00.000Z","state":"\(state)"\(silence)}
      """
    }
    let all = [
      node("one", "ready", #","silentMs":12345,"hasProvider":true"#), node("two", "ready", #","silentMs":90001"#),
      node("three", "gone", #","silentMs":400000,"hasProvider":false"#), node("old", "ready", ""),
    ]
    #expect(
      NodesCommand().text(try decode("[\(all.joined(separator: ","))]"), Style()) == """
        NODE   STATE   VERSION  STARTED               LAST SEEN             PROVIDER
        one    ready   0.1.0    2031-03-30 01:00:00Z  12s ago               yes
        two    ready?  0.1.0    2031-03-30 01:00:00Z  1m ago                -
        three  gone    0.1.0    2031-03-30 01:00:00Z  6m ago                no
        old    ready   0.1.0    2031-03-30 01:00:00Z  2031-03-30 02:00:00Z  -
        """)
  }

  @Test func `coalesced ticks take a line each and one explanation, a skipped one has its reason in a second line`()
    throws
  {
    func tick(_ id: Int, _ status: String, _ reason: String) -> String {
      """
      {"id":\(id),"schedule":"hourly","instant":"2031-03-30T0\(id):00:00.000Z","status":"\(status)","reason":\(reason),\
      "startedAt":null,"finishedAt":"2031-03-30T09:00:00.000Z","node":null,"rows":null}
      """
    }
    let all = [
      tick(3, "skipped", "\"overlap\""), tick(2, "coalesced", "\"missed: a later tick runs\""),
      tick(1, "coalesced", "\"missed: a later tick runs\""),
    ]
    #expect(
      OccurrenceAnswer.text(try decode("[\(all.joined(separator: ","))]") as [OccurrenceAnswer], Style()) == """
        ID  SCHEDULE  INSTANT               STATUS     TOOK  ROWS  NODE
         3  hourly    2031-03-30 03:00:00Z  skipped       -     -  -
            overlap
         2  hourly    2031-03-30 02:00:00Z  coalesced     -     -  -
         1  hourly    2031-03-30 01:00:00Z  coalesced     -     -  -

        coalesced: the tick was missed, and a later one runs instead
        """)
    #expect(
      !OccurrenceAnswer.text(try decode("[\(all[0])]") as [OccurrenceAnswer], Style()).contains("coalesced"))
  }

  @Test func `colour is used on terminals only, and never as the only sign`() throws {
    let answer = try status(Self.status("draining", problems: #""this node drains""#, jobs: []))
    let (plain, coloured) = (answer.text(Style()), answer.text(Style(width: 80, isColoured: true)))
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.contains("\u{1b}[33mDRAINING, 1 problem\u{1b}[0m"))
    #expect(coloured.replacing(/\u{1b}\[\d+m/, with: "") == plain)
  }

  @Test func `text from outside cannot control the terminal`() {
    #expect(Printable.line("a\u{1b}[31mb\nc\u{202e}d") == "a [31mb c d")
    #expect(Printable.wrap("one two  three", to: 7) == ["one two", "three"])
    #expect(Printable.wrap("abcdefgh", to: 3) == ["abc", "def", "gh"])
    #expect(Printable.wrap("", to: 3) == [])
  }

  @Test func `durations and sums are short and exact`() {
    let now = "2031-03-30T23:00:00.000Z"
    for (instant, words) in [
      ("2031-03-30T23:00:45.000Z", "in 45s"), ("2031-03-31T01:05:00.000Z", "in 2h5m"),
      ("2031-03-27T23:00:00.000Z", "3d ago"), ("2031-03-01T22:00:00.000Z", "29d1h ago"),
      ("2032-02-29T23:00:00.000Z", "in 336d"), ("infinity", "infinity"), (now, "now"),
    ] {
      #expect(Instants.relative(instant, to: now) == words)
    }
    #expect(Instants.relative(nil, to: now) == "-")
    #expect(Instants.text(now) == "2031-03-30 23:00:00Z")
    #expect(Instants.text("10004-02-29T23:00:00.000Z") == "10004-02-29 23:00:00Z")
    #expect([0, 1, 2].map { Counted.text($0, "fee") } == ["0 fees", "1 fee", "2 fees"])
    #expect([1, 2].map { Counted.text($0, "differs", "differ") } == ["1 differs", "2 differ"])
    #expect([0, 5, -123_456, 100_000_000].map(Sterling.text) == ["£0.00", "£0.05", "-£1,234.56", "£1,000,000.00"])
    #expect(Sterling.text(.min) == "-£92,233,720,368,547,758.08")
  }

  @Test func `an answer without words of its own is shown as its description has it`() throws {
    let list = AnswerSchema.array(
      .object(["raceId": .integer, "feePence": .integer, "startsAt": .nullable(.instant), "state": .text]))
    let races = try JSONValue(
      String(
        #"[{"state":"up","startsAt":"2031-03-30T23:00:00.123Z","feePence":250,"raceId":7},{"raceId":12,"state":"x"}]"#))
    #expect(
      PlainText.text(races, list, Style()) == """
        RACE    FEE  STARTS                STATE
           7  £2.50  2031-03-30 23:00:00Z  up
          12      -  -                     x
        """)
    #expect(PlainText.text(.array([]), list, Style()) == "none")
    let one = AnswerSchema.object(["raceId": .integer, "isOpen": .boolean, "kept": .array(.text)])
    let race = try JSONValue(String(#"{"kept":["a","b"],"isOpen":true,"raceId":7}"#))
    #expect(
      PlainText.text(race, one, Style()) == """
        race     7
        is open  yes
        kept     a, b
        """)
    #expect(PlainText.text(.text("a\u{1b}b"), .text, Style()) == "a b")
  }

  @Test func `an object is shown as its pairs, its lists as tables, and a page names the next one`() throws {
    let books = AnswerSchema.object([
      "at": .instant, "wallets": .object(["pence": .integer, "largest": .array(.object(["pence": .integer]))]),
    ])
    let answer = try JSONValue(
      String(#"{"at":"2031-03-30T23:00:00.000Z","wallets":{"pence":250,"largest":[{"pence":150},{"pence":100}]}}"#))
    #expect(
      PlainText.text(answer, books, Style()) == """
        at             2031-03-30 23:00:00Z
        wallets pence  £2.50

        wallets largest:
        PENCE
        £1.50
        £1.00
        """)
    let page = AnswerSchema.page(.object(["id": .integer]))
    let rows = try JSONValue(String(#"{"rows":[{"id":7}],"next":"7"}"#))
    #expect(PlainText.text(rows, page, Style()) == "ID\n 7\n\nmore: --after 7")
    #expect(PlainText.text(try JSONValue(String(#"{"rows":[],"next":null}"#)), page, Style()) == "none")
  }
}
