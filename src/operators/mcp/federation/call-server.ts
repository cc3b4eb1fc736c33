import { catchError, mergeMap, type Observable, tap, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { jsonRpcErrorIn } from '../response/json-rpc-error.ts'
import { callWithSpan } from './call-span.ts'
import type { McpClientRequest } from './client-request.ts'
import { nameTarget, recordHealth } from './target-health.ts'
import { type FromServer, isOutcome, type ServerClient, TransportClient } from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'
import { isResumed } from '../sessions/session.ts'
import { traceStep } from '../trace-step.ts'
import { inputRequestsOf, isInputRequired } from '../../../protocols/mcp/input-required.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import type { McpCall } from '../../../upstream/mcp/transport.ts'

/** Calls a server, and traces the call and its outcome. */
export const tracedCall = (
  x: Exchange,
  target: Target,
  server: ServerClient,
  call: McpCall,
): Observable<FromServer> => {
  const called = x.span
    ? callWithSpan(x, x.span, target, server, call)
    : server.call(call, target.requestContext(x))
  return x.probe ? traced(called, x, target, server, call) : called
}

const traced = (
  called: Observable<FromServer>,
  x: Exchange,
  { name: target, state }: Target,
  server: ServerClient,
  { method }: McpCall,
): Observable<FromServer> => {
  const began = x.probe?.now()
  const bridged = !(server instanceof TransportClient)
  // The server behind a bridge may not be connected yet.
  const revision = bridged ? (state.revision ?? null) : server.revision
  traceStep(x, { step: 'call', target, method, revision, bridged })
  return called.pipe(
    tap({
      next: (message) => {
        if (!isOutcome(message)) return
        const error = 'error' in message ? message.error.code : null
        traceStep(x, { step: 'outcome', target, method, error }, began)
        if ('error' in message || !isInputRequired(message.result)) return
        const asks = [...(inputRequestsOf(message.result)?.values() ?? [])].map((input) => input.method)
        traceStep(x, { step: 'input', target, asks })
      },
      error: (fault: unknown) => {
        traceStep(x, { step: 'outcome', target, method, error: String(fault) }, began)
      },
    }),
  )
}

/**
 * Calls a server for a client. A server that lost the session did nothing, so the call is repeated in a new session,
 * once; a server that died gets a new process with the next request.
 */
export const callServer = (
  { access, x }: Pick<McpClientRequest, 'access' | 'x'>,
  target: Target,
  call: McpCall,
): Observable<FromServer> => {
  const callThrough = (server: ServerClient): Observable<FromServer> => tracedCall(x, target, server, call)
  return access.connect(target, x).pipe(
    mergeMap((server) =>
      callThrough(server).pipe(
        catchError((fault: unknown) => {
          const sessionLost = isSessionLost(fault, server)
          if (sessionLost || isDead(fault)) {
            access.discard(server)
            // A restarted server may have other lists.
            target.state.lists.clear()
          }
          // A session of another replica may have been ended there: the client gets an error.
          if (sessionLost && isResumed(server)) return throwError(() => sessionOver(fault))
          return sessionLost ? access.connect(target, x).pipe(mergeMap(callThrough)) : throwError(() => fault)
        }),
      ),
    ),
    recordHealth(target),
    nameTarget(target),
  )
}

/** Whether a server reports the session as unknown. */
export const isSessionLost = (fault: unknown, server: ServerClient): boolean =>
  fault instanceof ServerRefused && server.sessionId !== undefined && refusesSession(fault)

/** The gateway's own error for unknown sessions, whatever the server's is. */
const sessionOver = (cause: unknown): Fault =>
  new Fault('mcp_session_unknown', 'mcp: session not found', { status: 404, reason: 'MCP', cause })

/** Whether the transport to a server is gone, so that only a new one can reach it. */
export const isDead = (fault: unknown): boolean =>
  fault instanceof Fault && (fault.code === 'mcp_server_died' || fault.code === 'mcp_session_closed')

/**
 * Whether a server refuses a session id as unknown. The specification requires 404; servers based on its examples send
 * 400 with a text, for instance after a restart.
 */
const refusesSession = (refused: ServerRefused): boolean => {
  if (refused.status === 404) return true
  if (refused.status !== 400) return false
  const text = jsonRpcErrorIn(refused)?.message ?? refused.body.subarray(0, LOOKED_AT_BYTES).toString()
  return neverBegun.test(text) || (/session/i.test(text) && notKnown.test(text))
}

/** `Bad Request: Server not initialized`. */
const neverBegun = /\bnot (?:yet )?initiali[sz]ed\b/i

/** `No valid session ID provided`, `Invalid or missing session ID`, `Session not found`. */
const notKnown =
  /\bno valid\b|\binvalid\b|\bunknown\b|\bmissing\b|\bexpired\b|\bnot found\b|\bdoes not exist\b|\bterminated\b/i

const LOOKED_AT_BYTES = 1_024
