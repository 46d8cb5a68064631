import Postgres

/// One node's judgement of the clocks, from readings and from the records of the database; pure.
///
/// A stop binds all nodes until its own node sees the clocks agree, or another node with a baseline older than the jump
/// does, or an operator accepts the difference. A stop that another node lifted still binds its own node. A node whose
/// baseline is younger than the jump, or that has none, obeys. Numbers assigned by the database decide what is older,
/// never a clock: a baseline is older than a jump when it was established before the last agreement that the stop's own
/// node saw.
package struct ClockJudge: Sendable {
  package static let jumpMax: Duration = .seconds(600)
  package static let hostSkewMax: Duration = .seconds(300)

  package let node: String
  package let bootId: String
  package private(set) var baseline: ClockBaseline?
  private var own: ClockStop?
  /// The sum of the accepted differences, for a node without a baseline.
  private var accepted: Duration = .zero

  /// `remembered`: this node's baseline in the database.
  package init(node: String, bootId: String, remembered: ClockBaseline?) {
    self.node = node
    self.bootId = bootId
    baseline = remembered
  }

  /// The baseline if it belongs to this boot: only then can readings be compared with it.
  private var present: ClockBaseline? { baseline?.bootId == bootId ? baseline : nil }

  /// The verdict of this node's clocks now, without the records of others.
  package func judge(_ reading: ClockReading) -> ClockVerdict {
    if let present {
      let jump = present.jump(to: reading)
      if abs(jump) > Self.jumpMax { return own?.isLifted ?? false ? .outvoted(jump) : .jumped(jump) }
    } else if let own {
      return own.isLifted ? .outvoted(own.difference) : .jumped(own.difference)
    }
    let host = present?.host ?? accepted
    let isOff = abs(reading.skew) > Self.hostSkewMax && abs(reading.skew - host) > Self.hostSkewMax
    return isOff ? .hostIsOff(reading.skew) : .agrees
  }

  /// Records a poll; returns what to write, in this order and in one transaction.
  ///
  /// At a heartbeat the baseline is rebased only while the clocks agree except for drift, so that small steps add up.
  package mutating func see(_ reading: ClockReading, _ record: ClockRecord, isHeartbeat: Bool) -> [ClockAction] {
    ClockAction.inLockOrder(compared(reading, record, isHeartbeat: isHeartbeat), node: node)
  }

  private mutating func compared(
    _ reading: ClockReading, _ record: ClockRecord, isHeartbeat: Bool
  ) -> [ClockAction] {
    var actions: [ClockAction] = []
    own = record.stops.first { $0.node == node }
    accepted = record.accepted
    takeAcceptance(reading, record, &actions)
    loseYoungBaseline(record, &actions)
    if present == nil { begin(reading, record, &actions) }
    guard let present else { return actions }
    let jump = present.jump(to: reading)
    if abs(jump) > Self.jumpMax {
      stop(jump, agreed: present.agreed, &actions)
    } else {
      agree(reading, record, isHeartbeat: isHeartbeat, &actions)
    }
    return actions
  }

  /// The database has assigned the number of the new baseline.
  package mutating func established(_ number: Int64) {
    baseline?.established = number
  }

  /// A difference that an operator accepted becomes part of the baseline. The stop's own node adds the difference that
  /// it saw; every other node that saw the jump adds the accepted one, and so does a node whose stop is older than the
  /// last jump, because it was away.
  private mutating func takeAcceptance(
    _ reading: ClockReading, _ record: ClockRecord, _ actions: inout [ClockAction]
  ) {
    if let stop = own, stop.isAccepted {
      own = nil
      actions.append(.release)
      if let present {
        let (jump, missed) = (present.jump(to: reading), record.accepted - present.accepted)
        let isOld = abs(jump - stop.difference) > Self.jumpMax && abs(jump - missed) <= Self.jumpMax
        baseline?.accept(isOld ? missed : stop.difference, at: reading)
      } else {
        baseline = fresh(reading, record, host: stop.difference)
      }
    } else if let present, present.acceptances != record.acceptances {
      let missed = record.accepted - present.accepted
      let jump = present.jump(to: reading)
      if abs(missed) > Self.jumpMax, abs(jump - missed) <= Self.jumpMax {
        baseline?.accept(missed, at: reading)
      } else if abs(jump) <= Self.jumpMax, abs(reading.skew) > Self.hostSkewMax,
        abs(reading.skew - present.host - missed) <= Self.hostSkewMax
      {
        // It came after the jump, and its host stayed behind.
        baseline?.host += missed
      }
    } else {
      return
    }
    baseline?.acceptances = record.acceptances
    baseline?.accepted = record.accepted
    if let present {
      actions.append(present.established == nil ? .establish(present) : .remember(present))
    }
  }

  /// A baseline that may be younger than the jump of a stop that binds all nodes proves nothing about it.
  private mutating func loseYoungBaseline(_ record: ClockRecord, _ actions: inout [ClockAction]) {
    guard own == nil, let present else { return }
    let isYoung = record.stops.contains { stop in
      stop.bindsAll && present.established.map { $0 > stop.agreed } ?? true
    }
    guard isYoung else { return }
    baseline = nil
    actions.append(.forget)
  }

  /// Without a baseline of this boot. The node's own stop outlives the boot: the present is right only if the
  /// database's time has barely moved since it was last known to be right. While stops of other nodes are active,
  /// nothing is right.
  private mutating func begin(_ reading: ClockReading, _ record: ClockRecord, _ actions: inout [ClockAction]) {
    let last = baseline
    if own != nil {
      guard let last, reading.database >= last.database, reading.database.since(last.database) <= Self.jumpMax else {
        return
      }
      own = nil
      actions.append(.release)
    } else if record.isClockStopped {
      return
    }
    var baseline = fresh(reading, record, host: .zero)
    if let last, last.acceptances == record.acceptances, reading.database < last.database {
      // The clock is behind an earlier reading, and no operator has accepted a difference since: this counts as a jump.
      baseline.database = last.database
      baseline.agreed = last.agreed
    }
    self.baseline = baseline
    actions.append(.establish(baseline))
  }

  private func fresh(_ reading: ClockReading, _ record: ClockRecord, host moved: Duration) -> ClockBaseline {
    var fresh = ClockBaseline(bootId: bootId, boot: reading.boot, database: reading.database)
    fresh.agreed = record.baselines
    fresh.acceptances = record.acceptances
    fresh.accepted = record.accepted
    let candidates = [.zero, (baseline?.host ?? .zero) + moved, record.accepted]
    fresh.host = candidates.first { abs(reading.skew - $0) <= Self.hostSkewMax } ?? .zero
    return fresh
  }

  private mutating func stop(_ jump: Duration, agreed: Int64, _ actions: inout [ClockAction]) {
    if let own, abs(own.difference - jump) <= .seconds(1) { return }
    actions.append(.stop(jump, agreed: agreed))
  }

  private mutating func agree(
    _ reading: ClockReading, _ record: ClockRecord, isHeartbeat: Bool, _ actions: inout [ClockAction]
  ) {
    if own != nil { actions.append(.release) }
    own = nil
    baseline?.agreed = record.baselines
    guard let present else { return }
    if let established = present.established {
      let wrong = record.stops.filter { $0.node != node && $0.bindsAll && established <= $0.agreed }
      actions += wrong.map { .lift(node: $0.node) }
    }
    if isHeartbeat, present.isDrift(present.jump(to: reading), at: reading), judge(reading) == .agrees {
      baseline?.rebase(on: reading)
      if let rebased = self.present, rebased.established != nil { actions.append(.remember(rebased)) }
    }
  }
}
