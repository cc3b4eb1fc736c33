import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJsonOrYaml } from '../../../src/protocols/yaml/json-or-yaml.ts'

test('readJsonOrYaml', async (t) => {
  await t.test('parses JSON, and YAML with aliases', () => {
    assert.deepEqual(readJsonOrYaml('{"a": [1]}'), { value: { a: [1] } })
    assert.deepEqual(readJsonOrYaml('a: &a {b: 1}\nc: [*a, *a]\nd: &a {e: 2}\nf: *a'), {
      value: { a: { b: 1 }, c: [{ b: 1 }, { b: 1 }], d: { e: 2 }, f: { e: 2 } },
    })
  })

  const wrong: readonly (readonly [
    what: string,
    text: string,
    line: number,
    column: number,
    problem: RegExp,
  ])[] = [
    ['an alias within what it stands for', 'x-a: &a {b: *a}', 1, 13, /^\*a contains itself$/],
    ['such an alias deep within', 'a: &a\n  - 1\n  - b: [*a]', 3, 9, /^\*a contains itself$/],
    [
      'an alias that leads there by another one',
      'a: &a {b: &b {x: *a}, c: *b}',
      1,
      18,
      /^\*a contains itself$/,
    ],
    ['an alias of what is named later', 'a: *b\nb: &b 1', 1, 4, /^\*b has no anchor before it$/],
    ['a text that is neither', '{"a": ', 1, 7, /^neither JSON nor YAML: /],
  ]
  for (const [what, text, line, column, problem] of wrong)
    await t.test(`reports the location of ${what}`, () => {
      const read = readJsonOrYaml(text)
      assert.ok('problem' in read)
      assert.deepEqual([read.line, read.column], [line, column])
      assert.match(read.problem, problem)
    })

  await t.test('limits the nesting depth', () => {
    const deep = (levels: number) => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`
    assert.ok('value' in readJsonOrYaml(deep(100)))
    assert.deepEqual(readJsonOrYaml(deep(101)), { line: 1, column: 1, problem: 'nested too deeply' })
  })

  await t.test('limits the expansion of aliases', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i}: &l${i} [${`*l${i - 1}, `.repeat(9)}]`)
    const read = readJsonOrYaml(['l: &l-1 [1]', ...levels].join('\n'))
    assert.deepEqual(read, { line: 1, column: 1, problem: 'aliases that stand for too much' })
  })
})
