import {
  catchError,
  forkJoin,
  map,
  type MonoTypeOperatorFunction,
  type Observable,
  of,
  tap,
  throwError,
  timeout,
} from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import { noteStep } from '../note-step.ts'
import type { Target } from '../servers/target.ts'

/** What one server contributed. */
export interface Share<T> {
  readonly target: Target
  readonly value: T
}

/** Whether one failing server fails all. */
export type FailureMode = 'failClosed' | 'failOpen'

/** What is done without servers that fail, or are late. */
export interface Forbearance {
  readonly failureMode: FailureMode
  /** Servers that take longer are left out, whatever the failure mode. Undefined: they are waited for. */
  readonly partialAfterMs?: number | undefined
}

/**
 * Asks all servers at once, and gives what they said in the order of the configuration. Where failing is open, those that
 * cannot be asked are left out; if that is all of them, the first one's fault is the answer. An answer of 401 or 403 is
 * never left out: a list that is empty for want of rights would look like a list of nothing.
 *
 * What is asked of a server that is late is given up.
 *
 * @param x Whose trace tells what became of each.
 */
export const fanOut = <T>(
  targets: readonly Target[],
  { failureMode, partialAfterMs }: Forbearance,
  ask: (target: Target) => Observable<T>,
  x?: Exchange,
): Observable<Share<T>[]> => {
  const told = (target: Target, error: string | null): void => {
    if (x?.probe && targets.length > 1) noteStep(x, { step: 'share', target: target.name, error })
  }
  const faults: Fault[] = []
  const each = (target: Target): Observable<Share<T> | undefined> =>
    (partialAfterMs === undefined ? ask(target) : ask(target).pipe(inTime(target, partialAfterMs))).pipe(
      map((value) => ({ target, value })),
      tap(() => {
        told(target, null)
      }),
      catchError((fault: unknown) => {
        if (!(fault instanceof Fault)) return throwError(() => fault)
        told(target, fault.message)
        if (isOurs(fault)) return throwError(() => fault)
        const isFatal = failureMode === 'failClosed' && fault.code !== LATE
        if (isFatal || needsCredentials(fault)) return throwError(() => fault)
        faults.push(fault)
        return of(undefined)
      }),
    )
  return forkJoin(targets.map(each)).pipe(
    map((shares) => {
      const [first] = faults
      if (first && faults.length === targets.length) throw first
      return shares.filter((share) => share !== undefined)
    }),
  )
}

const inTime = <T>(target: Target, limitMs: number): MonoTypeOperatorFunction<T> =>
  timeout({ first: limitMs, with: () => throwError(() => late(target, limitMs)) })

const LATE = 'mcp_server_late'

const late = ({ name }: Target, limitMs: number): Fault =>
  new Fault(LATE, `mcp: target ${name} did not answer within ${limitMs} ms`, { status: 504, reason: 'MCP' })

const isOurs = (fault: Fault): boolean => fault instanceof McpRefusal

const needsCredentials = ({ status }: Fault): boolean => status === 401 || status === 403
