// Plots as SVG: pure functions from numbers to markup.
//
// Colours are classes of the page's style sheet, so dark mode and print need nothing here. Each mark has a title.
