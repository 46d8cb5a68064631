/// The rules once more, written from Achievements.docc/Unlocking.md and apart from the code: everything is settled at
/// once, for everybody, whenever anything changes.
struct Model {
  struct Counter: Hashable {
    let metric: String
    let target: String?
  }

  struct Person {
    var reported: [Counter: Int64] = [:]
    var earned: Int64 = 0
    /// The instants, in seconds of the test, by slug.
    var unlocked: [String: Int64] = [:]
    var completed: [String: Set<Int>] = [:]

    func value(_ goal: Definition.Goal) -> Int64 {
      let reported = reported[Counter(metric: goal.metric, target: goal.target)] ?? 0
      return goal.metric == "points" ? reported + earned : reported
    }
  }

  private(set) var people: [Int64: Person] = [:]
  private(set) var definitions: [String: Definition] = [:]
  private(set) var ids: [String: Int64] = [:]
  var now: Int64 = 0

  mutating func join(_ user: Int64) {
    people[user] = Person()
    settle()
  }

  mutating func define(_ definition: Definition, id: Int64) {
    definitions[definition.slug] = definition
    ids[definition.slug] = id
    for user in people.keys {
      people[user]?.completed[definition.slug]?.formIntersection(definition.steps.keys)
    }
    settle()
  }

  mutating func report(_ user: Int64, _ metric: String, _ value: Int64, _ mode: String, target: String?) {
    let counter = Counter(metric: metric, target: target)
    let before = people[user]?.reported[counter] ?? 0
    people[user]?.reported[counter] = mode == "set" ? value : before + value
    settle()
  }

  private mutating func settle() {
    for user in people.keys {
      while let person = people[user], let after = step(person) { people[user] = after }
    }
  }

  /// The person after one more thing is reached; nil where there is none.
  private func step(_ person: Person) -> Person? {
    for (slug, definition) in definitions where person.unlocked[slug] == nil {
      var after = person
      let done = person.completed[slug] ?? []
      let orders = definition.steps.keys.sorted()
      for (place, order) in orders.enumerated() where !done.contains(order) {
        guard let goal = definition.steps[order], person.value(goal) >= goal.value else { continue }
        guard place == 0 || !goal.needsPrevious || done.contains(orders[place - 1]) else { continue }
        after.completed[slug, default: []].insert(order)
        return after
      }
      if orders.isEmpty ? person.value(definition.goal) >= definition.goal.value : done.isSuperset(of: orders) {
        after.unlocked[slug] = now
        after.earned += definition.reward
        return after
      }
    }
    return nil
  }

  /// The content of a person's list.
  func list(_ user: Int64, date: (Int64) -> String) -> UserList {
    let person = people[user] ?? Person()
    let items = definitions.values.map { item($0, person, date: date) }
      .sorted { one, other in
        if one.displayOrder != other.displayOrder { return one.displayOrder < other.displayOrder }
        return one.name == other.name ? one.id < other.id : one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
      }
    return UserList(
      userId: user, total: Int64(items.count), unlockedCount: Int64(person.unlocked.count), achievements: items)
  }

  private func item(_ definition: Definition, _ person: Person, date: (Int64) -> String) -> Achievement {
    let slug = definition.slug
    let isUnlocked = person.unlocked[slug] != nil
    let isMasked = definition.isHidden && !isUnlocked
    let steps = definition.steps.sorted { $0.key < $1.key }.map { order, goal in
      let isCompleted = isUnlocked || person.completed[slug]?.contains(order) == true
      return Step(
        stepOrder: Int64(order), name: "Step \(order)", description: "", metric: goal.metric, targetValue: goal.value,
        target: goal.target, requiresPreviousStep: goal.needsPrevious,
        current: isCompleted ? max(goal.value, person.value(goal)) : person.value(goal), isCompleted: isCompleted)
    }
    let required = steps.isEmpty ? definition.goal.value : Int64(steps.count)
    let current = steps.isEmpty ? person.value(definition.goal) : Int64(steps.count { $0.isCompleted })
    // Hundredths of a percent are whole numbers: what is lost in the division is what is rounded down.
    let hundredths = isUnlocked || current >= required ? 10_000 : current * 10_000 / required
    return Achievement(
      id: ids[slug] ?? 0, slug: slug, name: isMasked ? "???" : definition.name ?? "The \(slug)",
      description: isMasked ? "???" : "About \(slug)",
      icon: isMasked
        ? Icon(type: "question", color: "#999999", symbol: "?", svgUrl: nil)
        : Icon(type: "crown", color: "#FFD700", symbol: "*", svgUrl: nil),
      unlockRequirements: isMasked || !steps.isEmpty
        ? nil
        : UnlockRequirements(
          metric: definition.goal.metric, value: definition.goal.value, target: definition.goal.target),
      progress: isMasked
        ? nil
        : Progress(
          current: isUnlocked ? max(current, required) : current, required: required,
          percentage: Double(hundredths) / 100),
      steps: isMasked ? [] : steps, isMultistep: !steps.isEmpty, isUnlocked: isUnlocked,
      dateUnlocked: person.unlocked[slug].map(date), reward: isMasked ? nil : definition.reward,
      isHidden: definition.isHidden, category: definition.category, displayOrder: Int64(definition.displayOrder))
  }
}
