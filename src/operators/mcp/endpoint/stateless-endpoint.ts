import { map, type Observable, throwError } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { respond } from '../../../../model/reply.ts'
import { INVALID_REQUEST, METHOD_NOT_FOUND } from '../../../../protocols/json-rpc/error-codes.ts'
import {
  isNotification,
  isRequest,
  type JsonObject,
  type Message,
  type Request,
} from '../../../../protocols/json-rpc/message.ts'
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
} from '../../../../protocols/mcp/errors.ts'
import { mergeDiscover } from '../../../../protocols/mcp/merge.ts'
import { readMeta } from '../../../../protocols/mcp/meta.ts'
import { listOf, removedInModern, subjectOf } from '../../../../protocols/mcp/methods.ts'
import { isModern, isRevision, revisions } from '../../../../protocols/mcp/revisions.ts'
import { mismatchedHeader } from '../../../../protocols/mcp/standard-headers.ts'
import type { OpenStreams } from '../../../../upstream/mcp/open-streams.ts'
import { answerWith } from '../answer/answer.ts'
import { answered } from './legacy-door.ts'
import { refuseText } from './door.ts'
import type { Federation } from '../federation/federation.ts'
import { fanOut, type Forbearance } from '../federation/fan-out.ts'
import type { WaitingRoom } from '../bridge/legacy-as-modern.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import { ModernAccess } from '../servers/modern-access.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import { listenToAll } from '../federation/subscriptions.ts'
import { outcomeFor } from '../federation/question.ts'

/** What the door for clients without handshakes is made of. */
export interface ModernDoorOptions extends Forbearance {
  readonly federation: Federation
  readonly room: WaitingRoom
  readonly streams: OpenStreams
  /** Of the gateway. */
  readonly version: string
}

/** Where clients of 2026-07-28 come in: each request says all there is to know. */
export class ModernDoor {
  readonly #options: ModernDoorOptions
  readonly #access: ModernAccess

  constructor(options: ModernDoorOptions) {
    this.#options = options
    this.#access = new ModernAccess(options.room)
  }

  post(x: Exchange, messages: readonly Message[], isBatch: boolean): Observable<Exchange> {
    const [message] = messages
    if (!message || isBatch) return refuse(x, null, notOne('this revision has no batches'))
    if (isNotification(message)) return answered(x, respond(202, ''))
    if (!isRequest(message)) return refuse(x, null, notOne('this revision has no answers from clients'))
    const wrong = this.#wrongWith(x, message)
    if (wrong) return refuse(x, message.id, wrong)
    return answerWith(x, message.id, this.#answer(x, message), { statusOf })
  }

  /** There are neither streams nor sessions. */
  other(x: Exchange): Observable<Exchange> {
    return answered(x, refuseText(405, 'mcp_method', 'method not allowed; must be POST', { allow: 'POST' }))
  }

  #answer(x: Exchange, { id, method, params }: Request): Observable<FromServer> {
    const { federation } = this.#options
    const access = this.#access
    if (method === 'server/discover') return this.#discover(x, params)
    if (method === 'subscriptions/listen')
      return listenToAll(federation, access, x, id, params, this.#options.streams)
    const isList = listOf(method) !== undefined || method === 'resources/read'
    return federation
      .answer({ x, method, params, access })
      .pipe(
        map((message) =>
          isOutcome(message) && 'result' in message ? finished(message.result, isList) : message,
        ),
      )
  }

  #discover(x: Exchange, params: JsonObject | undefined): Observable<FromServer> {
    const { federation } = this.#options
    const { targets } = federation
    const question = { x, method: 'server/discover', params, access: this.#access, said: () => undefined }
    return fanOut(
      targets,
      this.#options,
      (target) => federation.discover(question, target).pipe(outcomeFor(question, target.name)),
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
        // Whatever the servers speak, it is translated here.
        return { result: { ...merged, supportedVersions: [...revisions].reverse() } }
      }),
    )
  }

  #wrongWith(x: Exchange, { method, params }: Request): McpError | undefined {
    if (removedInModern.has(method)) return methodNotFound(method)
    const { headers } = x.request
    const { version, clientCapabilities } = readMeta(params)
    if (version === undefined) return invalidParams('_meta says no io.modelcontextprotocol/protocolVersion')
    const mismatch = mismatchedHeader(headers, { method, params })
    if (mismatch) return headerMismatch(mismatch.message)
    if (!isRevision(version) || !isModern(version)) return unsupportedVersion(version)
    if (!clientCapabilities) return invalidParams('_meta says no io.modelcontextprotocol/clientCapabilities')
    if (method.startsWith('tasks/') && !hasTasks(clientCapabilities))
      return missingClientCapability({ extensions: { [TASKS]: {} } })
    if (headers.has('mcp-session-id')) return notOne('this revision has no sessions')
    return this.#wrongFields(x, method, params)
  }

  /** What the fields say of arguments is what the arguments are, as far as the tool is known. */
  #wrongFields(x: Exchange, method: string, params: JsonObject | undefined): McpError | undefined {
    const subject = method === 'tools/call' ? subjectOf(method, params) : undefined
    const owned = subject && subject !== 'missing' ? this.#options.federation.ownerOf(subject) : undefined
    if (!owned) return undefined
    const own = { ...params, name: owned.name }
    const problem = owned.target.memory.fields.mismatch(method, own, x.request.headers)
    return problem === undefined ? undefined : headerMismatch(problem)
  }
}

/** Tasks are an extension: whoever asks for one must have said that it knows what that is. */
const TASKS = 'io.modelcontextprotocol/tasks'

const hasTasks = ({ extensions }: JsonObject): boolean =>
  typeof extensions === 'object' && extensions !== null && TASKS in extensions

/** Every result says that it is one; those that may be kept say for how long. */
const finished = (result: JsonObject, isCacheable: boolean): FromServer => ({
  result: {
    resultType: 'complete',
    ...(isCacheable && result.resultType !== 'input_required' && { ttlMs: 0, cacheScope: 'private' }),
    ...result,
  },
})

/** HTTP status of errors that servers of any revision gave. */
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

const refuse = (x: Exchange, id: Request['id'] | null, error: McpError): Observable<Exchange> =>
  answerWith(
    x,
    id,
    throwError(() => new McpRefusal('mcp_refused', error)),
  )
