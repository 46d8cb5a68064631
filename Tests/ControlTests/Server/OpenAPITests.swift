import ControlAPI
import Foundation
import TestSupport
import Testing

@Suite("/openapi.json")
struct OpenAPITests {
  private func text() async throws -> String {
    try await Served.run { directory, _ async throws in
      try await run(["curl", "-s", "--unix-socket", directory.control, "http://x/openapi.json"]).output
    }
  }

  private func document() async throws -> [String: Any] {
    try #require(try await JSONSerialization.jsonObject(with: Data(text().utf8)) as? [String: Any])
  }

  @Test func `/openapi.json of the daemon has every recorded line: a description is only added to`() async throws {
    let path = "Tests/Recorded/openapi-daemon.txt"
    let lines = try OpenAPILines.text(await text())
    let changed = try Checkout.missingLines(of: path, in: lines)
    #expect(changed == [], "where a finding changes the contract, SETTLED_WRITE=1 writes \(path)")
    let recorded = try Checkout.text(path).split(separator: "\n")
    let added = Set(lines.split(separator: "\n")).subtracting(recorded)
    #expect(added == [], "SETTLED_WRITE=1 adds what is new to \(path)")
  }

  @Test func `/openapi.json is JSON and lists every command with level, parameters and problems`() async throws {
    let document = try await document()
    #expect(document["openapi"] as? String == "3.1.0")
    #expect((document["info"] as? [String: Any])?["version"] as? String == "1.2.3")
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    for command in CommandDescription.all {
      let operation = try #require(paths[command.path]?[command.method.rawValue.lowercased()])
      #expect(operation["operationId"] as? String == command.name)
      #expect(operation["x-level"] as? String == command.level.rawValue)
      #expect((operation["responses"] as? [String: Any])?["default"] != nil)
      let located = (operation["parameters"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      let content = (operation["requestBody"] as? [String: Any])?["content"] as? [String: [String: [String: Any]]]
      let inBody = (content?["application/json"]?["schema"]?["properties"] as? [String: Any])?.keys.map { $0 } ?? []
      #expect(Set(located + inBody) == Set(command.parameters.map(\.name)), "\(command.name)")
    }
    #expect(paths.values.map(\.count).reduce(0, +) == CommandDescription.all.count)
  }

  @Test func `/openapi.json has the shape of every answer, which may get more members later`() async throws {
    let paths = try #require(try await document()["paths"] as? [String: [String: [String: Any]]])
    func schema(_ command: CommandDescription) throws -> NSDictionary {
      let responses = paths[command.path]?[command.method.rawValue.lowercased()]?["responses"] as? [String: Any]
      let content = (responses?["200"] as? [String: Any])?["content"] as? [String: [String: Any]]
      return try #require(content?["application/json"]?["schema"] as? NSDictionary, "\(command.name)")
    }
    for command in CommandDescription.all {
      #expect(try ["object", "array"].contains(schema(command)["type"] as? String), "\(command.name)")
    }
    let reload = #"""
      {"type":"object","required":["logLevel","operatorsGroup","adminsGroup","restartNeeded"],"properties":{
        "logLevel":{"type":"string"},"restartNeeded":{"type":"array","items":{"type":"string"}},
        "operatorsGroup":{"anyOf":[{"type":"integer","format":"int64"},{"type":"null"}]},
        "adminsGroup":{"anyOf":[{"type":"integer","format":"int64"},{"type":"null"}]}}}
      """#
    #expect(try schema(.reload) == (JSONSerialization.jsonObject(with: Data(reload.utf8)) as? NSDictionary))
    let tick = (try schema(.schedulePreview)["items"] as? NSDictionary)?["properties"] as? NSDictionary
    #expect(tick?["instant"] as? NSDictionary == ["type": "string", "format": "date-time"])
    let next = try schema(.next)["items"] as? NSDictionary
    #expect(next?["required"] as? [String] == ["at", "key", "count"])
    #expect((next?["properties"] as? NSDictionary)?["schedule"] != nil)
  }
}
