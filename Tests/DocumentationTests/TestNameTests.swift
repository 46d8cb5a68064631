import TestSupport
import Testing

/// A failing line shows a test's name alone, without its suite.
@Suite("Names of tests") struct TestNameTests {
  /// Words that begin a sentence in its middle: it would need its suite's title as a subject.
  private static let fragments = Set(
    """
    and but nor or
    after as at before behind beside by for from in into of on since than through to under until with within without
    although because how if that what whatever when whenever where wherever whether which while who whoever whom whose
    he it its she their them they this those why
    are be being can cannot could did do does had has have is may must never not should was were will would
    accepts agrees allow allows appear appears asks become becomes begins belongs books brings comes divides drops fails
    falls finds fits follow follows gets give gives go goes holds keep keeps knows leave leaves let lets lose loses makes
    means needs opens pays puts refuse refuses rejects returns say says sees sends serve serves settles show shows stands
    survives takes tell tells turns wakes
    """.split { $0.isWhitespace })

  private static func names() throws -> [(name: Substring, path: String)] {
    try Checkout.paths("Tests", ["swift"]).flatMap { path in
      try Checkout.text(path).matches(of: /(?m)^ *@Test\b(?s:.*?)\bfunc (`[^`]+`|\w+)/).map { match in
        (match.1.trimmingPrefix("`").prefix { $0 != "`" }, path)
      }
    }
  }

  @Test func `a test's name is a sentence with a subject`() throws {
    let names = try Self.names()
    for (name, path) in names {
      let words = name.split(separator: " ")
      #expect(words.count >= 3, "\(path): \(name)")
      let first = words.first.map { $0.prefix { $0.isLetter } } ?? ""
      let isFragment = Self.fragments.contains(first)
      #expect(!isFragment, "\(path): \(name)")
    }
    #expect(names.count > 1000)
  }

  @Test func `no two tests share a name`() throws {
    for (name, found) in Dictionary(grouping: try Self.names(), by: \.name) where found.count > 1 {
      Issue.record("\(name): \(found.map(\.path))")
    }
  }
}
