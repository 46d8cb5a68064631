import ControlAPI
import Foundation
import Testing

@Suite("/openapi.json")
struct OpenAPITests {
  @Test("is JSON, and describes every command with its level, parameters and problems")
  func document() async throws {
    let answer = try await Served.run { directory, _ async throws in
      try await run(["curl", "-s", "--unix-socket", directory.control, "http://x/openapi.json"]).output
    }
    let document = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
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
}
