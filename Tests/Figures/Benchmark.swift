/// A benchmark of `deploy/bench`.
package enum Benchmark: String, CaseIterable, Codable, Sendable {
  case settle, corrections, ledger, idle, ticks, nodes, schedules, flags, reset, points, tokens, reads, gateway
  case dashboard
  case growthRaces = "growth-races"
  case growthDue = "growth-due"
  case growthSchedules = "growth-schedules"
  case growthNodes = "growth-nodes"
  case growthAchievements = "growth-achievements"
  case growthEvents = "growth-events"
  case growthAudit = "growth-audit"
  case growthReads = "growth-reads"
  case growthSimulatedNodes = "growth-simulated-nodes"

  package var isOfGrowth: Bool { rawValue.hasPrefix("growth-") }

  /// How it measures, in Markdown.
  package var method: String {
    switch self {
    case .settle:
      """
      1,000 races with 100 entries each become due at the same instant; then 10,000 races with 10, and 10 with 10,000.
      The daemon is a separate process. It sleeps until its timer fires and has no prepared statements.
      In each repetition, one hand-written statement settles a copy of the same database in a new session.
      Both produce the same entries, payouts and settlements, and leave the books balanced.
      Both copies are in memory and start after a checkpoint, so both write full pages to the WAL.
      Times run from the due instant, or from the start of the statement, to the commits in the WAL.
      Server times are from `pg_stat_statements` and include planning. WAL figures cover the whole server.
      With deposits: during the settlement, one caller deposits to the wallets and pauses 3 ms after each response.
      The deposits run once beside one lane and once beside two. They then repeat for ten athletes in no such race.
      With `--peers`, each job queue settles another copy: one worker process, one job per race, scheduled for the due
      instant. A job calls a function that settles one race by the same hand-written statement, with the same results.
      One client also calls this function for each race, one after the other.
      The settings in `Tests/Peers` are the fastest that each queue's documentation offers.
      """
    case .corrections:
      """
      The daemon settles a race with 1,000, 10,000 or 100,000 entries. Then an app disqualifies the winner's activity.
      The daemon corrects the race, and every rank changes.
      The settlement is measured from the due instant to its commit. The correction is measured from the commit of
      the decision to its own commit. The books show no differences.
      """
    case .ledger:
      """
      pgbench makes deposits with eight clients and prepared statements for ten seconds, to 10 wallets and to 10,000.
      Each deposit has a separate key. Then it makes the same transfers without settled's schema: one transaction
      inserts a journal with a unique key, updates a balance, and inserts two postings.
      WAL figures cover the whole server, and start after a checkpoint.
      For the response times, pgbench starts 1,000 deposits per second. Each time runs from the planned start.
      The books show no differences afterwards.
      """
    case .idle:
      """
      96 races are running, and there is a person in every time zone. Nothing is due except days that end in the
      measured time.
      Startup is measured from the fork to the READY message. The first start on a database installs the daemon's
      schedules, and is measured once. Idle cost is measured for 60 s, starting 12 s later.
      Autovacuum is off, because its transactions would be counted.
      With `--peers`, a worker of each job queue rests on an empty database, with the documented defaults. pg_cron rests
      with 50 schedules that are not due; its processor time and memory are those of its launcher.
      """
    case .ticks:
      """
      There are 500 instants within one minute. Lateness is the time from an instant to its commit in the WAL.
      Races: each of 500 races is due at a random instant.
      Schedules: 50 SQL schedules tick every six seconds, eight or nine in each second. Their sessions are already open.
      With `--peers`, each job queue has a job for each race, scheduled for its due instant. pg_cron runs 50 schedules at
      one full minute, in background workers; each inserts a row.
      """
    case .nodes:
      """
      One daemon runs on a database, and four run on another. The benchmark counts transactions per tick of a no-op SQL
      schedule, which ticks every two seconds. On two more databases it counts transactions per write to a race. The
      writes happen twice a second and make nothing due. All four run at the same time.
      The transactions of a preceding idle period, and those of the writes, are subtracted.
      """
    case .schedules:
      """
      200 SQL schedules tick at the same instant, out of 200 or 5,000 schedules, with 3 or 20 partitions of history.
      Each partition has 20,000 occurrences. The functions do nothing. A dozen sessions are already open.
      The time per run is the time from the instant to the last commit, divided by 200.
      """
    case .flags:
      """
      Eight callers flag 10,000 activities ten times each, in random order, as fast as they can.
      The delay is the time from the commit of an activity's third flag to the commit that sets `under_review`.
      """
    case .reset:
      """
      1,000,000 people are spread over all zones, with a tenth of them in each of four zones. The day ends in one zone.
      1, 10 or 50 % of its people have not checked in, so their streaks end. The daemon sleeps until its timer fires.
      For 10 %, a hand-written statement makes the same writes in a copy, in a new session.
      Both produce the same streaks, days and zones.
      "Just before": the other 90 % of the zone check in at the last moment, and no vacuum has run since then.
      "Growth": 50 % are closed in chunks, 1 % in a single chunk.
      "Nothing ends": the day ends in all other zones at the same instant, and everyone there has checked in.
      Times run from the end of the day, or from the start of the statement, to the last commit.
      """
    case .points:
      """
      Sixteen callers earn points 500 times each, as fast as they can. First, all of them earn for one team, which
      reaches twenty rewards. Then each earns for a separate team. The daemon runs at the same time.
      A reward's delay is the time from the commit of the points that reached it to the commit that records it.
      The totals match the points ledger.
      """
    case .tokens:
      """
      10,000 athletes connect with codes at the same instant. Later, all their tokens become due at the same instant.
      A fake Strava server on the same machine responds to each call after 5 ms.
      Then 50 connections become due among 1,000, and later among 1,000,000, that are not due. The benchmark measures
      the statement that finds due connections, the claim, and the idle cost of the daemon.
      The daemon syncs each reply to disk before it writes it to the database.
      """
    case .reads:
      """
      1,000 reads for 100 athletes are requested at the same instant. A tenth of them are for results, and the rate
      limits are 10,000. A fake Strava server on the same machine responds to each call after 5 ms.
      Reads for results come first.
      """
    case .gateway:
      """
      For each route, wrk sends requests to `settled-gateway` on 64 connections for five seconds.
      Then pgbench makes the same calls to the schema `gateway` with 64 clients and prepared statements.
      There are 96 races with 100 entries each, 64 of them open. Each entry and each check-in is made by a different
      person with a separate token. The gateway's pool has 16 connections. The load generators share the two cores.
      """
    case .dashboard:
      """
      A race has 10,000 entries, 2,000 activities are under review, and a schedule has 100,000 occurrences.
      The benchmark requests each screen through `settlectl dashboard`, without a cache. It measures the time to the
      last byte, and the size.
      Then 200 reads from the socket alternate with the same reads through the relay.
      At rest, one tab keeps its stream open for ten seconds without sending requests.
      Debian's Chromium opens each screen. Times run from the start of navigation to the first paint, to the first
      part of the screen, and to the last part. All screens paint the same page frame first, so the first-paint
      target applies to the median of all screens.
      """
    case .growthRaces:
      """
      The daemon settles and corrects one race with 100 to 1,000,000 entries, as in corrections. The books are compared
      up to 100,000 entries. Progress lines show which of the daemon's statements took the server's time for both.
      """
    case .growthDue:
      """
      1,000 to 10,000,000 races are not due, a tenth of them ended. 30 races with 10 entries become due one after the
      other. The mean time of the statement that looks for due work is from `pg_stat_statements`, with planning.
      """
    case .growthSchedules:
      """
      100 to 10,000 SQL schedules tick at the same instant. The functions do nothing. A dozen sessions are already open.
      The time runs from the instant to the last commit.
      """
    case .growthNodes:
      """
      Five databases have 1, 2, 4, 8 and 16 daemons, and all run at the same time. The benchmark counts transactions per
      tick of a no-op SQL schedule, which ticks every two seconds.
      """
    case .growthAchievements:
      """
      There are 1,000 to 1,000,000 users with five books each. One caller reports a metric and checks, for 200 users.
      Then a new achievement requires five books, so all users unlock it.
      That time runs from the definition's commit to the last unlock's.
      """
    case .growthEvents:
      """
      1,000 to 10,000,000 events are stored. A session writes an event, and numbers it as the daemon does, 100 times.
      An app reads 100 events from the middle, 100 times.
      """
    case .growthAudit:
      """
      The audit log has 1,000 to 10,000,000 commands. A client reads pages through the control socket, 100 times each.
      The pages have the newest commands, two commands of a user who ran one in 500, and ten on one of 100 targets.
      """
    case .growthReads:
      """
      There are 1,000 to 1,000,000 athletes, and 96 races with 100 entries. wrk sends each request to `settled-gateway`
      on eight connections. The time of a request is the inverse of the rate.
      """
    case .growthSimulatedNodes:
      """
      1 to 64 nodes run in virtual time over a model of the database: `deploy/simulate --nodes 16 --cost`.
      300 items become due, one per second. In other runs, nothing is due for ten minutes, or 10,000 items at once.
      A message to the simulated server takes 0.1 to 0.6 ms, and one in a hundred takes 20 times as long.
      """
    }
  }
}
