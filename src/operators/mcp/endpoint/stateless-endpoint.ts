import { map, type Observable, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { respond } from '../../../model/exchange/reply.ts'
import { INVALID_REQUEST, METHOD_NOT_FOUND } from '../../../protocols/json-rpc/error-codes.ts'
import {
  isNotification,
  isRequest,
  type JsonObject,
  type Message,
  type JsonRpcRequest,
} from '../../../protocols/json-rpc/message.ts'
import {
  HEADER_MISMATCH,
  headerMismatch,
  invalidParams,
  type McpError,
  methodNotFound,
  missingClientCapability,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_PROTOCOL_VERSION,
  unsupportedVersion,
} from '../../../protocols/mcp/errors.ts'
import { mergeDiscover } from '../../../protocols/mcp/merge.ts'
import { readMeta } from '../../../protocols/mcp/meta.ts'
import { listMethodOf, removedInModern, subjectOf } from '../../../protocols/mcp/methods.ts'
import { isModern, type Revision } from '../../../protocols/mcp/revisions.ts'
import { mismatchedHeader } from '../../../protocols/mcp/standard-headers.ts'
import type { OpenStreams } from '../../../upstream/mcp/open-streams.ts'
import { respondWith } from '../response/respond.ts'
import { withReply, refuseText } from './check-request.ts'
import type { Federation } from '../federation/federation.ts'
import { fanOut, type FailurePolicy } from '../federation/fan-out.ts'
import type { BridgeContext } from '../bridge/bridge-context.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import { ModernAccess } from '../servers/stateless-access.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import { listenToAll } from '../federation/subscriptions.ts'
import { outcomeFor } from '../federation/client-request.ts'

/** Options of the endpoint for clients without handshakes. */
export interface StatelessEndpointOptions extends FailurePolicy {
  readonly federation: Federation
  readonly bridge: BridgeContext
  readonly streams: OpenStreams
  /** Revisions offered to clients, oldest first. */
  readonly offered: readonly Revision[]
  /** Of the gateway. */
  readonly version: string
}

/** The endpoint for clients of 2026-07-28: each request is self-contained. */
export class StatelessEndpoint {
  readonly #options: StatelessEndpointOptions
  readonly #access: ModernAccess

  constructor(options: StatelessEndpointOptions) {
    this.#options = options
    this.#access = new ModernAccess(options.bridge)
  }

  post(x: Exchange, messages: readonly Message[], isBatch: boolean): Observable<Exchange> {
    const [message] = messages
    if (!message || isBatch) return refuse(x, null, notOne('this revision has no batches'))
    if (isNotification(message)) return withReply(x, respond(202, ''))
    if (!isRequest(message)) return refuse(x, null, notOne('this revision has no answers from clients'))
    const wrong = this.#wrongWith(x, message)
    if (wrong) return refuse(x, message.id, wrong)
    return respondWith(x, message.id, this.#respond(x, message), { statusOf })
  }

  /** Replies to methods other than POST: there are neither GET streams nor sessions. */
  other(x: Exchange): Observable<Exchange> {
    return withReply(x, refuseText(405, 'mcp_method', 'method not allowed; must be POST', { allow: 'POST' }))
  }

  #respond(x: Exchange, { id, method, params }: JsonRpcRequest): Observable<FromServer> {
    const { federation } = this.#options
    const access = this.#access
    if (method === 'server/discover') return this.#discover(x, params)
    if (method === 'subscriptions/listen')
      return listenToAll(federation, access, x, id, params, this.#options.streams)
    const isList = listMethodOf(method) !== undefined || method === 'resources/read'
    return federation
      .handle({ x, method, params, access })
      .pipe(
        map((message) =>
          isOutcome(message) && 'result' in message ? finished(message.result, isList) : message,
        ),
      )
  }

  #discover(x: Exchange, params: JsonObject | undefined): Observable<FromServer> {
    const { federation, offered } = this.#options
    const { targets } = federation
    const request = { x, method: 'server/discover', params, access: this.#access, onMessage: () => undefined }
    return fanOut(
      targets,
      this.#options,
      (target) => federation.discover(request, target).pipe(outcomeFor(request, target.name)),
      x,
    ).pipe(
      map((shares) => {
        const results = shares.flatMap(({ target, value }) =>
          'result' in value ? [{ target: target.name, result: value.result }] : [],
        )
        const [only] = results
        const merged =
          only && targets.length === 1
            ? only.result
            : mergeDiscover(results, { ...this.#options, stateful: true })
        // The bridges translate whatever the servers speak.
        return { result: { ...merged, supportedVersions: [...offered].reverse() } }
      }),
    )
  }

  #wrongWith(x: Exchange, { method, params }: JsonRpcRequest): McpError | undefined {
    if (removedInModern.has(method)) return methodNotFound(method)
    const { headers } = x.request
    const { version, clientCapabilities } = readMeta(params)
    if (version === undefined) return invalidParams('_meta says no io.modelcontextprotocol/protocolVersion')
    const mismatch = mismatchedHeader(headers, { method, params })
    if (mismatch) return headerMismatch(mismatch.message)
    const { offered } = this.#options
    if (!isModern(version) || !offered.some((one) => one === version))
      return unsupportedVersion(version, offered)
    if (!clientCapabilities) return invalidParams('_meta says no io.modelcontextprotocol/clientCapabilities')
    if (method.startsWith('tasks/') && !hasTasks(clientCapabilities))
      return missingClientCapability({ extensions: { [TASKS]: {} } })
    if (headers.has('mcp-session-id')) return notOne('this revision has no sessions')
    return this.#wrongFields(x, method, params)
  }

  /** Checks the headers that mirror arguments, as far as the tool is known. */
  #wrongFields(x: Exchange, method: string, params: JsonObject | undefined): McpError | undefined {
    const subject = method === 'tools/call' ? subjectOf(method, params) : undefined
    const resolved = subject && subject !== 'missing' ? this.#options.federation.ownerOf(subject) : undefined
    if (!resolved) return undefined
    const own = { ...params, name: resolved.name }
    const problem = resolved.target.state.fields.mismatch(method, own, x.request.headers)
    return problem === undefined ? undefined : headerMismatch(problem)
  }
}

/** Tasks are an extension: a client that uses them must declare it. */
const TASKS = 'io.modelcontextprotocol/tasks'

const hasTasks = ({ extensions }: JsonObject): boolean =>
  typeof extensions === 'object' && extensions !== null && TASKS in extensions

/** Every result has `resultType`; cacheable ones have cache hints. */
const finished = (result: JsonObject, isCacheable: boolean): FromServer => ({
  result: {
    resultType: 'complete',
    ...(isCacheable && result.resultType !== 'input_required' && { ttlMs: 0, cacheScope: 'private' }),
    ...result,
  },
})

/** HTTP status of errors from servers of any revision. */
const statusOf = (code: number): number | undefined => {
  if (code === METHOD_NOT_FOUND) return 404
  return badRequests.has(code) ? 400 : undefined
}

const badRequests: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_PROTOCOL_VERSION,
])

const notOne = (message: string): McpError => ({ status: 400, error: { code: INVALID_REQUEST, message } })

const refuse = (x: Exchange, id: JsonRpcRequest['id'] | null, error: McpError): Observable<Exchange> =>
  respondWith(
    x,
    id,
    throwError(() => new McpRefusal('mcp_refused', error)),
  )
