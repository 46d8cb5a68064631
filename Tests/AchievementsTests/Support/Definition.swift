import Postgres

/// The conditions that a test sets people, as `define` takes them.
struct Definition: Hashable, Sendable {
  struct Goal: Hashable, Sendable {
    var metric: String
    var value: Int64
    var target: String?
    var needsPrevious = false
  }

  var slug: String
  var name: String?
  /// The simple requirement; where there are steps it is not shown and not asked.
  var goal = Goal(metric: "books_read", value: 1)
  /// By their order.
  var steps: [Int: Goal] = [:]
  var reward: Int64 = 0
  var isHidden = false
  var category: String?
  var displayOrder = 0

  init(_ slug: String, _ metric: String, _ value: Int64, target: String? = nil, reward: Int64 = 0) {
    self.slug = slug
    self.reward = reward
    goal = Goal(metric: metric, value: value, target: target)
  }

  init(_ slug: String, steps: [Int: Goal], reward: Int64 = 0) {
    self.slug = slug
    self.steps = steps
    self.reward = reward
  }

  /// Texts are such that JSON escapes nothing of them.
  var json: JSON {
    let list = steps.sorted { $0.key < $1.key }.map { order, goal in
      """
      {"step_order": \(order), "name": "Step \(order)", "description": "", "metric": "\(goal.metric)",
       "target_value": \(goal.value), "target": \(Self.text(goal.target)), "requires_previous_step": \(goal.needsPrevious)}
      """
    }
    let requirement = """
      {"metric": "\(goal.metric)", "value": \(goal.value), "target": \(Self.text(goal.target))}
      """
    return JSON(
      text: """
        {"slug": "\(slug)", "name": "\(name ?? "The \(slug)")", "description": "About \(slug)",
         "icon": {"type": "crown", "color": "#FFD700", "symbol": "*", "svg_url": null},
         "unlock_requirements": \(steps.isEmpty ? requirement : "null"), "steps": [\(list.joined(separator: ", "))],
         "reward": \(reward), "is_hidden": \(isHidden), "category": \(Self.text(category)), "display_order": \(displayOrder)}
        """)
  }

  private static func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
}
