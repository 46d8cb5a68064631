/// Further lanes of a run: batches in parallel with those of the run itself.
///
/// A lane commits a batch or gives up. It judges no failure: after one, this node claims alone until the next run has
/// ended, and meets the item again. Source: Engine.docc/Failures.md, "Lanes".
extension JobRunner {
  /// Starts the other lanes where `Batches` finds enough work for them.
  func startLanes(until stopFlag: StopFlag) {
    guard lanes.isEmpty, job.usesLanes, let size = batches.sizeForLanes else { return }
    areLanesClosing = false
    lanes = (1..<max(1, context.lanes)).map { _ in Task { await lane(size, until: stopFlag) } }
  }

  /// Ends the other lanes after their batches. Then no lane of this node holds a row.
  func joinLanes() async {
    areLanesClosing = true
    for lane in lanes { itemsOfLanes += await lane.value }
    lanes = []
  }

  /// Claims batches until nothing is free. Returns how many items it has done.
  private func lane(_ first: BatchSize, until stopFlag: StopFlag) async -> Int {
    var (size, items) = (first, 0)
    while !areLanesClosing, !stopFlag.isRequested {
      let claimed = Claimed<J.Key>()
      let began = context.time.now()
      let request = LockRequest(limit: size.items, except: batches.leftOut)
      guard let attempt = try? await attempt(request, claimed: claimed) else {
        batches.laneFailed()
        break
      }
      guard !attempt.done.isEmpty else { break }
      let ended = context.time.now()
      items += attempt.done.count
      size.observe(count: attempt.done.count, elapsed: ended - (claimed.since ?? began))
      context.observe(.batch(job: name, items: attempt.done.count, elapsed: ended - began, lateness: nil))
    }
    return items
  }
}
