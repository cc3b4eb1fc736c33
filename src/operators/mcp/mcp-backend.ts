import { mergeMap, type Observable, of, throwError } from 'rxjs'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { hostOf } from '../../model/exchange/request.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import { perExchange } from '../../pipeline/per-exchange.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { type Id, isRequest, type Message } from '../../protocols/json-rpc/message.ts'
import type { Parsed } from '../../protocols/json-rpc/parse.ts'
import { unsupportedVersion } from '../../protocols/mcp/errors.ts'
import { readMeta } from '../../protocols/mcp/meta.ts'
import { isModern, type Revision } from '../../protocols/mcp/revisions.ts'
import { respondWith } from './response/respond.ts'
import {
  withReply,
  checkGet,
  checkPost,
  methodNotAllowed,
  refuseText,
  unreadable,
} from './endpoint/check-request.ts'
import { recordRequest } from './federation/attributes.ts'
import { readMessages } from './endpoint/parsed-body.ts'
import type { SessionEndpoint } from './endpoint/session-endpoint.ts'
import { McpRefusal } from './response/json-rpc-error.ts'
import type { StatelessEndpoint } from './endpoint/stateless-endpoint.ts'
import type { HttpSseEndpoint } from './endpoint/http-sse-endpoint.ts'
import type { ReplicaRouter } from './replicas/route-to-owner.ts'
import type { Target } from './servers/target.ts'

/** MCP servers behind one address. */
export interface McpOptions {
  readonly labels: BackendLabels
  readonly targets: readonly Target[]
  readonly legacy: SessionEndpoint
  readonly modern: StatelessEndpoint
  readonly sse: HttpSseEndpoint
  /** Whether requests must name this machine. */
  readonly isGuarded: (x: Exchange) => boolean
  /** Forwards requests that only another replica can handle. */
  readonly router?: ReplicaRouter | undefined
  /** Revisions offered to clients, oldest first. */
  readonly offered: readonly Revision[]
  /** Limit of a client's message, in bytes. */
  readonly limitBytes: number
}

/**
 * Serves MCP clients of every revision from one or several MCP servers of any revision. The last stage of a route, as
 * `backend` is.
 *
 * The request determines the client's revision: requests with the version in `_meta`, or in a header from 2026-07-28
 * on, have no session; all others begin with `initialize`.
 */
export const mcp = (options: McpOptions): Operator => {
  const { labels, targets, legacy, modern, sse, isGuarded, offered } = options
  const isOffered = (version: string): boolean => offered.some((one) => one === version)
  const rejectVersion = (x: Exchange, id: Id | null, version: string): Observable<Exchange> =>
    respondWith(
      x,
      id,
      throwError(() => new McpRefusal('mcp_refused', unsupportedVersion(version, offered))),
    )

  const handle = (x: Exchange): Observable<Exchange> => {
    x.upstream.backend = labels
    x.upstream.attempts++
    x.upstream.firstStartedAt = x.upstream.startedAt = performance.now()
    const rebinding = isGuarded(x) ? checkRebinding(x) : undefined
    if (rebinding) return withReply(x, rebinding)
    if (targets.length === 0)
      return withReply(
        x,
        deny(503, 'mcp_no_targets', { message: 'mcp: no backends configured', reason: 'MCP' }),
      )
    const { method, path, headers } = x.request
    const [only] = targets
    if (
      path.startsWith('/.well-known/oauth-') &&
      (method === 'GET' || method === 'OPTIONS') &&
      only?.pipeline
    )
      return targets.length === 1 ? only.pipeline(of(x)) : withReply(x, notFound())
    if (path === '/sse') return options.router?.stream(x) ?? sse.serve(x)
    const version = headers.get('mcp-protocol-version')
    if (method === 'POST') return post(x, version)
    if (method !== 'GET' && method !== 'DELETE') return withReply(x, methodNotAllowed('GET, POST, DELETE'))
    if (version !== undefined && !isOffered(version)) return rejectVersion(x, null, version)
    if (version !== undefined && isModern(version)) return modern.other(x)
    const wrong = method === 'GET' ? checkGet(headers) : undefined
    if (wrong) return withReply(x, wrong)
    const router = options.router?.session(x)
    if (router) return router
    return method === 'GET' ? legacy.get(x) : legacy.delete(x)
  }

  const post = (x: Exchange, version: string | undefined): Observable<Exchange> => {
    const wrong = checkPost(x.request.headers)
    if (wrong) return withReply(x, wrong)
    // Before the body is read: a request for another replica is streamed to it.
    const router = version !== undefined && isModern(version) ? undefined : options.router?.session(x)
    if (router) return router
    return readMessages(x, options.limitBytes).pipe(mergeMap((parsed) => received(x, version, parsed)))
  }

  const received = (x: Exchange, version: string | undefined, parsed: Parsed): Observable<Exchange> => {
    if ('error' in parsed) return withReply(x, unreadable(parsed))
    const { messages, batch } = parsed
    recordRequest(x, messages)
    if (version !== undefined && !isOffered(version)) return rejectVersion(x, idOf(messages), version)
    return supportsModern(x.request.headers, messages)
      ? (options.router?.call(x, messages) ?? modern.post(x, messages, batch))
      : legacy.post(x, messages, batch)
  }

  return perExchange((x) => (x.reply ? undefined : () => handle(x)))
}

const supportsModern = (headers: Headers, [first]: readonly Message[]): boolean => {
  const version = headers.get('mcp-protocol-version')
  if (version !== undefined && isModern(version)) return true
  if (!first || !isRequest(first)) return false
  const stated = readMeta(first.params).version
  // A version in the message but not in the header gets an error from the endpoint.
  if (stated === undefined || version === undefined) return stated !== undefined
  // The message counts, unless the client is in a session or begins one: clients of both eras may send both.
  return isModern(stated) && !headers.has('mcp-session-id') && first.method !== 'initialize'
}

const idOf = ([first]: readonly Message[]) => (first && isRequest(first) ? first.id : null)

const notFound = () => refuseText(404, 'mcp_not_found', 'there is no such page')

/**
 * Refuses web pages that use DNS rebinding, that is, point a name of theirs to this machine: the browser sends that
 * name as host or as origin. Programs send a name of this machine, and no origin.
 */
const checkRebinding = ({ request }: Exchange): Reply | undefined => {
  const origin = request.headers.get('origin')
  if (isLoopback(hostOf(request.received.authority)) && (origin === undefined || isLoopback(hostIn(origin))))
    return undefined
  return deny(403, 'mcp_dns_rebinding', {
    message: 'MCP DNS rebinding protection: Host/Origin must be localhost, 127.0.0.1, or [::1]',
    reason: 'MCP',
  })
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '[::1]'

const hostIn = (origin: string): string => {
  try {
    return new URL(origin).hostname
  } catch {
    return ''
  }
}
