// RacingTests
