import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catchError, EMPTY, filter, map, mergeMap, Observable, of, pipe, tap } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { onRequest, type Operator } from '../../src/pipeline/stage.ts'
import { exchange, type LawOptions, operatorLaws } from '../../src/testing/index.ts'

const look = (name: string): Operator =>
  onRequest(name, (x) => {
    x.request.headers.get('x-look')
  })

const breaks = (law: number, operator: Operator | (() => Operator), options?: LawOptions) =>
  assert.rejects(operatorLaws(operator, options), { message: new RegExp(`^law ${law}:`) })

/** Emits exchanges manually, as an operator should not. */
const byHand =
  (next: (x: Exchange, out: { next(x: Exchange): void }) => void, keepsSource = false): Operator =>
  (source) =>
    new Observable((out) => {
      const running = source.subscribe({
        next: (x) => {
          next(x, out)
        },
        error: (fault) => {
          out.error(fault)
        },
        complete: () => {
          out.complete()
        },
      })
      return keepsSource ? undefined : running
    })

test('operatorLaws', async (t) => {
  await t.test('are obeyed by a stage, given as it is or by a factory', async () => {
    await operatorLaws(look('stage'))
    await operatorLaws(() => look('stage'))
  })

  await t.test('require one exchange out for each that goes in', async () => {
    await breaks(
      1,
      mergeMap((x) => of(x, x)),
    )
    await breaks(
      1,
      filter(() => false),
    )
  })

  await t.test('require the same exchange out that went in', () =>
    breaks(
      1,
      map(() => exchange()),
    ),
  )

  await t.test('require a stage to act in one phase only', () =>
    breaks(
      2,
      tap((x) => {
        x.request.headers.append('x-seen', 'yes')
      }),
    ),
  )

  await t.test('require an operator to declare that its exchanges may be pending', async () => {
    const waits = onRequest('waits', () => Promise.resolve(undefined))
    await breaks(3, waits)
    await operatorLaws(waits, { parks: true })
  })

  await t.test('require exceptions as errors', () =>
    breaks(
      4,
      byHand((x, out) => {
        if (x.request.method !== '') out.next(x)
      }),
    ),
  )

  await t.test('require faults of the source to be passed on', () =>
    breaks(
      4,
      catchError(() => EMPTY),
    ),
  )

  await t.test('require the source to be released', () =>
    breaks(
      6,
      byHand((x, out) => {
        out.next(x)
      }, true),
    ),
  )

  await t.test('require a stage to be traced once, and untraced stages to be declared', async () => {
    await breaks(7, pipe(look('one'), look('two')))
    await breaks(
      7,
      map((x) => x),
    )
    await operatorLaws(
      map((x) => x),
      { untraced: true },
    )
  })
})
