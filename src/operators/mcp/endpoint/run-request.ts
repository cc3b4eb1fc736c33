import { filter, Observable, of, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { METHOD_NOT_FOUND, INVALID_REQUEST } from '../../../protocols/json-rpc/error-codes.ts'
import type { JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { recordError } from '../federation/attributes.ts'
import type { Federation } from '../federation/federation.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import type { McpSession } from '../sessions/session.ts'

/** Runs one request of a session. It ends early if the client cancels it or disconnects. */
export const runRequest = (
  federation: Federation,
  session: McpSession,
  { id, method, params }: JsonRpcRequest,
  x: Exchange,
  pausing?: (retryMs: number | undefined) => void,
): Observable<FromServer> => {
  if (method === 'ping') return of({ result: {} })
  if (method === 'initialize') return throwError(alreadyInitialized)
  return new Observable<FromServer>((out) => {
    const isNew = session.begin(id, () => {
      out.complete()
    })
    if (!isNew) {
      out.error(duplicateId())
      return
    }
    out.add(() => {
      session.end(id)
    })
    out.add(federation.handle({ x, method, params, access: session, pausing }).subscribe(out))
  }).pipe(
    session.canSendRequests ? (same) => same : refuseServerRequests(federation, session, x),
    recordError(x),
  )
}

/** A batch came, which the session's revision does not have. */
export const noBatches = (revision: string): McpRefusal => refusal(`revision ${revision} has no batches`)

/** Responds to servers' requests with an error where they cannot reach the client. */
const refuseServerRequests =
  (federation: Federation, session: McpSession, x: Exchange) =>
  (source: Observable<FromServer>): Observable<FromServer> =>
    source.pipe(
      filter((message) => {
        if (isOutcome(message) || !('id' in message)) return true
        const owner = federation.renaming.names.splitRequestId(message.id)
        const server = owner && session.known(owner.target)
        const context = owner && federation.target(owner.target)?.requestContext(x)
        if (server && context)
          server.respond(owner.id, { error: clientUnreachable }, context).catch(() => undefined)
        return false
      }),
    )

const clientUnreachable = { code: METHOD_NOT_FOUND, message: 'the client cannot be asked without a session' }

/** A second `initialize`. */
const alreadyInitialized = (): McpRefusal => refusal('the session has begun already')

/** Responses could not be distinguished. */
const duplicateId = (): McpRefusal => refusal('a request with this id is under way', 'mcp_duplicate_id')

const refusal = (message: string, code = 'mcp_refused'): McpRefusal =>
  new McpRefusal(code, { status: 400, error: { code: INVALID_REQUEST, message } })
