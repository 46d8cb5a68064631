import ControlAPI
import Engine
import Operations
import Postgres
import TestSupport
import TextCoding

@testable import Racing

extension RaceDay {
  /// The answer to an operator's command, whose caller has this user id.
  func ask(
    _ description: CommandDescription, _ values: KeyValuePairs<String, ParameterValue> = [:], uid: UInt32 = 7,
    level: CommandLevel = .admin
  ) async throws -> JSONValue {
    let commands = RacingModule().commands(in: ModuleContext(gate: course.database.context(pool).gate))
    let call = CommandCall(
      caller: AuthorizedPeer(uid: uid, gid: 7, pid: 7, level: level), requestId: nil,
      values: Dictionary(values.map { ($0.key, $0.value) }) { first, _ in first })
    guard let command = commands.first(where: { $0.name == description.name }) else {
      throw CommandError(.missing, rule: "command", description.name)
    }
    return try JSONValue(try await CommandDispatcher(commands, pool: pool, node: "test").run(command, call))
  }

  /// The rule that refuses a command; nil where nothing does.
  func refusal(
    _ description: CommandDescription, _ values: KeyValuePairs<String, ParameterValue> = [:], uid: UInt32 = 7
  ) async throws -> String? {
    do {
      _ = try await ask(description, values, uid: uid)
      return nil
    } catch let error as CommandError {
      return error.rule
    }
  }

  /// The same for one parameter whose name is a value.
  func refusal(_ description: CommandDescription, name: String, _ text: String) async throws -> String? {
    try await refusal(description, [name: .text(text)])
  }

  /// The ids of all rows, page by page; each page has at most `limit` rows.
  func pages(
    _ description: CommandDescription, _ values: [String: ParameterValue] = [:], of limit: Int64
  ) async throws -> [[Int64]] {
    var (pages, after): ([[Int64]], String?) = ([], nil)
    repeat {
      var page = values
      page["limit"] = .integer(limit)
      page["after"] = after.map { .text($0) }
      let commands = RacingModule().commands(in: ModuleContext(gate: course.database.context(pool).gate))
      let call = CommandCall(
        caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil, values: page)
      guard let command = commands.first(where: { $0.name == description.name }) else { return [] }
      let answer = try JSONValue(try await CommandDispatcher(commands, pool: pool, node: "test").run(command, call))
      pages.append(answer["rows"]?.elements.compactMap { $0["id"]?.integer } ?? [])
      after = answer["next"]?.text
    } while after != nil && pages.count < 1000
    return pages
  }
}
