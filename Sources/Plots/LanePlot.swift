/// Time from left to right in lanes: what was is filled, what will be is hollow.
package struct LanePlot: Sendable {
  /// All instants are milliseconds since 1970, in UTC.
  package struct Mark: Sendable {
    package enum Shape: Sendable {
      /// By the area of its disc: 1 for a mark of its own, more where it stands for more.
      case dot(weight: Int64)
      case block, triangle
    }

    package var at: Int64
    package var until: Int64?
    package var title: String
    /// Stands beside the mark where there is room.
    package var labels: [String]
    package var tone: Tone
    package var isHollow: Bool
    package var shape: Shape

    package init(
      at: Int64, until: Int64? = nil, title: String, labels: [String] = [], tone: Tone, isHollow: Bool = false,
      shape: Shape = .dot(weight: 1)
    ) {
      (self.at, self.until, self.title, self.labels) = (at, until, title, labels)
      (self.tone, self.isHollow, self.shape) = (tone, isHollow, shape)
    }
  }

  package struct Step: Sendable {
    package let at: Int64
    package let value: Int64
    package let isFuture: Bool

    package init(at: Int64, value: Int64, isFuture: Bool) {
      (self.at, self.value, self.isFuture) = (at, value, isFuture)
    }
  }

  package struct Row: Sendable {
    package let name: String
    package let marks: [Mark]

    package init(_ name: String = "", _ marks: [Mark]) {
      (self.name, self.marks) = (name, marks)
    }
  }

  package enum Content: Sendable {
    /// Marks with two lines of text beside them.
    case blocks([Mark])
    /// Bars from `at` to `until`, packed in as few rows as do.
    case spans([Mark])
    case dots([Row])
    /// A line of amounts; `limit` is drawn above it, with its text.
    case steps([Step], limit: Int64?, text: String)
  }

  package struct Lane: Sendable {
    package let name: String
    package let content: Content

    package init(_ name: String, _ content: Content) {
      (self.name, self.content) = (name, content)
    }
  }

  package struct Tick: Sendable {
    package let at: Int64
    package let text: String
    package let isStrong: Bool

    package init(at: Int64, text: String, isStrong: Bool = false) {
      (self.at, self.text, self.isStrong) = (at, text, isStrong)
    }
  }

  /// A change of the clocks: `until` is the end of the repeated hour, and equals `at` where one is missing.
  package struct Change: Sendable {
    package let at: Int64
    package let until: Int64
    package let text: String

    package init(at: Int64, until: Int64, text: String) {
      (self.at, self.until, self.text) = (at, until, text)
    }
  }

  let label: String
  let span: ClosedRange<Int64>
  let now: (at: Int64, text: String)?
  let ticks: [Tick]
  let changes: [Change]
  let lanes: [Lane]
  let marksMax: Int
  static let width = 1226.0
  static let left = 128.0
  /// Leaves room for half of the largest dot.
  static let right = width - 12
  static let head = 46.0

  /// `marksMax`: beyond so many dots, neighbours of one kind become one.
  package init(
    label: String, span: ClosedRange<Int64>, now: (at: Int64, text: String)?, ticks: [Tick], changes: [Change] = [],
    lanes: [Lane], marksMax: Int = 300
  ) {
    (self.label, self.span, self.now, self.ticks, self.changes) = (label, span, now, ticks, changes)
    (self.lanes, self.marksMax) = (lanes, marksMax)
  }

  var scale: Scale { Scale(Double(span.lowerBound), Double(span.upperBound), to: Self.left, Self.right) }

  func isShown(_ mark: Mark) -> Bool {
    (mark.until ?? mark.at) >= span.lowerBound && mark.at <= span.upperBound
  }
}
