import Engine
import Operations
import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Every statement of racing")
struct StatementTests {
  private static let now = Timestamp(microseconds: 0)
  private static let range = InstantRange(from: now, to: Timestamp(microseconds: 1))

  /// A race whose entries have these scores.
  private static func input(scores: [Int64?]) throws -> SettlementInput {
    let entries = scores.enumerated().map { index, score in
      let best = score.map { BestScore(score: $0, activityId: Int64(index + 1)) }
      return EntryInput(
        id: Int64(101 + index), athleteId: Int64(index + 1), enteredAt: now, fee: Pence(100), minScore: best,
        maxScore: best)
    }
    return SettlementInput(
      raceId: 7, type: .topSpeed, shares: try PrizeShares(75, 20, 5), percent: try Percent(hundredths: 100),
      entryFee: Pence(100), dueAt: now, holdUntil: now, entries: entries, held: [], now: now)
  }

  private static var settled: RevisionRow {
    get throws {
      let input = try input(scores: [5, 4, nil])
      return RevisionRow(
        raceId: 1, number: 1, result: try Settlement.settle(input), inputHash: "a", counted: [1, 2],
        held: [], journalKey: "a")
    }
  }

  private static let draft = JournalDraft(
    kind: .correction, key: "a", raceId: 1, description: "b", pool: Pence(1), platform: Pence(1),
    lines: [LedgerLine(athleteId: 1, entryId: 1, amount: Pence(-2), repaysFirst: true)])

  /// A journal of every kind of posting.
  private static var booked: [Statement] {
    get throws {
      let plan = try PostingPlan([draft], wallets: [1: WalletState(balance: Pence(1), receivable: .zero)])
      return LedgerStatements.journals([draft], at: now).map(\.statement)
        + LedgerStatements.statements(plan).map(\.onServer)
    }
  }

