import Foundation
import TestSupport

/// A program that was run to its end.
struct Ended: Sendable {
  let code: Int32
  let output: String
  let errors: String
}

/// Runs a program, found along the path, with nothing of our environment but the path.
func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Ended {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = arguments
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  process.environment = environment.merging(["PATH": path]) { given, _ in given }
  let (output, errors) = (Pipe(), Pipe())
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output
  process.standardError = errors
  try process.run()
  let (outputHandle, errorsHandle) = (output.fileHandleForReading, errors.fileHandleForReading)
  async let said = offPool { outputHandle.readDataToEndOfFile() }
  async let complained = offPool { errorsHandle.readDataToEndOfFile() }
  let texts = (String(decoding: await said, as: UTF8.self), String(decoding: await complained, as: UTF8.self))
  await offPool { process.waitUntilExit() }
  return Ended(code: process.terminationStatus, output: texts.0, errors: texts.1)
}

/// The real settlectl, which is built beside the test bundle.
let settlectl: String = {
  let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("settlectl").path
  precondition(FileManager.default.isExecutableFile(atPath: path), "settlectl is not built: \(path)")
  return path
}()
