import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedJson } from '../../../src/sinks/payload-log/bounded-json.ts'

const same = (text: string): string => text
const hide = (text: string): string => text.replaceAll(/secret\d+/g, '*')

test('a value within the limit is whole', () => {
  const value = [
    { role: 'user', content: 'hä' },
    { n: 1, deep: [null, true, { x: '"' }] },
  ]
  assert.deepEqual(boundedJson(value, 1_000, same), { json: JSON.stringify(value), isCut: false })
  assert.deepEqual(boundedJson('a', 1_000, same), { json: '"a"', isCut: false })
  assert.deepEqual(boundedJson([], 1_000, same), { json: '[]', isCut: false })
})

test('of a list that is too long, the last items stay', () => {
  const items = Array.from({ length: 100 }, (_, i) => ({ content: `message ${String(i)}` }))
  const shown = boundedJson(items, 300, same)
  assert.ok(shown?.isCut)
  assert.ok(shown.json.length <= 300)
  const last = JSON.parse(shown.json) as typeof items
  assert.ok(last.length > 5)
  assert.deepEqual(last, items.slice(-last.length))
})

test('a long text keeps its beginning, and the result is valid JSON of the limited size', () => {
  for (const text of ['x'.repeat(1e6), '"'.repeat(1e5), '😀'.repeat(1e5), '\u0000'.repeat(1e5)]) {
    const shown = boundedJson([{ role: 'user', content: text }], 1_000, same)
    assert.ok(shown?.isCut)
    assert.ok(Buffer.byteLength(shown.json) <= 1_000)
    const [{ content = '' } = {}] = JSON.parse(shown.json) as { content?: string }[]
    assert.ok(content.length > 50 && content.endsWith('…'))
  }
})

test('texts and names are masked before they are cut, and no part of a secret is left over', () => {
  assert.equal(boundedJson([{ secret1: 'my secret22' }], 1_000, hide)?.json, '[{"*":"my *"}]')
  // Masks are shorter than what they replace: the end of what was masked comes close to what is shown.
  const long = 'secret123456789'.repeat(2_000)
  for (const limit of [300, 1_000, 1_007, 4_099, 20_000])
    assert.doesNotMatch(boundedJson([long], limit, hide)?.json ?? '', /secret|\d/)
})

test('the cost depends on the limit', () => {
  let masked = 0
  const count = (text: string): string => {
    masked += text.length
    return text
  }
  const wide = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, i) => [`k${String(i)}`, 'v'.repeat(50)]),
  )
  boundedJson(
    Array.from({ length: 1_000 }, () => 'x'.repeat(100_000)),
    2_000,
    count,
  )
  boundedJson(wide, 2_000, count)
  assert.ok(masked < 5e6, String(masked))
})
