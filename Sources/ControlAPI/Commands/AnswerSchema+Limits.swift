import TextCoding

extension AnswerSchema {
  /// The keywords of JSON Schema that restrict a value, and those that explain it to people.
  package struct Limits: Sendable {
    /// Such as `uuid`: it promises less than a pattern does.
    package var format: String?
    /// A regular expression that finds something in each value.
    package var pattern: String?
    /// Of a text, in Unicode scalars.
    package var length: ClosedRange<Int>?
    /// The most elements of an array.
    package var countMax: Int?
    /// Bounds of a number, as JSON.
    package var minimum: String?
    package var maximum: String?
    /// Whether a number is above its minimum.
    package var isAbove = false
    /// The number is a multiple of it, as JSON.
    package var step: String?
    /// Whether an object with other members is refused.
    package var isClosed = false
    package var meaning: String?
    /// A valid value, as JSON.
    package var example: String?

    var keywords: [(String, String)] {
      var keywords: [(String, String?)] = [
        ("format", format.map(JSONText.quoted)), ("pattern", pattern.map(JSONText.quoted)),
        ("minLength", length.flatMap { $0.lowerBound > 0 ? String($0.lowerBound) : nil }),
        ("maxLength", length.map { String($0.upperBound) }), ("maxItems", countMax.map { String($0) }),
        (isAbove ? "exclusiveMinimum" : "minimum", minimum), ("maximum", maximum), ("multipleOf", step),
      ]
      keywords.append(("additionalProperties", isClosed ? "false" : nil))
      keywords.append(("description", meaning.map(JSONText.quoted)))
      keywords.append(("examples", example.map { JSONText.array([$0]) }))
      return keywords.compactMap { name, json in json.map { (name, $0) } }
    }

    package init() {}
  }

  package func format(_ name: String) -> AnswerSchema { limited { $0.format = name } }

  package func pattern(_ pattern: String) -> AnswerSchema { limited { $0.pattern = pattern } }

  /// In Unicode scalars, as PostgreSQL counts.
  package func length(_ range: ClosedRange<Int>) -> AnswerSchema { limited { $0.length = range } }

  package func count(upTo max: Int) -> AnswerSchema { limited { $0.countMax = max } }

  /// Bounds as JSON has them: `0.01`.
  package func range(_ minimum: String, _ maximum: String) -> AnswerSchema {
    limited { ($0.minimum, $0.maximum) = (minimum, maximum) }
  }

  package func range(_ range: ClosedRange<Int64>) -> AnswerSchema {
    self.range(String(range.lowerBound), String(range.upperBound))
  }

  /// The minimum itself is too small.
  package func above(_ minimum: String, upTo maximum: String) -> AnswerSchema {
    range(minimum, maximum).limited { $0.isAbove = true }
  }

  package func step(_ step: String) -> AnswerSchema { limited { $0.step = step } }

  /// The object has no other members.
  package var closed: AnswerSchema { limited { $0.isClosed = true } }

  /// The unit, or further information for readers.
  package func meaning(_ text: String) -> AnswerSchema { limited { $0.meaning = text } }

  package func example(_ text: String) -> AnswerSchema { limited { $0.example = JSONText.quoted(text) } }

  package func example(json: String) -> AnswerSchema { limited { $0.example = json } }

  private func limited(_ change: (inout Limits) -> Void) -> AnswerSchema {
    guard case .limited(let schema, var limits) = self else {
      var limits = Limits()
      change(&limits)
      return .limited(self, limits)
    }
    change(&limits)
    return .limited(schema, limits)
  }
}