  private static var statements: [Statement] {
    get throws {
      let (settled, ids) = (try settled, [Int64(1), 2])
      let outcomes = settled.result.ranking.map { EntryUpdate($0, isVoid: false, before: .entered) }
      let flagged = Escalation(
        .init(
          activityId: 1, athleteId: 1, flagCount: 3, isFree: true, threshold: 3,
          review: .init(id: 1, level: 0, openedAt: now, reminders: [now])), at: now)
      let request = LockRequest<Int64>(limit: 1, mode: .skipLocked, except: [7])
      let activity = ValidationJob.Activity(
        id: 1, verdict: .rejected([.gps], Scores(ActivityMeasures(distance: 1, elapsedTime: 1, movingTime: 1))))
      let race = Lifecycle.Input(raceId: 1, startsAt: now, endsAt: now, dueAt: now)
      return [
        ActivityContent.statement(ids), ActivityContent.streams(1), ActivityContent.hashes(ids),
        AffectedRaces.lock(activities: ids), AffectedRaces.checkAgain(activities: ids),
        ValidationJob().lock(request), ValidationRows.write([activity]),
        LifecycleJob().lock(request), LifecycleRows.races(ids),
        LifecycleRows.update([Lifecycle(race, at: now)]), LifecycleRows.emit([Lifecycle(race, at: now)], at: now),
        SettlementJob().lock(request), SettlementJob().lock(LockRequest<Int64>(limit: 1, remembersKeys: true)),
        SettleOneStatements.lockOne(1),
        SettleOneStatements.status(of: 1), SettleOneStatements.dueNow(1, now: now),
        SettleOneStatements.clearFailures(1),
        RaceRow.statement(.these(ids)), SettlementGather.refunds(.these(ids)),
        SettlementRows.entries(.these(ids), statuses: [.ended]),
        SettlementRows.candidates(.these(ids), statuses: [.ended]), SettlementRows.unlisted(.these(ids)),
        CorrectionRows.revisions(ids), CorrectionRows.entries(ids), CorrectionRows.candidates(ids),
        ReinstatedEntryRows.statement(ids), SettlementStatements.reinstated(ids),
        SettlementStatements.wait(1, until: now, for: ids), SettlementStatements.refunded(ids),
        SettlementStatements.entries(outcomes[...]), SettlementStatements.settlements([settled], at: now),
        SettlementStatements.payouts([settled]), SettlementStatements.settled(ids),
        SettlementStatements.clearMarks(ids),
        SettlementStatements.events([settled], at: now), LedgerStatements.lockWallets(ids),
        CancelStatements.fees(1), CancelStatements.entries(ids), CancelStatements.race(1),
        RaceOrderStatements.replace(by: .cancelling(1, reason: "a"), at: now), RaceOrderStatements.shown(1),
        RaceOrderStatements.clearFailure(1),
        RaceOrderStatements.add(.cancelling(1, reason: "a"), at: now), RaceOrderStatements.orders(ids),
        RaceOrderStatements.finish(1, .done(JSON(text: "{}")), at: now), RaceOrderStatements.state(of: 1),
        RaceOrderJob.orders.soonest(1), RaceOrderJob.orders.lock(request, job: RaceOrderJob.jobName),
        CancelStatements.event(1, reason: "a", refunded: Pence(1), at: now),
        EscalationJob().lock(request), EscalationRows.activities(ids),
        AffectedRaces.lockFree(ids, onlyWaiting: true), AffectedRaces.pairs(ids, onlyWaiting: false),
        LedgerStatements.lockFreeWallets(ids), LedgerStatements.wallets(ids), EscalationRows.move(ids),
        EscalationRows.open(ids, at: now), EscalationRows.raise([flagged]),
        EscalationRows.emit([flagged], at: now), EscalationRows.emit([flagged.activity], at: now),
        ReviewList.statement(after: 1, limit: 1), ReviewPreview.fields(1),
        ReviewPreview.people(of: 1, entries: [1], athletes: [1]),
        RaceExplanation.goneBack(1),
        ReviewPreview.status(of: 1), ReviewPreview.refusals(1), ReviewPreview.lockAthlete(1),
        ReviewPreview.lockActivity(1),
        RaceExplanation.people(ids), ActivityTrack.statement(1),
        AthleteOverview.statement(1), WithdrawalList.pending(after: 1, limit: 1),
        WithdrawalList.ended("failed", before: 1, limit: 1),
        RaceList.statement(.init(status: "ended", type: "a", category: "b"), before: 1, limit: 1),
        LedgerHead.lastRun, LedgerHead.shown(verifiedTo: 1, at: now), JournalSearch.last(before: now),
        LedgerBalances.statement, LedgerDays.zoneCheck("UTC"),
        LedgerDays.statement(zone: "UTC", from: now, to: now, journals: 1, 2),
        JournalList.statement(race: 1, athlete: nil, kind: nil, before: 1, limit: 1),
        JournalList.statement(race: nil, athlete: 1, kind: "prize", before: 1, limit: 1),
        JournalList.statement(race: nil, athlete: nil, kind: "prize", before: 1, limit: 1), JournalList.journal(1),
        CalendarStatements.fill(at: now), CalendarStatements.missing(at: now), CalendarStatements.conflicts(at: now),
        CalendarStatements.isOn, StreamPruning.delete(after: 0, limit: 1, at: now),
        StreamPruning.position, StreamPruning.keep(position: 1), Forgetting.page(after: 1, at: now),
        Forgetting.forgetDeleted(limit: 1, at: now), Forgetting.forgetRevoked(ids, limit: 1, at: now),
        Forgetting.forgetClaims(ids, limit: 1, at: now), Forgetting.finish(ids, at: now),
        ClaimPruning.prune(max: 1, at: now),
        ChainStatements.head, ChainStatements.newest, ChainStatements.end,
        ChainStatements.extend(above: 0, max: 1),
        ChainStatements.check(after: 0, max: 1), ChainStatements.holds(.init(position: 1, hash: "ab")),
        KeptJournalStatements.newest, KeptJournalStatements.holds(.init("1:2")),
        KeptJournalStatements.resume(.init("1:2")),
        LedgerCheck.lastAudit, LedgerCheck.newest(1), RacingChecks.overdue, RacingChecks.genders,
        EscalationJob().source.soonest(1),
        LifecycleJob().source.soonest(1), SettlementJob().source.soonest(1),
        SettlementJob().source.untilNext(job: "race-settlement"),
        LedgerAuditStatements.books(with: []), LedgerAuditStatements.keep(JSON(text: "[]"), at: now),
        RaceMoney.ofRaces(["1", "x"]), RaceMoney.all[0].due, RaceMoney.all[1].due, RaceMoney.all[2].due,
        RaceTimeline.settled(range), RaceTimeline.due(range),
        RaceTimeline.cancelled(range), RaceTimeline.holds(range), RaceTimeline.reviews(range),
        RacingFigures.differences, RacingFigures.reviews, RacingFigures.oldestReview, RacingFigures.pendingAthletes,
        RacingFigures.pendingPence, RacingFigures.oldestWithdrawal, WithdrawalStop.stop("a"), WithdrawalStop.resume,
        WithdrawalStop.standing, WithdrawalStop.isStanding, ProblemWatch.Problem.proof.current,
        ProblemWatch.Problem.claims.current,
        ProfileCorrection.statement(1, born: "2003-05-05", gender: "male"),
      ] + SettlementGather.reads(.claimed) + LifecycleRows.requestImports([Lifecycle(race, at: now)])
        + LedgerStatements.walletLocks([draft]).map(\.statement) + (try booked)
        + [
          ValidationJob().source.nextDue(job: "activity-validation"), ValidationJob().source.schedule,
          LifecycleJob().source.planned(job: "race-lifecycle"), LifecycleJob().source.schedule,
          SettlementJob().source.followingDue(job: "race-settlement"),
          SettlementJob().source.planned(job: "race-settlement"), SettlementJob().source.schedule,
          EscalationJob().source.nextDue(job: "flag-escalation"), EscalationJob().source.schedule,
          RaceOrderJob.orders.nextDue(job: RaceOrderJob.jobName), RaceOrderJob.orders.schedule,
        ].map { Statement(raw: $0) }
    }
  }

