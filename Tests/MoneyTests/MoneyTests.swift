// MoneyTests
