import { setTimeout } from 'node:timers/promises'
import type { Evaluate } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { bodiesReadBy, holding } from './body/hold.ts'
import { filterFault } from './filter-fault.ts'
import { applied } from './policy-note.ts'

/** How long to wait. */
export interface DelayOptions {
  /** Milliseconds, or an expression for a number of them or for a duration. */
  readonly duration: number | Evaluate
  /** How much of a request body the expression may read; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Makes exchanges wait before they go on, at most the 24 days a timer can count. The wait is part of the exchange's
 * time-out, and ends when the client leaves.
 *
 * @throws Fault `filter_failed`, through the error channel, if the duration cannot be evaluated.
 */
export const delay = ({ duration, bufferLimitBytes }: DelayOptions): Operator => {
  if (typeof duration === 'number') return onRequest('delay', (x) => wait(x, duration))
  const held = bodiesReadBy([duration])
  return onRequest(
    'delay',
    holding(held, bufferLimitBytes, (x) => {
      const result = duration(x)
      const ms = 'value' in result ? milliseconds(result.value) : undefined
      if (ms === undefined) {
        const cause = 'error' in result ? result.error : 'neither a duration nor a number'
        throw filterFault('the delay could not be evaluated', cause, held.request !== false)
      }
      return wait(x, ms)
    }),
  )
}

const LONGEST_MS = 2 ** 31 - 1

const wait = (x: Exchange, ms: number): Promise<undefined> | undefined => {
  if (ms <= 0) return undefined
  x.probe?.note(applied('delay', `waits ${ms} ms`))
  return setTimeout(Math.min(ms, LONGEST_MS), undefined, { signal: x.signal })
}

/** CEL durations, like numbers, have a primitive value in milliseconds; dates would too, but are no durations. */
const milliseconds = (value: unknown): number | undefined => {
  if (typeof value === 'string' || value instanceof Date) return undefined
  const ms = typeof value === 'bigint' ? Number(value) : primitive(value)
  return typeof ms === 'number' && !Number.isNaN(ms) ? ms : undefined
}

const primitive = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? value.valueOf() : value
