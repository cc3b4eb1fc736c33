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
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import { traceStep } from '../trace-step.ts'
import type { Target } from '../servers/target.ts'

/** The result of one server. */
export interface TargetResult<T> {
  readonly target: Target
  readonly value: T
}

/** Whether one failing server fails all. */
export type FailureMode = 'failClosed' | 'failOpen'

/** How servers that fail or are late are treated. */
export interface FailurePolicy {
  readonly failureMode: FailureMode
  /** Servers that take longer are left out, whatever the failure mode. Undefined: no limit. */
  readonly partialAfterMs?: number | undefined
}

/**
 * Calls all servers concurrently, and emits their results in the order of the configuration. With `failOpen`, servers
 * that fail are left out; if all fail, the fault of the first is raised. A 401 or 403 is never left out: the list would
 * look empty for want of rights.
 *
 * The call to a server that is late is cancelled.
 *
 * @param x Its trace records the result of each.
 */
export const fanOut = <T>(
  targets: readonly Target[],
  { failureMode, partialAfterMs }: FailurePolicy,
  call: (target: Target) => Observable<T>,
  x?: Exchange,
): Observable<TargetResult<T>[]> => {
  const traceShare = (target: Target, error: string | null): void => {
    if (x?.probe && targets.length > 1) traceStep(x, { step: 'share', target: target.name, error })
  }
  const faults: Fault[] = []
  const each = (target: Target): Observable<TargetResult<T> | undefined> =>
    (partialAfterMs === undefined ? call(target) : call(target).pipe(inTime(target, partialAfterMs))).pipe(
      map((value) => ({ target, value })),
      tap(() => {
        traceShare(target, null)
      }),
      catchError((fault: unknown) => {
        if (!(fault instanceof Fault)) return throwError(() => fault)
        traceShare(target, fault.message)
        if (isOurs(fault)) return throwError(() => fault)
        const isFatal = failureMode === 'failClosed' && fault.code !== TIMEOUT_CODE
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
  timeout({ first: limitMs, with: () => throwError(() => timeoutFault(target, limitMs)) })

const TIMEOUT_CODE = 'mcp_server_late'

const timeoutFault = ({ name }: Target, limitMs: number): Fault =>
  new Fault(TIMEOUT_CODE, `mcp: target ${name} did not answer within ${limitMs} ms`, {
    status: 504,
    reason: 'MCP',
  })

const isOurs = (fault: Fault): boolean => fault instanceof McpRefusal

const needsCredentials = ({ status }: Fault): boolean => status === 401 || status === 403
