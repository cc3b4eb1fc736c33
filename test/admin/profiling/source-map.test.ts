import assert from 'node:assert/strict'
import { SourceMap } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { SourceMapTable } from '../../../src/admin/profiling/source-map.ts'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const vlq = (value: number): string => {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS.charAt(rest > 0 ? digit | 32 : digit)
  } while (rest > 0)
  return text
}

/** The distance to the entry before, then source, line, column and perhaps a name. */
const entry = fc.tuple(
  fc.integer({ min: 1, max: 70 }),
  fc.integer({ min: 0, max: 2 }),
  fc.integer({ min: 0, max: 5_000 }),
  fc.integer({ min: 0, max: 90 }),
  fc.boolean(),
)

test('finds the entries that the class of Node finds', () => {
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 6 }), { minLength: 1, maxLength: 8 }), (lines) => {
      let [source, line, column] = [0, 0, 0]
      const mappings = lines
        .map((entries) =>
          entries
            .map(([distance, ...to]) => {
              const text = [distance, to[0] - source, to[1] - line, to[2] - column].map(vlq).join('')
              ;[source, line, column] = to
              return text + (to[3] ? vlq(0) : '')
            })
            .join(','),
        )
        .join(';')
      const sources = ['a.ts', 'b.ts', 'c.ts']
      const map = {
        version: 3,
        file: 'x.js',
        sources,
        sourcesContent: [],
        names: ['n'],
        mappings,
        sourceRoot: '',
      }
      const [table, reference] = [new SourceMapTable(map), new SourceMap(map)]
      for (const [row, entries] of lines.entries()) {
        // Node's goes on to lines before.
        for (let at = entries[0]?.[0] ?? Infinity; at < 450; at += 7) {
          const found = reference.findEntry(row, at)
          assert.ok('originalSource' in found)
          assert.deepEqual(table.find(row, at), {
            source: found.originalSource,
            line: found.originalLine,
            column: found.originalColumn,
          })
        }
        assert.equal(table.find(row, (entries[0]?.[0] ?? 1) - 1), undefined)
      }
    }),
  )
})

test('has nothing for entries without a source, and for lines that do not exist', () => {
  const table = new SourceMapTable({ sources: ['a.ts'], mappings: 'AAAA,E;A' })
  assert.deepEqual(table.find(0, 1), { source: 'a.ts', line: 0, column: 0 })
  for (const [line, column] of [
    [0, 2],
    [1, 0],
    [2, 0],
    [-1, 0],
  ] as const)
    assert.equal(table.find(line, column), undefined)
  assert.equal(new SourceMapTable({ sources: [], mappings: '' }).find(0, 0), undefined)
})
