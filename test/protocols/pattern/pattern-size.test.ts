import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { largestProgram, patternShare, patternSize } from '../../../src/protocols/pattern/pattern-size.ts'

const cpuMs = (run: () => void): number => {
  const begin = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000
}

test('patterns of ordinary users are far below the limit', () => {
  const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
  assert.deepEqual(patternSize(uuid), { size: 38 })
  assert.deepEqual(patternSize('/api/v[0-9]+/users/[^/]+'), { size: 19 })
  assert.ok('size' in patternSize('.{0,255}'))
})

test('a pattern is too large by its characters, or by what it compiles to', () => {
  assert.deepEqual(patternSize('a'.repeat(1_025)), { exceeds: 1_024, of: 'characters' })
  assert.deepEqual(patternSize('(?:ab){1000}'), { exceeds: 1_024, of: 'instructions' })
  assert.deepEqual(patternSize('(((a{10}){10}){10})'), { exceeds: 1_024, of: 'instructions' })
  assert.throws(() => patternSize('a('), /missing closing \)/)
})

test('a pattern of millions of instructions is refused without making them', () => {
  // Compiled, each would take a third of a second.
  const one = Array.from({ length: 40 }, (_, i) => `(?:[a-z]\\pL${i}){1000}`).join('|')
  const ms = cpuMs(() => {
    for (let i = 0; i < 100; i++)
      assert.deepEqual(patternSize(`${one}|${i}`), { exceeds: 1_024, of: 'instructions' })
  })
  assert.ok(ms < 2_000, `${ms} ms`)
})

test('what a pattern counts for is never less than its characters', () => {
  assert.equal(patternShare('a|'.repeat(100)), 200)
  assert.equal(patternShare('a{100}'), 102)
})

test('the estimate is never below the size of the program', () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return (seed >> 8) % below
  }
  const pick = (list: readonly string[]): string => list[random(list.length)] ?? ''
  const made = (depth: number): string => {
    const kind = random(depth > 3 ? 6 : 12)
    const atoms = ['a', 'k', '[a-c]', '[]x]', '\\d', '\\x{41}', '\\Qa*\\E', '[[:alpha:]]', '.', '\\pL', '$']
    if (kind < 6) return pick(atoms) + pick(['', '', '*', '+?', '?', '{2}', '{0,3}', '{2,}', '{7}'])
    if (kind < 8) return `(${made(depth + 1)}|${made(depth + 1)})`
    if (kind < 10) return `(?:${made(depth + 1)})${pick(['', '*', '{3}', '{1,4}', '{0,5}', '{2,}'])}`
    return made(depth + 1) + made(depth + 1)
  }
  for (let i = 0; i < 3_000; i++) {
    const text = pick(['', '(?i)', '^']) + made(0)
    const size = RE2JS.compile(text).programSize()
    assert.ok(largestProgram(text) >= size, `${text}: ${largestProgram(text)} < ${size}`)
  }
})
