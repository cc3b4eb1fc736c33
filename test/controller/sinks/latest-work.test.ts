import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BehaviorSubject, of, Subject } from 'rxjs'
import { workOnLatest } from '../../../src/controller/sinks/latest-work.ts'

/** An item of a key; without a value there is nothing to do once the key is in `deleted`. */
interface Item {
  readonly key: string
  readonly value: number | undefined
}

/** A replica that does not lead yet, with what it works on once it does. */
const standby = () => {
  const items$ = new Subject<Item>()
  const isLeader$ = new BehaviorSubject(false)
  const deleted = new Set<string>()
  const worked: string[] = []
  let asked = 0
  const work = items$
    .pipe(
      workOnLatest<Item, unknown>({
        keyOf: ({ key }) => key,
        work: ({ key }) => {
          worked.push(key)
          return of(undefined)
        },
        onFailure: () => undefined,
        isLeader$,
        isLast: ({ value }) => value === undefined,
        hasWork: ({ key, value }) => {
          asked += 1
          return value !== undefined || !deleted.has(key)
        },
        concurrency: 1,
        backoff: { firstMs: 1, maxMs: 1 },
      }),
    )
    .subscribe()
  const lead = () => {
    isLeader$.next(true)
    work.unsubscribe()
    return worked
  }
  return { items$, deleted, lead, asked: () => asked }
}

test('a replica that does not lead keeps no items of objects that are gone', () => {
  const { items$, deleted, lead } = standby()
  for (let index = 0; index < 1_000; index++) {
    const key = `route-${index}`
    items$.next({ key, value: index })
    deleted.add(key)
    items$.next({ key, value: undefined })
  }
  items$.next({ key: 'kept', value: 1 })
  assert.deepEqual(lead(), ['kept'])
})

test('what is left to undo is kept for whoever leads later', () => {
  const { items$, lead } = standby()
  items$.next({ key: 'there', value: 1 })
  items$.next({ key: 'there', value: undefined })
  assert.deepEqual(lead(), ['there'])
})

test('an object that is deleted after its last item is forgotten as well, sooner or later', () => {
  const { items$, deleted, lead, asked } = standby()
  for (let index = 0; index < 10_000; index++) {
    items$.next({ key: `route-${index}`, value: undefined })
    deleted.add(`route-${index}`)
  }
  const worked = lead()
  assert.ok(worked.length <= 65, String(worked.length))
  // Looking for them costs a few calls for each item.
  assert.ok(asked() < 50_000, String(asked()))
})
