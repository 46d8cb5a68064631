import Foundation
import TestSupport
import Testing

/// deploy/third-party, whose output the packages have as /usr/share/doc/settled/THIRD-PARTY.
@Suite("Licences of linked packages") struct ThirdPartyTests {
  private static let programs = URL(filePath: SettledProcess.program).deletingLastPathComponent().path()

  private static func list(_ directory: String, _ programs: String...) async throws -> Finished {
    let script = Checkout.root.appending(path: "deploy/third-party").path()
    return try await SettledProcess([directory] + programs, program: script).finished()
  }

  @Test(.enabled(if: SwiftToolChain.absence == nil, "\(SwiftToolChain.absence ?? "")"))
  func `each package that a program links is listed with its version, licence and notice`() async throws {
    let daemon = try await Self.list(Self.programs, "settled", "settlectl")
    #expect(daemon.exit == .code(0), "\(daemon.errors)")
    let gateway = try await Self.list(Self.programs, "settled-gateway")
    #expect(gateway.exit == .code(0), "\(gateway.errors)")
    for name in ["async-http-client", "swift-nio", "swift-nio-ssl", "swift-argument-parser", "swift-log"] {
      #expect(daemon.output.contains(try Regex("\n  \(name) [0-9.]+\n")), "\(name)")
      #expect(daemon.output.contains(try Regex("\n\(name) [0-9.]+: LICENSE.txt\n")), "\(name)")
    }
    for name in ["jwt-kit", "swift-crypto", "swift-certificates", "hummingbird", "swift-subprocess"] {
      #expect(gateway.output.contains(try Regex("\n  \(name) [0-9.]+\n")), "\(name)")
    }
    // The daemon signs nothing, and the gateway calls nobody.
    #expect(!daemon.output.contains("\n  jwt-kit ") && !gateway.output.contains("\n  async-http-client "))
    for text in ["Apache License", "The SwiftNIO Project", "Sources/CNIOLLHTTP/LICENSE", "Swift's libraries"] {
      #expect(daemon.output.contains(text), "\(text)")
    }
  }

  /// A build that links one module of a package.
  private static func build(in directory: String, files: [String: String]) throws {
    let module = "\(directory)/build/Parts.build"
    let source = "\(directory)/checkouts/swift-nio/Sources/Parts/Parts.swift"
    let all = [
      "build/settled.product/Objects.LinkFileList": "\(module)/Parts.swift.o\n",
      "build/Parts.build/output-file-map.json": #"{"": {}, "\#(source)": {}}"#,
      "checkouts/swift-nio/Sources/Parts/Parts.swift": "",
    ].merging(files) { $1 }
    for (path, text) in all {
      let file = URL(filePath: "\(directory)/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  @Test(arguments: [
    ([:], "swift-nio has no licence"),
    (["checkouts/swift-nio/NOTICE.txt": "a notice"], "swift-nio has no licence"),
    (["build/Parts.build/output-file-map.json": #"{"/elsewhere/Parts.swift": {}}"#], "neither in a checkout"),
  ])
  func `the list fails where a linked package has no licence or a module has no known source`(
    files: [String: String], error: String
  ) async throws {
    let directory = try ScratchDirectory()
    try Self.build(in: directory.path, files: files)
    let failed = try await Self.list(directory.path + "/build", "settled")
    #expect(failed.exit == .code(1) && failed.errors.contains(error), "\(failed.errors)")
  }

  @Test func `the list fails where a program was not built`() async throws {
    let failed = try await Self.list("/usr/bin", "settled")
    #expect(failed.exit == .code(1) && failed.errors.contains("no list of what settled links"), "\(failed.errors)")
  }
}
