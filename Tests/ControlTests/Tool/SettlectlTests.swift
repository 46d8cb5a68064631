import Operations
import ControlAPI
import Foundation
import TestSupport
import Testing

@Suite("settlectl")
struct SettlectlTests {
  private static let settled = """
    {"raceId":42,"outcome":"paid","inputHash":"ab12","feesPence":50000,"platformFeePence":5000,\
    "prizePoolPence":45000,"payouts":[{"place":1,"entryId":7,"athleteId":3,"amountPence":45000}],"waitingFor":null}
    """

  private func tool(_ arguments: String..., answers: [String: String] = [:]) async throws -> (Ended, StubRunner) {
    let runner = StubRunner(answers.mapValues { text in { _ in text } })
    return try await Served.run(runner) { directory, _ async throws in
      (try await run([settlectl] + arguments + ["--socket", directory.control]), runner)
    }
  }

  @Test func `settlectl names systemctl and exits 69 without a daemon`() async throws {
    let directory = try Directory()
    let absent = try await run([settlectl, "status", "--socket", directory.control])
    #expect(absent.code == 69)
    #expect(
      absent.errors == """
        settlectl: the daemon is not reachable at \(directory.control): the socket does not exist; \
        try: systemctl status settled

        """)
    close(listenAt(directory.control))
    let dead = try await run([settlectl, "jobs"], ["SETTLED_CONTROL_SOCKET": directory.control])
    #expect(dead.code == 69)
    #expect(dead.errors.contains("no process is listening on the socket"))
    #expect(dead.output.isEmpty)
    let json = try await run([settlectl, "jobs", "--json", "--socket", directory.control])
    #expect(json.code == 69)
    let problem = try JSONDecoder().decode(Problem.self, from: Data(json.output.utf8))
    #expect(problem.rule == "unreachable" && problem.status == 503)
    #expect(problem.detail.contains("no process is listening on the socket"))
  }

  /// Commands whose arguments are more than those of their descriptions, or are written in more than one way.
  private static let lines: [(line: String, command: String, parameters: String)] = [
    ("job pause a/b", "job.pause", "name=a/b"), ("next", "next", ""),
    ("race show 42 --explain", "race.show", "explain=true id=42"),
    ("race settle 42 --dry-run", "race.preview", "id=42"),
    ("race settle 42 --expect-hash ab", "race.settle", "expectHash=ab id=42"),
    ("race settle 42 --override --reason storm", "race.settle", "id=42 override=true reason=storm"),
    ("set a.b 5s", "set", "key=a.b value=5s"), ("set a.b --reason why -- -1", "set", "key=a.b reason=why value=-1"),
    ("audit log --from 2031-03-30T23:00:00+01:00 --limit 3", "audit.log", "from=2031-03-30T23:00:00+01:00 limit=3"),
    ("reload --wait", "reload", ""), ("reload", "reload", ""), ("retry 7", "failure.retry", "id=7"),
    ("drop 7 --reason test", "failure.drop", "id=7 reason=test"),
    ("schedule remove a/b", "schedule.remove", "name=a/b"),
    (
      "schedule add a --cron @daily --zone Europe/London --call b.c --missed all --max 3 --within 1h --timeout 5s "
        + "--splay 9s --replace", "schedule.add",
      "call=b.c cron=@daily max=3 missed=all name=a replace=true splay=9s timeout=5s within=1h zone=Europe/London"
    ),
    (
      "schedule add a --at 2031-03-30T23:00:00Z --call b.c", "schedule.add", "at=2031-03-30T23:00:00Z call=b.c name=a"
    ),
    ("schedule backfill a --from 1 --to 2", "schedule.backfill", "from=1 name=a to=2"),
    ("schedule backfill a --from 1 --to 2 --dry-run", "schedule.backfill.preview", "from=1 name=a to=2"),
    ("occurrences", "occurrences", ""),
    ("occurrences a --from 1 --to 2 --status ran --limit 3", "occurrences", "from=1 limit=3 name=a status=ran to=2"),
    ("review list", "review.list", "limit=100"), ("review list --limit 7", "review.list", "limit=7"),
    ("jobs", "status", ""), ("jobs --json", "jobs", ""), ("status", "status", ""),
    ("failures", "failures", ""), ("failures --limit 7", "failures", "limit=7"),
    ("account show ann@example.org", "account.show", "account=ann@example.org"),
    ("account create --email a@b.c", "account.create", "email=a@b.c"),
    ("account unlink 7 --athlete --checkin", "account.unlink", "account=7 athlete=true checkin=true"),
    ("account grant ann moderator", "account.grant", "account=ann role=moderator"),
    ("person erase athlete 7 --reason asked", "person.erase", "id=7 kind=athlete reason=asked"),
    (
      "person correct athlete 7 --date-of-birth 1990-01-31 --gender female --reason asked", "person.correct",
      "dateOfBirth=1990-01-31 gender=female id=7 kind=athlete reason=asked"
    ),
    ("watch --job race-settlement", "watch", "job=race-settlement"),
  ]

  /// `expectHash` as `expect-hash`.
  private static func dashed(_ name: String) -> String {
    name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }

  /// Every other command, with all its parameters: `account reset a`.
  private static let plain: [(line: String, command: String, parameters: String)] = {
    let listed = Set(lines.map(\.command))
    return CommandDescription.all.filter { !listed.contains($0.name) }.map { command in
      func value(_ parameter: CommandParameter) -> String { parameter.kind == .integer ? "7" : "a" }
      let options = command.options.map { option in
        "--\(dashed(option.name))" + (option.kind == .boolean ? "" : " \(value(option))")
      }
      let parameters = command.parameters.map { "\($0.name)=\($0.kind == .boolean ? "true" : value($0))" }
      return (
        (command.words + command.arguments.map(value) + options).joined(separator: " "), command.name,
        parameters.sorted().joined(separator: " ")
      )
    }
  }()

  @Test(arguments: lines + plain)
  func `settlectl sends the request that its arguments describe`(
    _ line: String, _ command: String, _ parameters: String
  ) async throws {
    let runner = StubRunner()
    try await Served.run(runner) { directory, _ async throws in
      var words = line.split(separator: " ").map(String.init)
      words.insert(contentsOf: ["--socket", directory.control], at: words.firstIndex(of: "--") ?? words.endIndex)
      _ = try await run([settlectl] + words)
    }
    let call = try #require(runner.calls.first)
    #expect(call.command == command)
    let values = call.call.canonical.split(separator: "\n").map { line in
      line.replacing(/=(?:text|integer|boolean)\("?(.*?)"?\)$/) { "=\($0.1)" }
    }
    #expect(values.joined(separator: " ") == parameters)
  }

  @Test func `settlectl --json prints the daemon's JSON unchanged`() async throws {
    let (ended, _) = try await tool(
      "race", "settle", "42", "--dry-run", "--json", answers: ["race.preview": Self.settled])
    #expect(ended.code == 0)
    #expect(ended.output == Self.settled + "\n")
  }

  @Test func `settlectl truncates nothing outside a terminal: a row of a table is a line`() async throws {
    let name = String(repeating: "long-", count: 40)
    let failure = """
      [{"id":3,"job":"\(name)","key":"17","attempts":5,"lastAt":null,"nextAttemptAt":null,"quarantined":true,
      "error":"why \(name)"}]
      """
    let (ended, _) = try await tool("failures", answers: ["failures": failure])
    let lines = ended.output.split(separator: "\n")
    #expect(lines.count > 3 && lines[1].contains("3  \(name)  17"))
    #expect(lines[2...].map { $0.trimmingPrefix("    ") }.joined() == "why\(name)")
  }

  @Test func `settlectl exits 1 when a check finds differences or something is not settled`() async throws {
    let clean = #"{"accounts":3,"journals":2,"postings":4,"differences":[]}"#
    let wrong = """
      {"accounts":3,"journals":2,"postings":4,"differences":[{"account":"wallet","athleteId":5,"stored":1,"computed":123456}]}
      """
    let edited = """
      {"accounts":3,"journals":2,"postings":4,"chain":{"position":2,"hash":"ab"},"differences":[{"account":"chain journal 2",
      "athleteId":null,"stored":1,"computed":0,"finding":"the journal is missing","position":2,"journalId":2}]}
      """
    let shown = try await tool("ledger", "verify", answers: ["ledger.verify": edited]).0
    #expect(shown.code == 1)
    #expect(shown.output.contains("3 accounts, 2 journals, 4 postings, chain 2:ab: 1 differs"))
    #expect(shown.output.contains("the journal is missing"))
    #expect(!shown.output.contains("£"))
    for (answer, code) in [(clean, 0), (wrong, 1)] {
      #expect(try await tool("ledger", "verify", answers: ["ledger.verify": answer]).0.code == code)
      #expect(try await tool("ledger", "verify", "--json", answers: ["ledger.verify": answer]).0.code == code)
    }
    let points = #"{"totals":2,"rewards":1,"differences":[]}"#
    let wrongPoints = """
      {"totals":2,"rewards":1,"differences":[{"what":"seasonal total","runnerId":7,"rewardId":null,"season":"xc",
      "year":"2031","stored":14,"computed":15}]}
      """
    for (answer, code) in [(points, 0), (wrongPoints, 1)] {
      let shown = try await tool("seasons", "verify", answers: ["seasons.verify": answer]).0
      #expect(
        shown.code == code
          && shown.output.hasPrefix("2 totals, 1 reward: \(code == 0 ? "no differences" : "1 differs")"))
      #expect(code == 0 || shown.output.contains(/seasonal total +7  xc 2031 +14 +15/), "\(shown.output)")
    }
    for (isFine, code) in [(true, 0), (false, 1)] {
      let answer = #"[{"check":"groups","ok":\#(isFine),"finding":"x","remedy":"y"}]"#
      #expect(try await tool("doctor", answers: ["doctor": answer]).0.code == code)
    }
    #expect(try await tool("race", "settle", "42", answers: ["race.settle": Self.settled]).0.code == 1)
    let done = Self.settled.dropLast() + #","revision":1,"settledAt":"2031-03-30T23:00:00.000Z"}"#
    #expect(try await tool("race", "settle", "42", answers: ["race.settle": String(done)]).0.code == 0)
  }

  @Test(
    arguments: [
      (CommandError.Kind.usage, 64), (.denied, 77), (.missing, 1), (.refused, 1), (.configuration, 78), (.bug, 70),
      (.unavailable, 75),
    ] as [(CommandError.Kind, Int32)])
  func `settlectl turns each kind of refusal into its exit code and one line`(_ kind: CommandError.Kind, _ code: Int32)
    async throws
  {
    let runner = StubRunner(["status": { _ in throw CommandError(kind, rule: "clock", "the clock\nis held") }])
    try await Served.run(runner) { directory, _ async throws in
      let ended = try await run([settlectl, "status", "--socket", directory.control])
      #expect(ended.code == code)
      #expect(ended.errors == "settlectl: the clock is held (rule clock)\n")
      #expect(ended.output.isEmpty)
      let json = try await run([settlectl, "status", "--json", "--socket", directory.control])
      #expect(json.code == code)
      #expect(json.output.contains(#""rule":"clock""#))
    }
  }

  @Test(arguments: [
    ["statsu"], ["job", "paus", "x"], ["drop", "7"], ["retry", "seven"], ["clock", "accept"], ["status", "--jsno"],
    ["race", "settle", "5", "--override"], ["race", "settle", "5", "--dry-run", "--reason", "x"], ["job", "run"],
    ["race", "cancel", "5"], ["review", "approve", "5"], ["review", "show"], ["withdrawal", "fail", "5"],
    ["schedule", "add", "a", "--call", "b.c"], ["schedule", "add", "a", "--cron", "@daily"],
    ["schedule", "add", "a", "--at", "1", "--zone", "UTC", "--call", "b.c"], ["schedule", "backfill", "a"],
  ])
  func `settlectl refuses wrong usage with 64`(_ arguments: [String]) async throws {
    let ended = try await run([settlectl] + arguments)
    #expect(ended.code == 64)
    #expect(ended.output.isEmpty)
    #expect(!ended.errors.isEmpty)
  }

  @Test func `settlectl suggests a command for a mistyped word`() async throws {
    #expect(try await run([settlectl, "statsu"]).errors.contains("did you mean 'settlectl status'?"))
    #expect(try await run([settlectl, "job", "paus", "x"]).errors.contains("did you mean 'settlectl job pause'?"))
    #expect(try await run([settlectl, "status", "--jsno"]).errors.contains("--json"))
    #expect(try await run([settlectl, "hepl"]).errors.contains("did you mean 'settlectl help'?"))
    #expect(try await run([settlectl, "version"]).errors.contains("did you mean 'settlectl --version'?"))
    #expect(try await run([settlectl, "race", "hepl"]).errors.contains("did you mean 'settlectl race help'?"))
    #expect(try await run([settlectl, "xyzzy"]).code == 64)
  }

  @Test func `a link to the machine itself is printed with a warning`() async throws {
    func shown(_ url: String) async throws -> String {
      let account = """
        {"id":1,"email":"a@b.c","displayName":"a","username":null,"roles":[],"hasPassword":false,
        "createdAt":"2031-03-30T23:00:00.000Z"}
        """
      let answer = #"{"account":\#(account),"link":"\#(url)/reset#t"}"#
      let ended = try await tool("account", "create", "--email", "a@b.c", answers: ["account.create": answer]).0
      #expect(ended.code == 0, "\(ended.errors)")
      return ended.output
    }
    for url in ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"] {
      #expect(try await shown(url).contains("settlectl set accounts.public_url URL"), "\(url)")
    }
    #expect(!(try await shown("https://api.example.org")).contains("accounts.public_url"))
  }

  @Test(arguments: [
    (["race", "--socket", "x"], "'settlectl race' is not a complete command", "(list, show, settle, cancel)"),
    (["--socket", "x", "status"], "'settlectl' is not a complete command", "(see settlectl --help)"),
    (["audit", "--json"], "put --json after the subcommand", "(log, schedule)"),
  ])
  func `settlectl names the missing word when options come too early`(
    _ arguments: [String], _ what: String, _ words: String
  )
    async throws
  {
    let ended = try await run([settlectl] + arguments)
    #expect(ended.code == 64)
    #expect(ended.errors.contains(what) && ended.errors.contains(words), "\(ended.errors)")
    for asking in [["race", "--help"], ["--version"], ["race", "-h"]] {
      #expect(try await run([settlectl] + asking).code == 0)
    }
  }

  @Test func `settlectl shows its commands in groups that fit 80 columns`() async throws {
    let help = try await run([settlectl, "--help"], ["COLUMNS": "80"])
    #expect(help.code == 0)
    let lines = help.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    let commands = lines.filter { $0.hasPrefix("  ") && $0.dropFirst(2).first?.isLetter == true }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(
      commands == [
        "status", "jobs", "next", "timeline", "lateness", "occurrences", "occurrence-days", "failures", "nodes",
        "settings", "audit", "doctor", "watch", "caller", "zone", "dashboard", "job", "schedule", "retry", "drop",
        "set",
        "drain", "undrain", "reload", "clock", "restore", "race", "review", "activity", "athlete", "withdrawal",
        "withdrawals", "ledger", "seasons", "checkins", "strava", "account", "person", "See",
      ])
    let settle = try await run([settlectl, "race", "settle", "--help"], ["COLUMNS": "80"])
    #expect(
      settle.output.trimmingCharacters(in: .newlines) == """
        OVERVIEW: Settle a race that is due, or show what it would pay. [operate]

        USAGE: settlectl race settle <id> [--dry-run] [--expect-hash <expect-hash>] [--override] [--reason <reason>] [--json] [--socket <path>]

        ARGUMENTS:
          <id>                    The race's id.

        OPTIONS:
          --dry-run               Show the payments without making them. [read]
          --expect-hash <expect-hash>
                                  Settle only if the hash of the inputs still matches
                                  this one, as printed by the dry run.
          --override              Skip the grace period and holds; requires the admin
                                  level and a reason.
          --reason <reason>       The reason, recorded in the audit log.
          --json                  Print the daemon's JSON unchanged.
          --socket <path>         The daemon's control socket (default:
                                  $SETTLED_CONTROL_SOCKET, or
                                  /run/settled/control.sock).
          --version               Show the version.
          -h, --help              Show help information.
        """)
  }

  @Test(arguments: [
    (["drain"], "the command might have taken effect: check its effect before you repeat it"),
    (["race", "settle", "5", "--dry-run"], "the command is read-only: try again"),
  ])
  func `settlectl reports whether the outcome is known when the daemon closes without an answer`(
    _ arguments: [String], _ words: String
  ) async throws {
    let directory = try Directory()
    let descriptor = listenAt(directory.control)
    let server = Task.detached {
      await offPool {
        let peer = accept(descriptor, nil, nil)
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = recv(peer, &buffer, buffer.count, 0)
        close(peer)
        close(descriptor)
      }
    }
    let ended = try await run([settlectl] + arguments + ["--socket", directory.control])
    #expect(ended.code == 75)
    #expect(ended.errors.hasSuffix("; \(words)\n"))
    await server.value
  }
}