  @Test func `every statement of racing fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements) == [])
  }

  @Test func `each statement of racing returns the columns that its decoder reads`() async throws {
    let ids = [Int64(1), 2]
    let race = ["status": "ended", "type": "top_speed", "prize_shares": "{75,20,5}", "platform_fee_hundredths": "100"]
    let decoded = [
      DecodedStatement(ActivityContent.statement(ids)) { _ = try $0.decodeAll(as: ActivityRow.init) },
      DecodedStatement(LifecycleRows.races(ids)) { _ = try $0.decodeAll(as: Lifecycle.Input.init) },
      DecodedStatement(EscalationRows.activities(ids)) { _ = try $0.decodeAll(as: Escalation.Input.init) },
      DecodedStatement(RaceOrderStatements.orders(ids), values: ["kind": "settle"]) {
        _ = try $0.decodeAll(as: RaceOrder.init)
      },
      DecodedStatement(RaceOrderStatements.state(of: 1)) { _ = try $0.decodeAll(as: RaceOrderState.init) },
      DecodedStatement(RaceRow.statement(.these(ids)), values: race) { _ = try $0.decodeAll(as: RaceRow.init) },
      DecodedStatement(SettlementGather.refunds(.these(ids))) { _ = try SettlementGather.refunds($0) },
      DecodedStatement(SettlementRows.entries(.these(ids), statuses: [.ended])) { _ = try EntryRows($0) },
      DecodedStatement(SettlementRows.candidates(.these(ids), statuses: [.ended])) { _ = try CandidateRows($0) },
      DecodedStatement(CorrectionRows.revisions(ids)) { _ = try $0.decodeAll(as: RevisionInput.init) },
      DecodedStatement(CorrectionRows.entries(ids)) { _ = try CorrectedEntryRows($0) },
      DecodedStatement(CorrectionRows.candidates(ids)) { _ = try CandidateRows($0) },
      DecodedStatement(ReinstatedEntryRows.statement(ids)) { _ = try ReinstatedEntryRows($0) },
    ]
    #expect(try await SettledDatabase.decodingErrors(decoded) == [])
  }
}
