import HostProcess
import Daemon
import Foundation
import Gateway
import TestSupport
import Testing

/// A page of `deploy/man`, as its readers see it: without the marks of fonts.
private struct Page {
  let text: String
  let path: String

  init(_ name: String) throws {
    path = Self.deploy.appendingPathComponent("man/\(name)").path
    text = try String(contentsOfFile: path, encoding: .utf8)
      .replacing(/\\f[BIRP]/, with: "").replacing(#"\-"#, with: "-")
  }

  static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("deploy")

  /// The text after a tag, up to the next one of the same depth; nil where there is no such tag.
  func paragraph(_ tag: String) -> Substring? {
    guard let start = text.range(of: "\n.TP\n\(tag) ") ?? text.range(of: "\n.TP\n\(tag)\n") else { return nil }
    let rest = text[start.upperBound...]
    let ends = ["\n.TP\nsettle", "\n.SH "].compactMap { rest.range(of: $0)?.lowerBound }
    return rest[..<(ends.min() ?? rest.endIndex)]
  }

  /// The text after an option's tag within a paragraph.
  static func text(of option: String, in paragraph: Substring) -> Substring? {
    let tag = "\n.TP\n\(option)\n"
    guard let start = paragraph.range(of: tag)?.upperBound else { return nil }
    let rest = paragraph[start...]
    return rest[..<(rest.range(of: "\n.RE")?.lowerBound ?? rest.endIndex)]
  }

  /// The words that begin with two hyphens.
  var options: Set<String> { Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.0) }) }
}

/// The commands of a program, as it describes itself.
private struct Described: Decodable {
  struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { let name: String }
      let kind: String
      let preferredName: Name?
      let valueName: String?
      let abstract: String?
    }

    let commandName: String
    let abstract: String?
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// Each command that does something.
    func leaves(_ path: [String]) -> [Leaf] {
      let inner = (subcommands ?? []).filter { $0.commandName != "help" }
      guard inner.isEmpty else { return inner.flatMap { $0.leaves(path + [$0.commandName]) } }
      let all = arguments ?? []
      return [
        Leaf(
          words: path.joined(separator: " "), summary: abstract ?? "",
          options: all.compactMap { $0.preferredName.map { "--\($0.name)" } },
          values: all.filter { $0.kind == "positional" }.compactMap(\.valueName),
          meanings: all.compactMap { argument in
            argument.preferredName.map { ("--\($0.name)", argument.abstract ?? "") }
          }
        )
      ]
    }
  }

  /// A command that does something: its words, its options with their meanings, its arguments.
  struct Leaf {
    let words: String
    let summary: String
    let options: [String]
    let values: [String]
    let meanings: [(option: String, text: String)]
  }

  let command: Command

  static func leaves(of program: String) async throws -> [Leaf] {
    let path = SettledProcess.built(program)
    let dump = try await SettledProcess(["--experimental-dump-help"], program: path).finished()
    return try JSONDecoder().decode(Described.self, from: Data(dump.output.utf8)).command.leaves([program])
  }
}

@Suite("The manual pages") struct ManualTests {
  private static let common: Set<String> = ["--json", "--socket", "--help", "--version", "--config", "--h"]

