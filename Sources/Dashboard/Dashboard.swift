// The screens of `settlectl dashboard`: pure functions from the daemon's answers to HTML.
//
// A `Screen` has `Part`s; each names its `Ask`s and renders their `Reply`s. The relay asks, and page.js puts a part in
// place when its text changed and the focus is not inside it. These attributes are what page.js and page.css know:
//
// - `data-key="1"`: the key that clicks a link or button; `data-focus="a"`: the key that moves the focus there, only.
// - `data-list` on a `ul` or `tbody`: `j` and `k` move between the first link of each child, Enter follows it.
// - `data-due="2031-03-30T23:00:00.000Z"` on a `time`: page.js counts down to it by the daemon's clock.
// - `data-asked` on a part: it is computed on demand, and renewed only after the operator's own acts.
// - `data-late` on a part: it lacks an answer, and page.js asks for it at once.
// - `data-opens="id"` on a button: opens the `dialog` of that id; see `ChangeDialog`.
// - `data-word="--reason="` on a field of a dialog: its name in the command line; empty where it has none.
// - `form data-query`: its fields become the query of the screen's address; no script leaves it with a GET.
// - `class="numbers"` on a table beside a plot: hidden until `t`.
// - `card`, `head`, `body`, `num`, `muted`, `mark`, `good`, `warn`, `bad`, `pill`, `btn`, `facts`, `feed`, `problems`,
//   `matrix`, `scroll` are classes of page.css, as are those of SVG: `grid`, `axis`, `now`, `line`, `limit`, `dash`,
//   `hatch`, `hollow`, `softwarn`, `m1`–`m3`, `v1`–`v5`.
//
// It must never know a socket, a clock or a file.
