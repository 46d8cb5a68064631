import Foundation
import TestSupport

/// wrk from Debian, with as many connections as there are callers.
struct WrkRun {
  let base: String
  let races: (first: Int64, count: Int64)

  func run(_ call: GatewayBench.Call, callers: Int, seconds: Int) async throws -> (rate: Double, p99: Double) {
    let directory = try ScratchDirectory()
    try call.tokens.joined(separator: "\n").write(
      toFile: directory.path + "/tokens", atomically: true, encoding: .utf8)
    try script(call, directory.path).write(
      toFile: directory.path + "/call.lua", atomically: true, encoding: .utf8)
    let text = try await output(
      "/usr/bin/wrk",
      ["-t2", "-c\(callers)", "-d\(seconds)s", "--latency", "-s", directory.path + "/call.lua", base])
    // The table above the distribution has percentages too.
    let distribution = text.range(of: "Latency Distribution").map { String(text[$0.upperBound...]) } ?? ""
    guard let rate = Self.number(text, after: "Requests/sec:"), let p99 = Self.duration(distribution, after: "99%")
    else {
      throw BenchError("wrk said nothing of use: \(text)")
    }
    guard !text.contains("Non-2xx"), !text.contains("Socket errors") else {
      throw BenchError("\(call.name): not all were answered with success: \(text)")
    }
    return (rate, p99)
  }

  /// Each thread takes its own tokens in turn.
  private func script(_ call: GatewayBench.Call, _ directory: String) -> String {
    """
    local threads = 0
    function setup(thread) thread:set("first", threads); threads = threads + 1 end
    local tokens = {}
    for line in io.lines("\(directory)/tokens") do tokens[#tokens + 1] = line end
    local count = 0
    function request()
      local headers = { ["Content-Type"] = "application/json" }
      if #tokens > 0 then
        headers["Authorization"] = "Bearer " .. tokens[(count * 2 + first) % #tokens + 1]
      end
      count = count + 1
      local path = string.format("\(call.path)", \(races.first) + (count * 2 + first) % \(races.count))
      return wrk.format("\(call.method)", path, headers, '\(call.body)')
    end
    """
  }

  private static func word(_ text: String, after mark: String) -> Substring? {
    guard let range = text.range(of: mark) else { return nil }
    return text[range.upperBound...].split { $0.isWhitespace }.first
  }

  private static func number(_ text: String, after mark: String) -> Double? {
    word(text, after: mark).flatMap { Double($0) }
  }

  /// In milliseconds.
  private static func duration(_ text: String, after mark: String) -> Double? {
    guard let word = word(text, after: mark) else { return nil }
    for (unit, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where word.hasSuffix(unit) {
      return Double(word.dropLast(unit.count)).map { $0 * factor }
    }
    return nil
  }
}

/// pgbench, with prepared statements.
struct PgbenchRun {
  let url: String

  /// Transactions a second.
  func rate(_ sql: String, clients: Int, seconds: Int) async throws -> Double {
    let text = try await run(sql, ["-c", "\(clients)", "-T", "\(seconds)"])
    guard let range = text.range(of: "tps = "),
      let rate = Double(text[range.upperBound...].prefix { $0.isNumber || $0 == "." })
    else { throw BenchError("pgbench reported no rate: \(text)") }
    return rate
  }

  /// The times of transactions that begin at a steady rate, in milliseconds, each from the instant it was to begin at.
  func times(_ sql: String, clients: Int, perSecond: Int, seconds: Int) async throws -> [Double] {
    let directory = try ScratchDirectory()
    _ = try await run(
      sql,
      ["-c", "\(clients)", "-T", "\(seconds)", "-R", "\(perSecond)", "-l", "--log-prefix", directory.path + "/log"])
    let logs = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let lines = try logs.flatMap {
      try String(contentsOfFile: "\(directory.path)/\($0)", encoding: .utf8).split(separator: "\n")
    }
    // The third column has microseconds.
    let times = lines.compactMap { $0.split(separator: " ").dropFirst(2).first.flatMap { Double($0) } }
    guard times.count == lines.count, !times.isEmpty else { throw BenchError("pgbench logged no times") }
    return times.map { $0 / 1_000 }.sorted()
  }

  /// Each client counts its transactions in `:n`.
  private func run(_ sql: String, _ options: [String]) async throws -> String {
    let directory = try ScratchDirectory()
    let script = directory.path + "/call.sql"
    try (sql + "\n").write(toFile: script, atomically: true, encoding: .utf8)
    let text = try await output(
      "/usr/lib/postgresql/15/bin/pgbench",
      ["-n", "-M", "prepared", "-j", "2", "-D", "n=0"] + options + ["-f", script, url])
    guard text.contains("number of failed transactions: 0 ") else {
      throw BenchError("pgbench had failed transactions: \(text)")
    }
    return text
  }
}

/// The output of a program, once it has ended well.
private func output(_ program: String, _ arguments: [String]) async throws -> String {
  let process = try SettledProcess(arguments, program: program)
  guard try await process.exit(within: .seconds(300)) == .code(0) else {
    throw BenchError("\(program) failed: \(process.errors.text)")
  }
  return process.output.text
}
