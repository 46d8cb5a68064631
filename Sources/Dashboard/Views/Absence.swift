import Markup
import TextCoding

/// What a card has beside its heading.
struct CardContent {
  var notes = HTML()
  var right = HTML()
  var classes = ""
  var content: [HTML]

  init(note: String = "", right: HTML = HTML(), classes: String = "", _ content: [HTML]) {
    notes = note.isEmpty ? HTML() : .text(note)
    (self.right, self.classes, self.content) = (right, classes, content)
  }

  init(notes: HTML, right: HTML = HTML(), classes: String = "", _ content: [HTML]) {
    (self.notes, self.right, self.classes, self.content) = (notes, right, classes, content)
  }
}

extension [Ask: Reply] {
  /// A card with the answer, or with the reason why there is none.
  func card(_ title: String, _ ask: Ask, _ state: PageState, _ body: (JSONValue) -> CardContent) -> HTML {
    guard let answer = self[ask]?.answer else { return Card.html(title, [rendered(ask, state) { _ in HTML() }]) }
    let card = body(answer)
    return Card.html(title, notes: card.notes, right: card.right, classes: card.classes, card.content)
  }
}
