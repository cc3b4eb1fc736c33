import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { encodePprof } from '../../../src/admin/profiling/encode-pprof.ts'
import { mergeProfiles } from '../../../src/admin/profiling/merge-profiles.ts'
import { type StackProfile, StackTable } from '../../../src/admin/profiling/stack-profile.ts'
import { decodeProfile } from '../../support/decode-profile.ts'

const frame = (name: string, line: number) => ({ name, script: '/src/a.ts', line, column: 3, startLine: 1 })

const profile = (over: Partial<StackProfile>): StackProfile => ({
  valueTypes: [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ],
  period: { type: ['cpu', 'nanoseconds'], value: 10_000_000 },
  beganAtMs: 1_700_000_000_000,
  durationMs: 1000,
  frames: [frame('inner', 2), frame('outer', 7)],
  stacks: [{ frames: [0, 1], values: [3, 30] }],
  comments: [],
  ...over,
})
const encoded = (over: Partial<StackProfile> = {}): Uint8Array =>
  gzipSync(encodePprof(profile(over)).encode())

suite('profiles of several processes', () => {
  test('add up by stack, whatever the order of their frames', () => {
    const other = encoded({
      frames: [frame('outer', 7), frame('', 9), frame('inner', 2)],
      stacks: [
        { frames: [2, 0], values: [4, 40] },
        { frames: [1], values: [1, 10] },
      ],
      durationMs: 2000,
      comments: ['incomplete'],
    })
    const merged = decodeProfile(mergeProfiles([encoded(), other]))
    assert.deepEqual(merged, {
      valueTypes: ['samples/count', 'cpu/nanoseconds'],
      period: 'cpu/nanoseconds 10000000',
      durationMs: 2000,
      comments: ['incomplete'],
      stacks: [
        { frames: ['inner /src/a.ts:2', 'outer /src/a.ts:7'], values: [7, 70] },
        { frames: ['(anonymous) /src/a.ts:9'], values: [1, 10] },
      ],
    })
  })

  test('stay the same bytes if there is one', () => {
    const one = encoded()
    assert.equal(mergeProfiles([one]), one)
  })

  test('are refused if they measure different things', () => {
    const heap = encoded({ valueTypes: [['inuse_space', 'bytes']], stacks: [] })
    assert.throws(() => mergeProfiles([encoded(), heap]), /profiles differ/)
  })
})

test('a table of stacks counts those beyond its limit as one', () => {
  const table = new StackTable(2)
  for (let i = 0; i < 5; i++) table.add([table.frameId(frame(`f${i}`, i))], [1])
  table.add([0], [10])
  const names = table.stacks.map(({ frames: [id], values }) => [table.frames[id!]!.name, ...values])
  assert.deepEqual(names, [
    ['f0', 11],
    ['f1', 1],
    ['(other stacks)', 3],
  ])
})
