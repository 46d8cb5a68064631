/// The decision of the achievement-evaluation job: who is judged in this transaction, and how
/// far the evaluation has got with it.
///
/// Pure. People whose rows others hold are left for the end, so that nobody holds up the rest.
package struct EvaluationPiece: Hashable, Sendable {
  /// Somebody whom an evaluation concerns, in the order of its walk.
  package struct Candidate: Hashable, Sendable {
    package let user: Int64
    package let value: Int64
    /// Whether they have the achievement: nothing is to be judged.
    package let isUnlocked: Bool

    package init(user: Int64, value: Int64, isUnlocked: Bool) {
      self.user = user
      self.value = value
      self.isUnlocked = isUnlocked
    }
  }

  /// The state of an evaluation, read under its lock.
  package struct Input: Hashable, Sendable {
    package let evaluation: Evaluation
    /// The next ones of the walk; nil where those who were left come first.
    package let found: [Candidate]?
    /// Those of them, or of who was left, whose rows this transaction holds.
    package let locked: Set<Int64>
    package let limit: Int

    package init(evaluation: Evaluation, found: [Candidate]?, locked: Set<Int64>, limit: Int) {
      self.evaluation = evaluation
      self.found = found
      self.locked = locked
      self.limit = limit
    }
  }

  package let evaluation: Int64
  /// Those who are judged now, in the order of their ids.
  package let people: [Int64]
  package let left: [Int64]
  package let lastValue: Int64
  package let lastUser: Int64
  package let done: Int64
  package let isFinished: Bool

  package init(_ input: Input) {
    let before = input.evaluation
    evaluation = before.id
    people = input.locked.sorted()
    guard let found = input.found else {
      left = before.left.filter { !input.locked.contains($0) }
      (lastValue, lastUser) = (before.lastValue, before.lastUser)
      done = before.done + Int64(people.count)
      isFinished = false
      return
    }
    let passed = found.filter { !$0.isUnlocked && !input.locked.contains($0.user) }.map(\.user)
    left = before.left + passed
    (lastValue, lastUser) = found.last.map { ($0.value, $0.user) } ?? (before.lastValue, before.lastUser)
    done = before.done + Int64(found.count - passed.count)
    isFinished = found.count < input.limit && left.isEmpty
  }
}

/// How far the evaluation of an edition has got.
package struct Evaluation: Hashable, Sendable {
  package let id: Int64
  package let lastValue: Int64
  package let lastUser: Int64
  package let done: Int64
  package let left: [Int64]

  package init(id: Int64, lastValue: Int64, lastUser: Int64, done: Int64, left: [Int64]) {
    self.id = id
    self.lastValue = lastValue
    self.lastUser = lastUser
    self.done = done
    self.left = left
  }
}
