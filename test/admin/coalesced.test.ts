import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coalesced } from '../../src/admin/coalesced.ts'

test('concurrent callers share a run that began after they came', async () => {
  let runs = 0
  const ends: ((fault?: Error) => void)[] = []
  const report = coalesced(
    () =>
      new Promise<number>((resolve, reject) => {
        const run = ++runs
        ends.push((fault) => {
          if (fault) reject(fault)
          else resolve(run)
        })
      }),
  )
  const first = report()
  const later = [report(), report(), report()]
  assert.equal(runs, 1)
  ends[0]?.()
  assert.equal(await first, 1)
  await Promise.resolve()
  assert.equal(runs, 2)
  const last = report()
  ends[1]?.(new Error('broken'))
  for (const one of later) await assert.rejects(one, /broken/)
  ends[2]?.()
  assert.equal(await last, 3)
  const fresh = report()
  ends[3]?.()
  assert.equal(await fresh, 4)
})
