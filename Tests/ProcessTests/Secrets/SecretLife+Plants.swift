import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// Secrets put where none may be, to see that the search finds them.
extension SecretLife {
  /// Where the search must find what `plant` puts there.
  static let planted: Set<String> = [
    "postgres settled.problem: accessToken", "secret_reader settled.problem: accessToken",
    "postgres public.planted: refreshToken", "pg_stat_activity: code", "log: code", "stdout of planted: clientSecret",
    "stderr of planted: tokenKey", "spool: tokenKey",
  ]

  /// Plants one secret of each kind; returns them.
  func plant() async throws -> [Needle] {
    let issued = try await provider.secrets()
    let access = try #require(issued.last { $0.hasPrefix("at_") })
    let refresh = try #require(issued.last { $0.hasPrefix("rt_") })
    let code = try #require(issued.last { $0.hasPrefix("ac_") })
    // 1. In a problem, which readers see; as bytes in a table of somebody's own.
    try await run("INSERT INTO settled.problem (name, problem, since) VALUES ('planted', 'token \(access)', now())")
    try await run("CREATE TABLE public.planted AS SELECT convert_to('\(refresh)', 'UTF8') AS bytes")
    // 2. In a statement's text: the session shows it, and the server's log.
    let session = try await Connection.connect(ConnectionOptions(url: cluster.url(), applicationName: "planted"))
    try await session.script("SELECT '\(code)'")
    haystack.add("pg_stat_activity", try await statements().joined(separator: "\n"))
    await session.close()
    try addServerLog("log")
    // 3. In what a program says, coded; and in a file, as the bytes that it stands for.
    let basic = Data("1:\(provider.clientSecret)".utf8).base64EncodedString()
    haystack.add("stdout of planted", "Authorization: Basic \(basic)")
    let key = try #require(Data(base64Encoded: keys[1]))
    haystack.add("stderr of planted", "key " + key.map { String(format: "%02X", $0) }.joined())
    haystack.add("spool", Array(key))

    try await addTables()
    return [
      Needle(issued: access), Needle(issued: refresh), Needle(issued: code),
      Needle(.clientSecret, provider.clientSecret), Needle(.tokenKey, keys[1]),
    ]
  }
}
