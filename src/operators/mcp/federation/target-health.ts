import { catchError, type MonoTypeOperatorFunction, tap, throwError } from 'rxjs'
import { Fault } from '../../../../model/fault.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import type { Target } from '../servers/target.ts'

/** Takes down whether a server can be used, by what comes of asking it. */
export const takeDownHealth = <T>({ memory }: Target): MonoTypeOperatorFunction<T> =>
  tap({
    next: () => {
      memory.isWell()
    },
    error: (fault: unknown) => {
      if (fault instanceof Fault && isServers(fault)) memory.failed(fault.message)
    },
  })

/** What went wrong on the way to a server names the server: the client of several cannot tell otherwise. */
export const nameTarget = <T>({ name }: Target): MonoTypeOperatorFunction<T> =>
  catchError((fault: unknown) => throwError(() => named(fault, name)))

const named = (fault: unknown, target: string): unknown => {
  if (!(fault instanceof Fault) || fault.reason === 'MCP') return fault
  const { code, message, status, reason, cause } = fault
  return new Fault(code, `mcp: target ${target}: ${message}`, { status, reason, cause })
}

/** Whether it would have happened to anybody. Who lacks rights or asks too much learns nothing of the server. */
const isServers = (fault: Fault): boolean =>
  !(fault instanceof McpRefusal) &&
  !(fault instanceof ServerRefused && askers.has(fault.status)) &&
  !ours.has(fault.code)

const askers: ReadonlySet<number> = new Set([401, 403, 407, 413, 429])

/** Ended on this side. */
const ours: ReadonlySet<string> = new Set(['mcp_client_erred', 'mcp_session_closed', 'mcp_too_many_held'])
