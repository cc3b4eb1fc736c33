import assert from 'node:assert/strict'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { config } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import { Reply } from '../model/exchange/reply.ts'
import { emptyBody } from '../model/exchange/body.ts'
import { Headers } from '../model/exchange/headers.ts'
import type { Operator } from '../pipeline/stage.ts'
import { exchange, type ExchangeOverrides } from './exchange.ts'
import { TraceRecorder } from './trace-recorder.ts'
import { watchRun } from './observe-run.ts'

/** How an operator differs from a plain stage. */
export interface LawOptions {
  /** Overrides for the exchanges, so that the operator acts on them. */
  readonly exchange?: ExchangeOverrides
  /** It parks exchanges by design; by default it must decide synchronously. */
  readonly parks?: boolean
  /** It is no stage of its own and does not appear in the trace. */
  readonly untraced?: boolean
}

/**
 * Checks the contract of operators, with exchanges that have a reply and with others:
 *
 * 1. One exchange in, the same one out, then complete.
 * 2. A request stage leaves exchanges with a reply untouched, a reply stage those without.
 * 3. Synchronous in, synchronous out.
 * 4. An exception becomes an `error`, and a fault of its source passes through.
 * 5. Parked and unsubscribed, it stays silent.
 * 6. Unsubscribing unsubscribes from the source.
 * 7. On a traced exchange, it is traced once.
 *
 * @param given An operator, or a function without parameters that makes one.
 * @throws AssertionError that names the law.
 * @example
 * await t.test('obeys the laws of operators', () => operatorLaws(csrf({ additionalOrigins: [] })))
 */
export const operatorLaws = async (
  given: Operator | (() => Operator),
  options: LawOptions = {},
): Promise<void> => {
  const make = given.length === 0 ? (given as () => Operator) : () => given as Operator
  const fresh = (hasReply: boolean, more: ExchangeOverrides = {}) =>
    exchange({ ...options.exchange, ...more, ...(hasReply ? { reply: plainReply() } : {}) })

  let untouched = 0
  for (const hasReply of [false, true]) {
    const x = fresh(hasReply)
    const before = portrait(x)
    await oneInOneOut(make(), x, options.parks ?? false)
    if (same(before, portrait(x))) untouched++
    await staysSilent(make(), fresh(hasReply))
    await throwingBecomesError(make(), fresh(hasReply))
  }
  assert.ok(untouched > 0, 'law 2: a stage acts on requests or on replies, and leaves the others untouched')
  await passesFaults(make())
  if (!options.untraced) await isTracedOnce(make, fresh)
}

const oneInOneOut = async (operator: Operator, x: Exchange, parks: boolean): Promise<void> => {
  const watched = watchRun(operator, x)
  const atOnce = watched.events.length
  await watched.ended
  assert.deepEqual(watched.events, ['next', 'complete'], 'law 1: one in, one out, then complete')
  assert.ok(watched.came[0] === x, 'law 1: the exchange that comes out is the one that went in')
  if (!parks) assert.equal(atOnce, 2, 'law 3: synchronous in, synchronous out')
}

const staysSilent = async (operator: Operator, x: Exchange): Promise<void> => {
  const watched = watchRun(operator, x, { open: true })
  const before = watched.events.length
  watched.unsubscribe()
  assert.ok(watched.released(), 'law 6: unsubscribing lets go of the source')
  await setImmediate()
  assert.equal(watched.events.length, before, 'law 5: silent once unsubscribed')
}

const throwingBecomesError = async (operator: Operator, x: Exchange): Promise<void> => {
  const bug = new Error('thrown on purpose')
  Object.defineProperty(x, 'request', throwing(bug))
  if (x.reply) Object.defineProperty(x.reply, 'headers', throwing(bug))
  const escaped = await unhandledDuring(async () => {
    const watched = watchRun(operator, x)
    await watched.ended
    if (watched.events.includes('error'))
      assert.equal(watched.fault, bug, 'law 4: what is thrown becomes an error')
  })
  assert.deepEqual(escaped, [], 'law 4: what is thrown does not escape')
}

/** Unhandled errors while `act` ran, which would have ended the process. */
const unhandledDuring = async (act: () => Promise<void>): Promise<unknown[]> => {
  const escaped: unknown[] = []
  const before = config.onUnhandledError
  config.onUnhandledError = (error) => escaped.push(error)
  try {
    await act()
    await setTimeout(2) // rxjs reports them from a timer
  } finally {
    config.onUnhandledError = before
  }
  return escaped
}

const passesFaults = async (operator: Operator): Promise<void> => {
  const fault = new Error('the source failed')
  const watched = watchRun(operator, undefined, { fault })
  await watched.ended
  assert.deepEqual(watched.events, ['error'], 'law 4: a fault of the source passes through')
  assert.equal(watched.fault, fault, 'law 4: a fault of the source passes through unchanged')
}

const isTracedOnce = async (
  make: () => Operator,
  fresh: (hasReply: boolean, more: ExchangeOverrides) => Exchange,
): Promise<void> => {
  const traces = [new TraceRecorder(), new TraceRecorder()]
  for (const [i, trace] of traces.entries()) await watchRun(make(), fresh(i === 1, { trace })).ended
  const counts = traces.map((trace) => trace.stages.length)
  assert.deepEqual(counts.toSorted(), [0, 1], 'law 7: traced exactly once')
}

const throwing = (bug: Error): PropertyDescriptor => ({
  get: () => {
    throw bug
  },
})

const plainReply = (): Reply => new Reply(200, new Headers(['x-plain', 'yes']), emptyBody, 'Upstream')

const portrait = (x: Exchange): readonly unknown[] => [
  x.request.method,
  x.request.target,
  x.request.scheme,
  x.request.authority,
  x.request.body,
  x.request.headers.raw.join('\n'),
  x.reply,
  x.reply?.status,
  x.reply?.body,
  x.reply?.headers.raw.join('\n'),
]

const same = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.every((part, i) => part === other[i])
