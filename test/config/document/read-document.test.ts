import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocument } from '../../../src/config/document/read-document.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

const places = (text: string, pointer: string): readonly string[] => {
  const { document } = readDocument(text, 'x', {})
  const show = ({ line, column }: { line: number; column: number }): string =>
    `${String(line)}:${String(column)}`
  return [show(document.keyAt(pointer)), show(document.valueAt(pointer))]
}
const problems = (text: string): readonly string[] =>
  readDocument(text, 'x', {}).problems.map(
    ({ line, column, expectation }) => `${String(line)}:${String(column)} ${expectation}`,
  )

test('locations in a document', async (t) => {
  await t.test('cover the name and the value', () => {
    assert.deepEqual(places('a:\n  - b: 1\n    cd:   two\n', '/a/0/cd'), ['3:5', '3:11'])
  })
  await t.test('are correct with CRLF line ends', () => {
    assert.deepEqual(places('a:\r\n  b: 1\r\n  c: two\r\n', '/a/c'), ['3:3', '3:6'])
  })
  await t.test('count characters, not code units or bytes', () => {
    assert.deepEqual(places('{"é": "😀😀", "b": 1}', '/b'), ['1:13', '1:18'])
  })
  await t.test('ignore a byte order mark', () => {
    assert.deepEqual(places('\uFEFFa: 1', '/a'), ['1:1', '1:4'])
  })
  await t.test('are correct in flow style', () => {
    assert.deepEqual(places('{a: {b: [1, {c: 2}]}}', '/a/b/1/c'), ['1:14', '1:17'])
  })
  await t.test('are correct in JSON', () => {
    assert.deepEqual(places('{\n\t"a": [\n\t\t{ "b": true }\n\t]\n}', '/a/0/b'), ['3:5', '3:10'])
  })
  await t.test('of aliased values are those of the anchor, where they can be edited', () => {
    assert.deepEqual(places('a: &x\n  b: 1\nc: *x\n', '/c/b'), ['2:3', '2:6'])
    assert.deepEqual(places('a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n', '/c/b'), ['1:8', '1:11'])
  })
  await t.test('of absent values are those of the parent', () => {
    assert.deepEqual(places('a:\n  b: 1\n', '/a/c/d'), ['2:3', '2:3'])
  })
  await t.test('are computed quickly in one very long line', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => `{"n":${String(i)}}`)
    const { document } = readDocument(`{"a":[${items.join(',')}]}`, 'x', {})
    const began = cpuTimeMs()
    for (let i = 0; i < 20_000; i++) document.valueAt(`/a/${String(i)}/n`)
    assert.ok(cpuTimeMs() - began < 10_000)
  })
})

test('a configuration document', async (t) => {
  await t.test('without content is an empty object', () => {
    assert.deepEqual(
      ['', '# nothing', '---\n', 'null'].map((text) => readDocument(text, 'x', {}).document.value),
      [{}, {}, {}, {}],
    )
  })
  await t.test('prefers explicit fields to merged ones', () => {
    const text = 'x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\nz:\n  b: 0\n  <<: [*x, *y]\n'
    assert.deepEqual((readDocument(text, 'x', {}).document.value as { z: unknown }).z, { b: 0, a: 1, c: 4 })
  })
  await t.test('reads numeric names as they are written', () => {
    assert.deepEqual(readDocument('{080: a, true: b, 1.0: c}', 'x', {}).document.value, {
      '080': 'a',
      true: 'b',
      '1.0': 'c',
    })
  })
  await t.test('cannot modify prototypes', () => {
    const { document, problems: found } = readDocument(
      '__proto__: {polluted: yes}\nconstructor: 1\n',
      'x',
      {},
    )
    assert.equal(found.length, 2)
    assert.deepEqual(document.value, {})
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
  await t.test('with an alias bomb is refused quickly', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 12; i++) {
      const name = `*a${String(i - 1)}`
      lines.push(`a${String(i)}: &a${String(i)} [${Array<string>(9).fill(name).join(', ')}]`)
    }
    const began = cpuTimeMs()
    const { document, problems: found } = readDocument(lines.join('\n'), 'x', {})
    assert.equal(document.value, undefined)
    assert.equal(found.length, 1)
    assert.ok(cpuTimeMs() - began < 10_000)
  })
  await t.test('with excessive nesting is refused', () => {
    for (const level of ['[', '{a: ', '- ', '? ']) {
      assert.deepEqual(problems(level.repeat(100_000)), ['1:1 the configuration is nested too deeply'])
    }
    assert.deepEqual(problems(`${'['.repeat(90)}${']'.repeat(90)}`), [])
  })
  await t.test('may not exceed the size limit', () => {
    assert.match(problems('#'.repeat(16 * 1024 * 1024 + 1)).join(), /larger than 16777216 bytes/)
  })
  await t.test('that merges a value other than a mapping is refused', () => {
    assert.deepEqual(problems('a: {<<: 5}'), ['1:9 "<<" takes a mapping, an alias of one, or a list of them'])
  })
})
