import ControlAPI
import Foundation
import Postgres
import TestSupport
import Testing

/// The configuration of the daemon that is asked.
struct ConfigurationFile {
  let directory: ScratchDirectory
  var path: String { directory.path + "/settled.conf" }

  init() throws {
    directory = try ScratchDirectory()
  }

  func write(node: String, hasGroups: Bool) throws {
    let group = SettledProcess.adminsAreOurs["SETTLED_ADMINS_GROUP"] ?? "root"
    let groups = hasGroups ? "operators_group = \(group)\nadmins_group = \(group)\n" : ""
    try "node = \(node)\n\(groups)".write(toFile: path, atomically: true, encoding: .utf8)
  }
}

@Suite("The answers of a daemon") struct AnswersTests {
  /// Places of the schemas that no answer here has, and why.
  static let unmet = [
    "clock.accept[]": "a clock that was accepted leaves no stop", "withdrawal.complete.raceId": "it is of no race",
    "withdrawal.complete.entryId": "it is of no entry",
    "caller.user without a value": "who asks here has a name",
    "status.notes[]": "nothing that the configuration asks for is worth a note",
  ]

  @Test func `a daemon's answers have the described shape of their command, with any content`() async throws {
    let course = try await Course()
    let file = try ConfigurationFile()
    try file.write(node: "answers", hasGroups: true)
    let provider = try await FakeProvider()
    let daemon = try SettledProcess(
      ["run", "--config", file.path],
      [
        "SETTLED_DATABASE_URL": course.database.url(.daemon), "SETTLED_STATE_DIRECTORY": file.directory.path,
        "SETTLED_SOCKET_GROUP": SettledProcess.adminsAreOurs["SETTLED_SOCKET_GROUP"] ?? "root",
        // Nobody gives tokens.
        "SETTLED_STRAVA_OAUTH_BASE": "http://127.0.0.1:1", "SETTLED_STRAVA_API_BASE": provider.url + "/api/v3",
        "SETTLED_STRAVA_CLIENT_ID": provider.clientId, "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
        "SETTLED_TOKEN_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
      ], scratch: file.directory)
    try await daemon.log("ready")
    let questions = Questions(daemon)

    try await questions.ask(.ledgerVerify)
    try await questions.ask(.ledgerHead)
    try await questions.ask(.stravaStatus)
    try await Self.days(questions, course)
    try await Self.points(questions, course)
    try await Self.schedules(questions, course)
    try await Self.jobs(questions)
    try await Self.failures(questions, course)
    try await Self.races(questions, course)
    try await Self.time(questions, course)
    try await Self.money(questions, course)
    try await Self.connections(questions, course)
    try await Self.accounts(questions, course)
    try await Self.house(questions, course)
    try await Self.watch(questions, course)
    // A fork deletes the secrets, whose sealing has a progress.
    try await questions.ask(.status)
    try await course.session.execute("UPDATE settled.installation SET home = 'another/1'")
    try await questions.ask(.restoreFork, ["reason": .text("for trying things out")])
    try await Self.node(questions, file)

    #expect(questions.check.problems == [])
    let never = CommandDescription.all.map(\.name).filter { questions.asked[$0] == nil }
    #expect(never == [], "no answer was checked")
    let places = CommandDescription.all.flatMap { AnswerCheck.places($0.answer, at: .init($0.name)) }
    var seen = questions.check.met
    let unmet = Set(places.filter { seen.insert($0).inserted }.map(\.text))
    #expect(unmet == Set(Self.unmet.keys), "\(unmet.symmetricDifference(Self.unmet.keys).sorted())")
    for (place, reason) in Self.unmet.sorted(by: { $0.key < $1.key }) { print("not checked: \(place), \(reason)") }
    print("\(questions.asked.values.reduce(0, +)) answers to \(questions.asked.count) commands were checked")
  }

  @Test func `answers of all described commands are checked, and of no others`() async throws {
    let course = try await Course()
    let daemon = try SettledProcess.daemon(course.database, node: "paths", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let document = try await SettledProcess(
      ["-s", "--unix-socket", daemon.controlSocket, "http://x/openapi.json"], program: "/usr/bin/curl"
    ).finished()
    let named = document.output.matches(of: /"operationId":"([^"]+)"/).map { String($0.1) }
    #expect(named.sorted() == CommandDescription.all.map(\.name).sorted())
  }
}