  @Test(arguments: [("settlectl.1", "settlectl"), ("settled.8", "settled"), ("settled-gateway.8", "settled-gateway")])
  func `the manual pages name every command with its options and arguments, and no others`(
    name: String, program: String
  ) async throws {
    let page = try Page(name)
    let leaves = try await Described.leaves(of: program)
    #expect(leaves.count >= 3)
    for leaf in leaves {
      let paragraph = try #require(page.paragraph(leaf.words), "\(leaf.words) is not in \(name)")
      for word in leaf.options where !Self.common.contains(word) {
        #expect(paragraph.contains(word), "\(leaf.words) \(word) is not in \(name)")
      }
      for value in leaf.values { #expect(paragraph.contains(value), "\(leaf.words) \(value) is not in \(name)") }
    }
    for option in Self.common where leaves.contains(where: { $0.options.contains(option) }) {
      #expect(page.text.contains(option), "\(option) is not in \(name)")
    }
    let known = Self.common.union(leaves.flatMap(\.options)).union(["--no-roles"])
    #expect(page.options.subtracting(known).isEmpty, "\(page.options.subtracting(known)) in \(name)")
  }

  @Test func `the manual pages repeat settlectl's help, levels included`() async throws {
    let page = try Page("settlectl.1")
    for leaf in try await Described.leaves(of: "settlectl") {
      let paragraph = try #require(page.paragraph(leaf.words), "\(leaf.words)")
      #expect(leaf.summary.wholeMatch(of: /.+\. \[(read|operate|admin)\]/) != nil, "\(leaf.words): \(leaf.summary)")
      #expect(paragraph.contains("\n\(leaf.summary)"), "\(leaf.words): \(leaf.summary)")
      for (option, text) in leaf.meanings where !Self.common.contains(option) {
        #expect(Page.text(of: option, in: paragraph) == text[...], "\(leaf.words) \(option): \(text)")
      }
    }
  }

  @Test(arguments: ["settlectl.1", "settled.8"])
  func `the manual pages name every exit code`(name: String) throws {
    let status = try #require(try Page(name).text.split(separator: ".SH EXIT STATUS").last)
    let codes = status.prefix { $0 != "$" }.matches(of: /\n\.TP\n\.B (\d+)\n/).compactMap { Int32($0.1) }
    #expect(codes == ExitCode.allCases.map(\.rawValue))
  }

  @Test func `the manual pages name every configuration key with its default, and no others`() throws {
    let page = try Page("settled.conf.5")
    let section = try #require(page.text.split(separator: ".SH KEYS").last?.split(separator: ".SH EXAMPLE").first)
    let named = Set(section.matches(of: /\n\.TP\n\.B ([a-z_]+)\n/).map { String($0.1) })
    #expect(named == Set(DaemonKey.allCases.map(\.rawValue)))
    for key in DaemonKey.allCases {
      guard let value = key.defaultValue, !value.isEmpty else { continue }
      #expect(section.contains(value), "the default of \(key.rawValue) is not told")
    }
    let sample = try String(contentsOf: Page.deploy.appendingPathComponent("settled.conf"), encoding: .utf8)
    let sampled = Set(sample.matches(of: /(?m)^#([a-z_]+) =/).map { String($0.1) })
    #expect(sampled == named, "the sample configuration")
  }

  @Test func `the manual pages name every gateway key with its default, and no others`() throws {
    let page = try Page("settled-gateway.8")
    let section = try #require(page.text.split(separator: ".SH KEYS").last?.split(separator: ".SH BEHAVIOUR").first)
    let named = Set(section.matches(of: /\n\.TP\n\.B ([a-z_]+)\n/).map { String($0.1) })
    #expect(named == Set(GatewayKey.allCases.map(\.rawValue)))
    let sample = try String(contentsOf: Page.deploy.appendingPathComponent("gateway.conf"), encoding: .utf8)
    #expect(Set(sample.matches(of: /(?m)^#([a-z_]+) =/).map { String($0.1) }) == named, "the sample configuration")
    for key in GatewayKey.allCases {
      guard let value = key.defaultValue, !value.isEmpty else { continue }
      #expect(section.contains(value), "the default of \(key.rawValue) is not told")
      #expect(sample.contains("\n#\(key.rawValue) = \(value)\n"), "the sample of \(key.rawValue)")
    }
  }

  @Test func `the manual pages are those that the units name`() throws {
    let folder = Page.deploy.appendingPathComponent("systemd")
    var pages: Set<String> = []
    for unit in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where unit.hasSuffix(".service") || unit.hasSuffix(".socket") {
      let text = try String(contentsOf: folder.appendingPathComponent(unit), encoding: .utf8)
      let named = text.matches(of: /man:([a-z.-]+)\((\d)\)/).map { "\($0.1).\($0.2)" }
      #expect(!named.isEmpty, "\(unit) names no page")
      pages.formUnion(named)
    }
    let present = try FileManager.default.contentsOfDirectory(atPath: Page.deploy.appendingPathComponent("man").path)
    #expect(pages == Set(present))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "groff is not installed"))
  func `the manual pages are formatted without a warning`() async throws {
    for name in ["settled.8", "settlectl.1", "settled.conf.5", "settled-gateway.8"] {
      let path = try Page(name).path
      let groff = try SettledProcess(["-man", "-ww", "-Tutf8", "-P-cbou", path], program: "/usr/bin/groff")
      let finished = try await groff.finished()
      #expect(finished.exit == .code(0))
      #expect(finished.errors.isEmpty, "\(finished.errors)")
      #expect(finished.output.hasPrefix("SETTLE"))
    }
  }
}
