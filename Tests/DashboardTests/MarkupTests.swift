import Markup
import Testing

@Suite("HTML's only way in from text escapes it") struct MarkupTests {
  @Test(arguments: ["", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{202E}", "\u{20E3}"])
  func `a scalar that joins a quotation mark or a bracket does not keep it from being escaped`(_ joiner: String) {
    for (raw, reference) in [("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("'", "&#39;")] {
      let text = HTML(text: "a" + raw + joiner + "b").description
      #expect(Array(text.unicodeScalars) == Array(("a" + reference + joiner + "b").unicodeScalars))
      let element = HTML.element("p", [Attribute("title", raw + joiner)]).description
      #expect(Array(element.utf8) == Array("<p title=\"\(reference)\(joiner)\"></p>".utf8))
    }
  }

  @Test func `control characters become the replacement character, tab and line feed stay`() {
    #expect(HTML(text: "a\0b\u{1B}c\u{85}d\te\nf\u{7F}").description == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\te\nf\u{FFFD}")
  }

  @Test func `a link leads to a path of the page, with any text in its segments`() {
    let link = HTML.element("a", [.link(["races", "javascript:alert(1)//x"], [("q", "a&b=\"<")])]).description
    #expect(link == #"<a href="/races/javascript%3Aalert%281%29%2F%2Fx?q=a%26b%3D%22%3C"></a>"#)
    #expect(HTML.element("a", [.link(["", "evil.example"])]).description == #"<a href="/evil.example"></a>"#)
  }

  @Test func `a long text is escaped whole`() {
    let text = HTML(text: String(repeating: "<\u{301}", count: 10_000)).description
    #expect(text.utf8.count == 10_000 * 6 && !text.unicodeScalars.contains("<"))
  }
}
