import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaInstance } from '../../../src/upstream/mock-llm/schema-instance.ts'

test('an instance of a schema', async (t) => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    [
      'has every property, named after it where it is a text',
      {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'integer', minimum: 3 },
          ok: { type: 'boolean' },
        },
        required: ['city'],
      },
      { city: 'mock city', days: 3, ok: true },
    ],
    ['uses the first of several values', { type: 'string', enum: ['b', 'a'] }, 'b'],
    ['uses the given value', { properties: { a: { const: 7 }, b: { default: [1] } } }, { a: 7, b: [1] }],
    ['uses the first alternative', { anyOf: [{ type: 'number' }, { type: 'null' }] }, 1],
    ['has a list of one item', { type: 'array', items: { type: 'number' } }, [1]],
    ['has as many items as there must be', { type: 'array', items: { enum: [0] }, minItems: 3 }, [0, 0, 0]],
    ['has no item where none is allowed', { type: 'array', items: {}, maxItems: 0 }, []],
    [
      'joins all that must hold',
      { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    [
      'follows references',
      { $defs: { 'a/b': { const: 1 } }, properties: { a: { $ref: '#/$defs/a~1b' } } },
      { a: 1 },
    ],
    ['supports formats', { type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z'],
    ['is as long as it must be', { type: 'string', minLength: 12 }, 'mock text...'],
    ['is no longer than it may be', { type: 'string', maxLength: 4 }, 'mock'],
    ['is above what it must not be', { type: 'number', exclusiveMinimum: 4 }, 5],
    ['understands types in capitals', { type: 'OBJECT', properties: { a: { type: 'NUMBER' } } }, { a: 1 }],
    ['understands several types', { type: ['null', 'integer'] }, 1],
    ['is null where there is no schema', 'nonsense', null],
  ]
  for (const [name, schema, expected] of cases)
    await t.test(name, () => assert.deepEqual(schemaInstance(schema), expected))

  await t.test('ends where a schema refers to itself', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' } } }
    assert.ok(JSON.stringify(schemaInstance(node)).length < 1_000)
    const list = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['next'],
    }
    assert.match(JSON.stringify(schemaInstance(list)), /^(\{"next":)+null\}+$/)
  })

  await t.test('stays small if it refers to itself many times', () => {
    const properties = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, { $ref: '#' }]))
    assert.ok(JSON.stringify(schemaInstance({ type: 'object', properties })).length < 100_000)
  })

  await t.test('ignores references to inherited object properties', () => {
    assert.deepEqual(schemaInstance({ properties: { a: { $ref: '#/constructor' } } }), { a: null })
  })
})
