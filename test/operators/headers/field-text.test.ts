import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldText } from '../../../src/operators/headers/header-value.ts'

test('the text of a header field is UTF-8 if it is valid UTF-8, otherwise Latin-1', () => {
  const field = (text: string) => Buffer.from(text).toString('latin1')
  assert.equal(fieldText('plain'), 'plain')
  assert.equal(fieldText(field('Jürgen 名')), 'Jürgen 名')
  assert.equal(fieldText('J\u00fcrgen'), 'J\u00fcrgen')
})
