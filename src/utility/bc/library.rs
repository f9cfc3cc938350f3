//! The functions of `bc -l`, in the language itself: series at a larger scale, whose sum is then cut.

pub(super) const LIBRARY: &str = r"
scale = 20

/* Halves the argument until the series of the exponential is short, and squares its sum as often. */
define e(x) {
  auto s, negative, halved, sum, term, k, w
  s = scale
  if (x < 0) { negative = 1; x = -x }
  w = s + 8 + 0.5 * x
  if (w < scale(x)) w = scale(x)
  scale = w
  while (x > 1) { x = x / 2; halved += 1; scale += 1 }
  sum = 1 + x
  term = x
  for (k = 2; term != 0; k++) { term = term * x / k; sum += term }
  while (halved > 0) { sum = sum * sum; halved -= 1 }
  if (negative) sum = 1 / sum
  scale = s
  return (sum / 1)
}

/* Takes roots until the argument is near 1, then twice the series of the inverse hyperbolic tangent. */
define l(x) {
  auto s, factor, sum, power, square, term, k
  if (x <= 0) return ((1 - 10 ^ scale) / 1)
  s = scale
  scale = s + 8
  factor = 2
  while (x >= 2 || x <= 0.5) { factor *= 2; scale += 1; x = sqrt(x) }
  power = (x - 1) / (x + 1)
  square = power * power
  sum = power
  term = power
  for (k = 3; term != 0; k += 2) { power *= square; term = power / k; sum += term }
  sum *= factor
  scale = s
  return (sum / 1)
}

/* Takes multiples of pi away, then the series. */
define s(x) {
  auto s, negative, quarter, turns, sum, term, square, k
  s = scale
  scale = s * 1.1 + 6
  if (x < 0) { negative = 1; x = -x }
  quarter = a(1)
  scale = 0
  turns = (x / quarter + 2) / 4
  scale = s * 1.1 + 6 + length(turns)
  if (turns > 0) { quarter = a(1); x = x - 4 * turns * quarter }
  scale = 0
  if (turns % 2) negative = 1 - negative
  scale = s * 1.1 + 6
  sum = x
  term = x
  square = -x * x
  for (k = 3; term != 0; k += 2) { term = term * square / (k * (k - 1)); sum += term }
  if (negative) sum = -sum
  scale = s
  return (sum / 1)
}

define c(x) {
  auto s, value
  s = scale
  scale = s * 1.2 + 2
  value = s(x + 2 * a(1))
  scale = s
  return (value / 1)
}

/* Halves the angle until the series is short. */
define a(x) {
  auto s, negative, doubled, sum, power, square, term, k
  if (x < 0) { negative = 1; x = -x }
  s = scale
  scale = s + 10
  while (x > 0.2) { x = x / (1 + sqrt(1 + x * x)); doubled += 1; scale += 1 }
  sum = x
  power = x
  term = x
  square = -x * x
  for (k = 3; term != 0; k += 2) { power *= square; term = power / k; sum += term }
  while (doubled > 0) { sum *= 2; doubled -= 1 }
  if (negative) sum = -sum
  scale = s
  return (sum / 1)
}

/* The Bessel function of a whole order. */
define j(n, x) {
  auto s, negative, sum, term, square, k
  s = scale
  scale = 0
  n = n / 1
  if (n < 0) { n = -n; if (n % 2) negative = 1 }
  scale = s * 1.5 + length(n) + 10
  if (x < 0) scale += length(-x)
  if (x > 1) scale += 2 * length(x) + x / 2
  term = 1
  for (k = 2; k <= n; k++) term *= k
  term = (x / 2) ^ n / term
  sum = term
  square = -x * x / 4
  for (k = 1; term != 0; k++) { term = term * square / k / (n + k); sum += term }
  if (negative) sum = -sum
  scale = s
  return (sum / 1)
}
";
