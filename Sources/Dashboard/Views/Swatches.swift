import Markup
import Plots

/// The colours of a plot's pieces in words.
enum Swatches {
  static func html(_ names: [(String, Tone)]) -> HTML {
    .tag(
      "p", "legend muted",
      [
        .joined(
          names.map { name, tone in
            .tag(
              "span", "nowrap",
              [
                .element("span", [Attribute("class", "swatch \(tone.rawValue)"), Attribute("aria-hidden", "true")]),
                .text(" " + name),
              ])
          }, by: .text(" "))
      ])
  }
}
