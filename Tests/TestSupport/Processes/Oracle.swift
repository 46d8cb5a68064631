import Foundation
import Subprocess
import SystemPackage

/// A Python program of `Tests/Oracles`, asked what is right.
package enum Oracle {
  /// Runs it to its end and returns what it printed; throws what it complained of.
  package static func run(_ program: String, _ arguments: [String], input: String = "") async throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appending(path: "Oracles/\(program)").path()
    let done = try await Subprocess.run(
      .path("/usr/bin/env"), arguments: .init(["python3", path] + arguments), input: .string(input),
      output: .string(limit: 1 << 26), error: .string(limit: 1 << 20))
    guard done.terminationStatus.isSuccess else {
      throw Complaint(description: "\(program): \(done.standardError.suffix(5000))")
    }
    return done.standardOutput
  }

  package struct Complaint: Error, CustomStringConvertible {
    package let description: String
  }
}
