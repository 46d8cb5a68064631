import ControlAPI
import Foundation
import Subprocess
import TestSupport
import Testing

@Suite("Catalogues", .timeLimit(.minutes(2))) struct CatalogueTests {
  /// Folders such as `Sources/Racing/Racing.docc`.
  static let catalogues = Set(
    ((try? RulePage.all()) ?? [:]).values.map { $0.split(separator: "/").dropLast().joined(separator: "/") }
  ).sorted()

  @Test func `every module with rules has a catalogue`() throws {
    let wanted = [
      "Accounts", "Achievements", "CheckIns", "ControlServer", "Daemon", "Engine", "Gateway", "Postgres", "Racing",
      "Seasons", "Strava",
    ]
    let names = Self.catalogues.map { String($0.split(separator: "/")[1]) }
    #expect(Set(names).isSuperset(of: wanted))
    for (catalogue, name) in zip(Self.catalogues, names) {
      #expect(catalogue == "Sources/\(name)/\(name).docc")
      #expect(try Checkout.text("\(catalogue)/\(name).md").contains("@TechnologyRoot"), "\(catalogue)")
    }
  }

  @Test(arguments: catalogues)
  func `catalogues use only markup that DocC accepts, links and sections included`(catalogue: String) async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let done = try await Subprocess.run(
      .name("docc"),
      arguments: [
        "convert", "--warnings-as-errors", "--output-path", scratch.path(),
        Checkout.root.appending(path: catalogue).path(),
      ],
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    #expect(done.terminationStatus.isSuccess, "\(done.standardOutput)\(done.standardError)")
  }

  @Test func `pages and README have no sentence of more than 25 words`() throws {
    let others = (["README.md"] + Prose.others).map { (key: $0, value: $0) }
    for (name, path) in try RulePage.all().map({ (key: $0, value: $1) }) + others {
      let prose = try Checkout.text(path).replacing(/```[^`]*```/, with: "").replacing(/(?m)^\|.*$/, with: "")
        .replacing(/`[^`]*`/, with: "code").replacing(/(?m)^#.*$/, with: "")
      for paragraph in prose.replacing(/\n(?=\s*(?:[-*]|\d+\.) )/, with: "\n\n").components(separatedBy: "\n\n") {
        let joined = paragraph.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let sentences = joined.replacing(/([.!?:;])\s/) { "\($0.1)\n" }
        for sentence in sentences.split(separator: "\n") {
          let words = sentence.split(separator: " ").count { $0.contains { $0.isLetter || $0.isNumber } }
          #expect(words <= 25, "\(name): \(sentence)")
        }
      }
    }
  }

  @Test func `the page of guarantees has each job`() throws {
    let page = try Checkout.text("Sources/Engine/Engine.docc/Guarantees.md")
    let jobs = try Checkout.paths("Sources", ["swift"]).filter { $0.hasSuffix("Job.swift") }.flatMap { path in
      try Checkout.text(path).matches(of: /let name = "([a-z-]+)"/).map { String($0.1) }
    }
    #expect(jobs.count >= 10)
    for job in jobs { #expect(page.contains("`\(job)`"), "\(job)") }
  }

  @Test func `catalogues list each exit code`() throws {
    let rows = try RulePage("ControlServer.docc/ExitCodes.md").rows("Overview")
    #expect(try rows.map { Int32(try $0.integer("code")) } == ControlExit.allCases.map(\.rawValue))
  }
}
