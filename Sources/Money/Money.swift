// Money: pence, fees and prize splits.
//
// Its purpose: the arithmetic of prizes, in whole pence, so that no penny appears or vanishes.
// It must never know races, athletes, tables or time. Values go in, values come out.
// How it fails: with a `MoneyError` whose code is stable. No amount traps: sums are checked, products are 128 bits
// wide, and nothing is ever a floating-point number.
