import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { Subject } from 'rxjs'
import { changesOfListed } from '../../../src/streams/config/file-changes.ts'
import { until } from '../../support/stream-body.ts'

test('watched files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'file-changes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [a, b] = ['a', 'b'].map((name) => join(folder, name)) as [string, string]
  for (const file of [a, b]) writeFileSync(file, 'before')

  await t.test('are watched as the list changes, until the subscriber is gone', async () => {
    const lists = new Subject<readonly string[]>()
    const seen: string[] = []
    const watching = changesOfListed(lists, 10).subscribe((file) => seen.push(basename(file)))
    let writes = 0
    /** Writes until it is noticed: the start of watching is not observable. */
    const noticed = async (file: string) => {
      seen.length = 0
      const name = basename(file)
      const writing = setInterval(() => writeFileSync(file, `write ${++writes}`), 50)
      try {
        await until(() => seen.includes(name), `a change of ${name}`)
      } finally {
        clearInterval(writing)
      }
    }
    lists.next([a])
    await noticed(a)
    lists.next([a, b])
    await noticed(a)
    await noticed(b)
    lists.next([b])
    seen.length = 0
    writeFileSync(a, 'not looked at any more')
    await noticed(b)
    assert.equal(seen.includes('a'), false)
    watching.unsubscribe()
    assert.equal(lists.observed, false)
  })

  await t.test('are not reread because others are added and removed', async () => {
    const lists = new Subject<readonly string[]>()
    const seen: string[] = []
    const watching = changesOfListed(lists, 20).subscribe((file) => seen.push(basename(file)))
    lists.next([a])
    let writes = 0
    while (seen.length === 0) {
      writeFileSync(a, `until it is watched: ${++writes}`)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    // Earlier writes must not count below: until several polls find nothing new.
    do {
      seen.length = 0
      await new Promise((resolve) => setTimeout(resolve, 50))
    } while (seen.length > 0)
    writeFileSync(a, 'written when the list changes')
    lists.next([a, b])
    await until(() => seen.includes('a'), 'a change of a')
    watching.unsubscribe()
  })
})
