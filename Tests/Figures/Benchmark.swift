/// A benchmark of `deploy/bench`.
package enum Benchmark: String, CaseIterable, Codable, Sendable {
  case settle, corrections, idle, ticks, nodes, schedules, flags, reset, points, tokens, reads, gateway, dashboard

  /// How it measures, in Markdown.
  package var method: String {
    switch self {
    case .settle:
      """
      1,000 races of 100 entries fall due at one instant; then 10,000 races of 10, and 10 races of 10,000.
      The daemon is a separate process. It sleeps until its timer, with no statement prepared.
      In each repetition, one hand-written statement settles a copy of the same database in a new session.
      Both leave the same entries, payouts and settlements, and books without a difference.
      Both copies are in memory and begin after a checkpoint, so both write full pages to the WAL.
      The time is from the due instant, or the start of the statement, to the commits in the WAL.
      Server times are those of `pg_stat_statements`, planning included. WAL figures are of the whole server.
      With deposits: one caller deposits to the wallets meanwhile, 3 ms after each answer.
      """
    case .corrections:
      """
      The daemon settles a race of 1,000, 10,000 or 100,000 entries. Then an app disqualifies the winner's activity.
      The daemon corrects the race: every rank changes.
      The settlement takes from the due instant to its commit. The correction takes from the commit of the decision
      to its commit. The books have no difference.
      """
    case .idle:
      """
      96 races run, every time zone has a person, and nothing is due but the days that end meanwhile.
      The start takes from the fork to the message READY. The rest is measured for 60 s, from 12 s after it.
      Autovacuum is off, because its transactions would count.
      """
    case .ticks:
      """
      500 instants fall into a minute. The lateness is from an instant to its commit in the WAL.
      Races: each of 500 races is due at a random instant.
      Schedules: 50 SQL schedules tick every six seconds, eight or nine on each second. Their sessions are open before.
      """
    case .nodes:
      """
      One daemon, then four on one database. Counted are the transactions for each tick of a SQL schedule that does
      nothing, every two seconds, and for each write to a race that makes nothing due, twice a second.
      The transactions of an idle period before, and those of the writes, are subtracted.
      """
    case .schedules:
      """
      200 SQL schedules tick at one instant, among 200 or 5,000 schedules, and with 3 or 20 partitions of history.
      A partition has 20,000 occurrences. The functions do nothing. A dozen sessions are open at the instant.
      The time of a run is from the instant to the last commit, divided by 200.
      """
    case .flags:
      """
      Eight callers flag 10,000 activities ten times each, in random order, as fast as they can.
      The delay is from the commit of an activity's third flag to the commit that sets `under_review`.
      """
    case .reset:
      """
      1,000,000 people live in all zones, a tenth of them in each of four. The day of one zone ends.
      1, 10 or 50 % of its people have not checked in, so their streaks end. The daemon sleeps until its timer.
      For 10 %, a hand-written statement makes the same writes in a copy, in a new session.
      Both leave the same streaks, days and zones.
      "Just before": the other 90 % of the zone check in at the last moment, and no vacuum has run since.
      "Growth": 50 % are closed in pieces, 1 % at once.
      "Nothing ends": the day of all other zones ends at one instant, and nobody has missed it.
      Times are from the end of the day, or the start of the statement, to the last commit.
      """
    case .points:
      """
      Sixteen callers earn points 500 times each, as fast as they can. First all earn for one team, which reaches
      twenty rewards meanwhile. Then each earns for a separate team. The daemon runs beside them.
      The delay of a reward is from the commit of the points that reached it to the commit that recorded it.
      The totals equal the ledger of points.
      """
    case .tokens:
      """
      10,000 athletes arrive with codes at one instant. Later all their tokens are due at one instant.
      A stand-in for Strava on the same machine answers each call after 5 ms.
      Then 50 connections live among 1,000, and among 1,000,000, that are not due. Measured are the statement that
      finds the due ones, the claim, and the cost of the idle daemon.
      The daemon syncs each reply to the disk before it writes it to the database.
      """
    case .reads:
      """
      1,000 reads of 100 athletes are requested at one instant, a tenth of them for results, under limits of 10,000.
      A stand-in for Strava on the same machine answers each call after 5 ms. Reads for results come first.
      """
    case .gateway:
      """
      wrk sends requests to `settled-gateway` on 64 connections, for five seconds each.
      Then pgbench makes the same calls of the schema `gateway` with 64 clients and prepared statements.
      96 races have 100 entries, and 64 of them are open. Each entry and each check-in is by a different person with
      their own token. The gateway's pool has 16 connections. The load shares the two cores.
      """
    case .dashboard:
      """
      A race has 10,000 entries, 2,000 activities are under review, and a schedule has 100,000 occurrences.
      Each screen is requested through `settlectl dashboard`, without a cache: the time to the last byte, and the size.
      Then 200 reads of the socket alternate with the same reads through the relay.
      At rest, one tab keeps its stream open and requests nothing, for ten seconds.
      Debian's Chromium opens each screen. The times are from the start of the navigation to the first paint, to the
      first part of the screen, and to the last one.
      """
    }
  }
}
