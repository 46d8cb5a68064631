// Plots: drawings as SVG.
//
// Its purpose: bars, lanes of time, steps, a calendar, a strip of dots, a track and a profile, from plain values.
// It must never know commands, JSON, races or zones. Labels arrive as text, instants as milliseconds since 1970.
// How it fails: never. A value out of range is cut at the plot's edge, and a plot without marks has a sentence.
