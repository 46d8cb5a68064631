// Money: pence, fees and prize splits.
//
// What it is for: the arithmetic of prizes, in whole pence, so that no penny appears or vanishes.
// What it must never know: races, athletes, tables, time. Values go in, values come out.
// How it fails: with a `MoneyError` whose code is stable. No amount traps: sums are checked, products are 128 bits
// wide, and nothing is ever a floating-point number.
