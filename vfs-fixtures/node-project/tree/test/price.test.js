import test from 'node:test'
import assert from 'node:assert'
import { price } from '../src/price.js'

test('an apple costs three', () => {
  assert.equal(price('apple'), 3)
})
