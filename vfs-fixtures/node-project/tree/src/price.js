const PRICES = { apple: 3, pear: 4 }

export function price(item) {
  // TODO: currencies
  return PRICES[item] ?? null
}
