import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER, of, startWith } from 'rxjs'
import { type PendingWork, type PendingWorkEvents, keepOpen } from '../../src/pipeline/keep-open.ts'
import { onReply } from '../../src/pipeline/stage.ts'
import { exchange, operatorLaws } from '../../src/testing/index.ts'

class Work implements PendingWork {
  isOver = false
  left = 0
  events: PendingWorkEvents | undefined = undefined

  follow(events: PendingWorkEvents): void {
    this.events = events
  }

  release(): void {
    this.left++
  }
}

const stage = onReply('stage', () => undefined)

const observed = (work: Work, isOpen = false) => {
  const events: unknown[] = []
  const x = exchange()
  const source$ = isOpen ? NEVER.pipe(startWith(x)) : of(x)
  const subscription = keepOpen(
    stage,
    () => work,
  )(source$).subscribe({
    next: () => events.push('next'),
    error: (fault: unknown) => events.push(fault),
    complete: () => events.push('complete'),
  })
  return { events, subscription }
}

test('keepOpen', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(() => keepOpen(stage, () => undefined)))

  await t.test('completes when the pending work of the exchange ends, and releases it', () => {
    const work = new Work()
    const { events } = observed(work)
    assert.deepEqual([events, work.left], [['next'], 0])
    work.isOver = true
    work.events?.over()
    work.events?.over()
    assert.deepEqual([events, work.left], [['next', 'complete'], 1])
  })

  await t.test('waits for its source as well', () => {
    const work = new Work()
    work.isOver = true
    const { events, subscription } = observed(work, true)
    assert.deepEqual([events, work.left], [['next'], 0])
    subscription.unsubscribe()
    assert.equal(work.left, 1)
  })

  await t.test(
    'fails when the pending work does, and emits nothing after that or without a subscriber',
    () => {
      const work = new Work()
      const { events } = observed(work)
      work.events?.broke('broken')
      work.events?.over()
      assert.deepEqual([events, work.left], [['next', 'broken'], 1])
      const other = new Work()
      const second = observed(other)
      second.subscription.unsubscribe()
      other.events?.broke('broken')
      other.events?.over()
      assert.deepEqual([second.events, other.left], [['next'], 1])
    },
  )
})
