import Figures
import Postgres
import TestSupport

/// `deploy/bench ledger`: deposits beside the same transfers in three plain statements, and how long deposits take.
struct LedgerBench {
  let repetitions: Int
  let seconds: Int

  private static let clients = 8
  private static let athletes: Int64 = 10_000
  /// Deposits a second, for their times.
  private static let steady = 1_000

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    try await cluster.make("ledger")
    let owner = try await cluster.connect("ledger")
    try await Self.prepare(owner)
    for repetition in 1...repetitions {
      note("ledger: repetition \(repetition) of \(repetitions)")
      for wallets in [10, Self.athletes] {
        try await owner.execute("CHECKPOINT")
        let deposits = try await measure(
          deposit(wallets, repetition), "deposits, \(wallets) wallets", on: cluster, owner)
        try await owner.execute("CHECKPOINT")
        let plain = try await measure(plain(wallets, repetition), "plain, \(wallets) wallets", on: cluster, owner)
        report.add("\(wallets) wallets: deposits", "1/s", deposits.rate)
        report.add("\(wallets) wallets: three plain statements", "1/s", plain.rate)
        report.add("\(wallets) wallets: time of a deposit beside them", "x", plain.rate / deposits.rate)
        report.add("\(wallets) wallets: WAL of a deposit", "kB", deposits.log / 1_000)
        report.add("\(wallets) wallets: WAL beside them", "x", deposits.log / plain.log)
      }
      let times = try await PgbenchRun(url: cluster.url("ledger", user: "bench_app")).times(
        deposit(Self.athletes, repetition, "steady"), clients: Self.clients, perSecond: Self.steady, seconds: seconds)
      report.add("\(Self.steady) deposits a second: p50", "ms", times.at(0.5))
      report.add("\(Self.steady) deposits a second: p99", "ms", times.at(0.99))
    }
    try await Books.check(owner)
    await owner.close()
    return report
  }

  /// Transactions a second, and bytes of the write-ahead log for each.
  private func measure(
    _ script: String, _ name: String, on cluster: BenchCluster, _ owner: Connection
  ) async throws -> (rate: Double, log: Double) {
    let user = name.hasPrefix("deposits") ? "bench_app" : "postgres"
    let before = try await owner.logPosition()
    let rate = try await PgbenchRun(url: cluster.url("ledger", user: user)).rate(
      script, clients: Self.clients, seconds: seconds)
    return (rate, (try await owner.logPosition() - before) / (rate * Double(seconds)))
  }

  /// Each deposit has a key of its own.
  private func deposit(_ wallets: Int64, _ repetition: Int, _ part: String = "rate") -> String {
    """
    \\set athlete random(1, \(wallets))
    \\set n :n + 1
    SELECT racing.deposit(:athlete, 100, '\(part)/\(repetition)/\(wallets)/' || :client_id || '/' || :n);
    """
  }

  /// A journal, a balance, and two postings: what any ledger with keys has to write.
  private func plain(_ wallets: Int64, _ repetition: Int) -> String {
    """
    \\set wallet random(1, \(wallets))
    \\set n :n + 1
    BEGIN;
    INSERT INTO plain.journal (key, at) VALUES ('\(repetition)/\(wallets)/' || :client_id || '/' || :n, now()) RETURNING id AS journal \\gset
    UPDATE plain.wallet SET balance = balance + 100 WHERE id = :wallet RETURNING balance \\gset
    INSERT INTO plain.posting (journal_id, account, wallet_id, amount, balance)
      VALUES (:journal, 'external', NULL, -100, NULL), (:journal, 'wallet', :wallet, 100, :balance);
    COMMIT;
    """
  }

  private static func prepare(_ owner: Connection) async throws {
    try await owner.execute(
      """
      SELECT count(racing.create_athlete('Athlete ' || n, date '1990-01-01', 'female'))
      FROM generate_series(1, \(athletes)) AS n
      """)
    try await owner.script(
      """
      CREATE SCHEMA plain;
      CREATE TABLE plain.wallet (id bigint PRIMARY KEY, balance bigint NOT NULL DEFAULT 0) WITH (fillfactor = 70);
      INSERT INTO plain.wallet (id) SELECT n FROM generate_series(1, \(athletes)) AS n;
      CREATE TABLE plain.journal (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text COLLATE "C" NOT NULL UNIQUE, at timestamptz NOT NULL);
      CREATE TABLE plain.posting (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, journal_id bigint NOT NULL REFERENCES plain.journal,
        account text NOT NULL, wallet_id bigint REFERENCES plain.wallet, amount bigint NOT NULL, balance bigint);
      CREATE INDEX ON plain.posting (journal_id);
      CREATE INDEX ON plain.posting (wallet_id, id);
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
  }
}
