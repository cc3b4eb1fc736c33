import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  aliasOf,
  listedNames,
  modelPattern,
  moreExact,
} from '../../../../src/protocols/llm/models/model-patterns.ts'

test('a pattern matches', async (t) => {
  const fitting = (pattern: string): string[] =>
    ['gpt-4', 'gpt-4o', 'my-gpt-4', 'gpt', ''].filter(modelPattern(pattern))
  for (const [pattern, models] of [
    ['gpt-4', ['gpt-4']],
    ['gpt-*', ['gpt-4', 'gpt-4o']],
    ['*gpt-4', ['gpt-4', 'my-gpt-4']],
    ['*', ['gpt-4', 'gpt-4o', 'my-gpt-4', 'gpt', '']],
    ['g*4', []],
  ] as const)
    await t.test(`${pattern}: ${models.join(', ')}`, () => {
      assert.deepEqual(fitting(pattern), models)
    })
})

test('patterns with more literal characters come first, and equal ones keep their order', () => {
  assert.deepEqual(['*', 'gpt-*', 'b*', 'gpt-4', 'gpt-4*', '*a', 'gpt-4o-mini'].sort(moreExact), [
    'gpt-4o-mini',
    'gpt-4',
    'gpt-4*',
    'gpt-*',
    'b*',
    '*a',
    '*',
  ])
})

test('a list contains', async (t) => {
  for (const [what, pattern, allowed, shown] of [
    ['a model if all are allowed', 'gpt-4', undefined, ['gpt-4']],
    ['a pattern if all are allowed', 'gpt-*', undefined, ['gpt-*']],
    ['a model that is allowed', 'gpt-4', ['gpt-4'], ['gpt-4']],
    ['a model that a pattern allows', 'gpt-4', ['gpt-*'], ['gpt-4']],
    ['no model that is not allowed', 'gpt-4', ['gpt', '*-4o'], []],
    ['nothing if nothing is allowed', '*', [], []],
    ['the allowed names of a pattern', 'gpt-*', ['gpt-4', 'claude', 'gpt-5', 'gpt-4'], ['gpt-4', 'gpt-5']],
    ['a pattern that is allowed', 'gpt-*', ['gpt-*'], ['gpt-*']],
    ['a pattern of which a part is allowed', 'gpt-*', ['gpt-4*'], ['gpt-*']],
    ['a pattern that is part of what is allowed', 'gpt-4*', ['gpt-*', 'gpt-4o'], ['gpt-4o', 'gpt-4*']],
    ['no pattern that has nothing in common', 'gpt-*', ['claude-*'], []],
    ['no end that has nothing in common', '*-mini', ['*-nano'], []],
    ['an end that is part of another', '*-mini', ['*4o-mini'], ['*-mini']],
    ['an end where a beginning is allowed', '*-mini', ['gpt-*'], ['*-mini']],
    ['everything where everything is allowed', '*', ['*'], ['*']],
  ] as const)
    await t.test(what, () => {
      assert.deepEqual(listedNames(pattern, allowed), shown)
    })

  await t.test('a pattern for an allowed one exactly if a name matches both', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 })
    const pattern = fc.oneof(
      short.map((some) => `${some}*`),
      short.map((some) => `*${some}`),
    )
    const words = Array.from({ length: 7 }, (_, length) =>
      Array.from({ length: 2 ** length }, (__, i) =>
        length ? i.toString(2).padStart(length, '0').replaceAll('0', 'a').replaceAll('1', 'b') : '',
      ),
    ).flat()
    fc.assert(
      fc.property(pattern, pattern, (a, b) => {
        const [fitsA, fitsB] = [modelPattern(a), modelPattern(b)]
        assert.deepEqual(listedNames(a, [b]), words.some((word) => fitsA(word) && fitsB(word)) ? [a] : [])
      }),
      { numRuns: 500 },
    )
  })
})

test('an alias', async (t) => {
  const model = aliasOf([
    ['*', 'any'],
    ['gpt-*', 'beginning'],
    ['fast', 'name'],
    ['gpt-4*', 'longer beginning'],
    ['*-4o-latest', 'end'],
  ])

  await t.test('is resolved by exact name first, then by the most specific pattern', () => {
    assert.deepEqual(['fast', 'gpt-3', 'gpt-4', 'gpt-4o-latest', 'else'].map(model), [
      'name',
      'beginning',
      'longer beginning',
      'end',
      'any',
    ])
  })

  await t.test('is undefined for other names', () => {
    assert.equal(aliasOf([['a', 'b']])('c'), undefined)
    assert.equal(aliasOf([])('toString'), undefined)
  })
})
