import { filter, Observable, of, throwError } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { INVALID_REQUEST, METHOD_NOT_FOUND } from '../../../../protocols/json-rpc/error-codes.ts'
import type { Request } from '../../../../protocols/json-rpc/message.ts'
import { takeDownError } from '../federation/facts.ts'
import type { Federation } from '../federation/federation.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import type { McpSession } from '../sessions/session.ts'

/** One request of a session: what servers say about it, unless the client cancels it or leaves. */
export const runRequest = (
  federation: Federation,
  session: McpSession,
  { id, method, params }: Request,
  x: Exchange,
  pausing?: (retryMs: number | undefined) => void,
): Observable<FromServer> => {
  if (method === 'ping') return of({ result: {} })
  if (method === 'initialize') return throwError(begunAlready)
  return new Observable<FromServer>((out) => {
    const isNew = session.began(id, () => {
      out.complete()
    })
    if (!isNew) {
      out.error(duplicate())
      return
    }
    out.add(() => {
      session.ended(id)
    })
    out.add(federation.answer({ x, method, params, access: session, pausing }).subscribe(out))
  }).pipe(session.canAsk ? (same) => same : unasked(federation, session, x), takeDownError(x))
}

/** Where the client cannot be asked anything, the server hears so at once. */
const unasked =
  (federation: Federation, session: McpSession, x: Exchange) =>
  (source: Observable<FromServer>): Observable<FromServer> =>
    source.pipe(
      filter((message) => {
        if (isOutcome(message) || !('id' in message)) return true
        const whose = federation.renaming.names.splitRequestId(message.id)
        const peer = whose && session.known(whose.target)
        const behalf = whose && federation.target(whose.target)?.behalf(x)
        if (peer && behalf) peer.answer(whose.id, { error: nobodyThere }, behalf).catch(() => undefined)
        return false
      }),
    )

const nobodyThere = { code: METHOD_NOT_FOUND, message: 'the client cannot be asked without a session' }

const begunAlready = (): McpRefusal =>
  new McpRefusal('mcp_refused', {
    status: 400,
    error: { code: INVALID_REQUEST, message: 'the session has begun already' },
  })

const duplicate = (): McpRefusal =>
  new McpRefusal('mcp_duplicate_id', {
    status: 400,
    error: { code: INVALID_REQUEST, message: 'a request with this id is under way' },
  })
