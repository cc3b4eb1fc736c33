import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstValueFrom, from, lastValueFrom, toArray } from 'rxjs'
import { changedItems } from '../../src/controller/changed-items.ts'

interface Item {
  readonly key: string
  readonly value: number
}

const keyOf = ({ key }: Item): string => key
const a = { key: 'a', value: 1 }
const b = { key: 'b', value: 1 }

test('changed items', async (t) => {
  await t.test(
    'are those that are new or another object, and what is emitted for those that are gone',
    async () => {
      const otherB = { ...b }
      const changes$ = from([[a, b], [a, otherB], [otherB], []]).pipe(
        changedItems({ keyOf, goneOf: ({ key }) => `no ${key}` }),
        toArray(),
      )
      assert.deepEqual(await lastValueFrom(changes$), [a, b, otherB, 'no a', 'no b'])
    },
  )

  await t.test('are left out where they are the same in what matters, be they other objects', async () => {
    const lists: readonly (readonly Item[])[] = [[a], [{ ...a }], [{ ...a, value: 2 }]]
    const isSame = (before: Item, now: Item) => before.value === now.value
    const changes$ = from(lists).pipe(changedItems({ keyOf, isSame, goneOf: keyOf }), toArray())
    assert.deepEqual(await lastValueFrom(changes$), [a, { key: 'a', value: 2 }])
  })

  await t.test('go without a trace where nothing is to be emitted', async () => {
    const changes$ = from([[a, b], []]).pipe(
      changedItems({ keyOf, goneOf: (item) => (item === a ? 'no a' : undefined) }),
      toArray(),
    )
    assert.deepEqual(await lastValueFrom(changes$), [a, b, 'no a'])
  })

  await t.test('are all emitted again to another subscriber', async () => {
    const changes$ = from([[a]]).pipe(changedItems({ keyOf, goneOf: keyOf }))
    assert.equal(await firstValueFrom(changes$), a)
    assert.equal(await firstValueFrom(changes$), a)
  })

  await t.test('are found where they are among items that stay', async () => {
    const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ key, value: 1 }))
    const [first, second, third, ...others] = items as [Item, Item, Item, ...Item[]]
    const lists = [items, [first, third, ...others], [third, first, ...others], [first, second, third]]
    const changes$ = from(lists).pipe(
      changedItems<Item, string>({ keyOf, goneOf: ({ key }) => `no ${key}` }),
      toArray(),
    )
    const gone = others.map(({ key }) => `no ${key}`)
    assert.deepEqual(await lastValueFrom(changes$), [...items, 'no b', second, ...gone])
  })

  await t.test('cost no look at the keys of items before and after them', async () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ key: String(index), value: 1 }))
    const changed = items.with(50, { key: '50', value: 2 })
    let looks = 0
    const changes$ = from([items, changed]).pipe(
      changedItems({ keyOf: ({ key }: Item) => (looks++, key), goneOf: keyOf }),
      toArray(),
    )
    assert.deepEqual((await lastValueFrom(changes$)).slice(100), [changed[50]])
    assert.equal(looks, 102)
  })
})
