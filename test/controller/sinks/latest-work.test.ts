import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BehaviorSubject, defer, of, Subject, throwError } from 'rxjs'
import { ApiFailure } from '../../../src/controller/api/api-failure.ts'
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

/** Work that fails until `works` is set, on items that change with each turn of the event loop. */
const failing = (t: TestContext, retryAfterMs = 0) => {
  const items$ = new Subject<Item>()
  const attempts: number[] = []
  const state = { works: false }
  const work = items$
    .pipe(
      workOnLatest<Item, unknown>({
        keyOf: ({ key }) => key,
        work: ({ value }) =>
          defer(() => {
            attempts.push(value ?? 0)
            return state.works
              ? of(undefined)
              : throwError(() => new ApiFailure(409, 'Conflict', 'the object was changed', { retryAfterMs }))
          }),
        onFailure: () => undefined,
        isLeader$: of(true),
        isLast: () => false,
        hasWork: () => true,
        concurrency: 1,
        backoff: { firstMs: 20, maxMs: 60_000 },
      }),
    )
    .subscribe()
  t.after(() => work.unsubscribe())
  return { items$, attempts, state }
}

test('an item that changes all the time while its work fails is worked on once in the first delay', async (t) => {
  const { items$, attempts, state } = failing(t)
  const startMs = performance.now()
  for (let value = 1; attempts.length < 10; value++) {
    items$.next({ key: 'one', value })
    await nextTurn()
  }
  // The first delay is 20 ms, or half of that.
  assert.ok(performance.now() - startMs >= 9 * 9, String(performance.now() - startMs))
  // The change that makes it work does not wait for the tenth delay, which is 10 s.
  state.works = true
  items$.next({ key: 'one', value: -1 })
  const changedMs = performance.now()
  while (attempts.at(-1) !== -1) await nextTurn()
  assert.ok(performance.now() - changedMs < 5_000)
})

test('a change does not go before the time that the server has asked for', async (t) => {
  const { items$, attempts } = failing(t, 300)
  const startMs = performance.now()
  for (let value = 1; attempts.length < 2; value++) {
    items$.next({ key: 'one', value })
    await nextTurn()
  }
  // The clock of timers is whole milliseconds, and up to a millisecond late: 298 and more.
  assert.ok(performance.now() - startMs >= 295, String(performance.now() - startMs))
})

test('other work has its turn while many items are done at once', async () => {
  const items$ = new Subject<Item>()
  const worked: string[] = []
  const subscription = items$
    .pipe(
      workOnLatest<Item, unknown>({
        keyOf: ({ key }) => key,
        work: ({ key }) => {
          for (const began = performance.now(); performance.now() - began < 1;);
          worked.push(key)
          return of(undefined)
        },
        onFailure: () => undefined,
        isLeader$: of(true),
        isLast: () => false,
        hasWork: () => true,
        concurrency: 1,
        backoff: { firstMs: 1, maxMs: 1 },
      }),
    )
    .subscribe()
  const keys = Array.from({ length: 30 }, (_, index) => `item-${index}`)
  for (const key of keys) items$.next({ key, value: 1 })
  assert.ok(worked.length < 15, `${worked.length} in the first turn`)
  let turns = 0
  for (; worked.length < keys.length; turns++) await nextTurn()
  assert.deepEqual(worked, keys)
  assert.ok(turns > 1)
  subscription.unsubscribe()
})
