import { catchError, type MonoTypeOperatorFunction, tap, throwError } from 'rxjs'
import { Fault } from '../../../model/exchange/fault.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import { ServerDied } from '../../../upstream/mcp/stdio/faults.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import type { Target } from '../servers/target.ts'

/** Records the health of a server by the results of calls. */
export const recordHealth = <T>({ state }: Target): MonoTypeOperatorFunction<T> =>
  tap({
    next: () => {
      state.succeeded()
    },
    error: (fault: unknown) => {
      if (fault instanceof Fault && isServers(fault)) state.failed(inFull(fault))
    },
  })

/** Operators may see the end of a program's stderr. */
const inFull = (fault: Fault): string =>
  fault instanceof ServerDied && fault.stderr !== ''
    ? `${fault.message}; ${String(fault.cause)}`
    : fault.message

/** Adds the server's name to faults on the way to it: the client of several servers does not get it otherwise. */
export const nameTarget = <T>({ name }: Target): MonoTypeOperatorFunction<T> =>
  catchError((fault: unknown) => throwError(() => named(fault, name)))

const named = (fault: unknown, target: string): unknown => {
  if (!(fault instanceof Fault) || fault.reason === 'MCP') return fault
  const { code, message, status, reason, cause } = fault
  return new Fault(code, `mcp: target ${target}: ${message}`, { status, reason, cause })
}

/**
 * Whether the fault is the server's and not the caller's: missing permissions and oversized requests are not its
 * failures.
 */
const isServers = (fault: Fault): boolean =>
  !(fault instanceof McpRefusal) &&
  !(fault instanceof ServerRefused && callerStatuses.has(fault.status)) &&
  !ours.has(fault.code)

const callerStatuses: ReadonlySet<number> = new Set([401, 403, 407, 413, 429])

/** Sessions ended by the gateway, or by the client on another replica. */
const ours: ReadonlySet<string> = new Set([
  'mcp_client_erred',
  'mcp_session_closed',
  'mcp_session_unknown',
  'mcp_too_many_held',
])
