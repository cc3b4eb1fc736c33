import { setTimeout } from 'node:timers/promises'
import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { filterFault } from '../expression-fault.ts'
import { applied } from '../trace-policy.ts'

/** The delay. */
export interface DelayOptions {
  /** Milliseconds, or an expression for a number of them or for a duration. */
  readonly duration: number | Evaluate
  /**
   * Longest request body that the expression may read, in bytes; a longer one is refused with 413. 2 MiB by default.
   */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Delays exchanges, at most by the 24 days that a timer can count. The delay counts towards the exchange's timeout, and
 * ends when the client disconnects.
 *
 * @throws Fault `filter_failed`, through the error channel, if the duration cannot be evaluated.
 */
export const delay = ({ duration, bufferLimitBytes = DEFAULT_BUFFER_BYTES }: DelayOptions): Operator => {
  if (typeof duration === 'number') return onRequest('delay', (x) => wait(x, duration))
  const bodies = bodiesReadBy([duration])
  return onRequest(
    'delay',
    withBufferedBodies(bodies, bufferLimitBytes, (x) => {
      const result = duration(x)
      const ms = 'value' in result ? milliseconds(result.value) : undefined
      if (ms === undefined) {
        const cause = 'error' in result ? result.error : 'neither a duration nor a number'
        throw filterFault('the delay could not be evaluated', cause, bodies.request !== false)
      }
      return wait(x, ms)
    }),
  )
}

const LONGEST_MS = 2 ** 31 - 1

const wait = (x: Exchange, ms: number): Promise<undefined> | undefined => {
  if (ms <= 0) return undefined
  x.probe?.record(applied('delay', `waits ${ms} ms`))
  return setTimeout(Math.min(ms, LONGEST_MS), undefined, { signal: x.signal })
}

/** CEL durations, like numbers, have a primitive value in milliseconds. Dates have one too, but are no durations. */
const milliseconds = (value: unknown): number | undefined => {
  if (typeof value === 'string' || value instanceof Date) return undefined
  const ms = typeof value === 'bigint' ? Number(value) : primitive(value)
  return typeof ms === 'number' && !Number.isNaN(ms) ? ms : undefined
}

const primitive = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? value.valueOf() : value
