import type { Subscriber, Subscription } from 'rxjs'
import type { Id, JsonObject, Outcome, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { RESOURCE_NOT_FOUND } from '../../../protocols/mcp/errors.ts'
import { inputRequired, type InputRequest } from '../../../protocols/mcp/input-required.ts'
import { INVALID_PARAMS } from '../../../protocols/json-rpc/error-codes.ts'
import type { RequestContext, McpCall } from '../../../upstream/mcp/transport.ts'
import type { Lease } from './lease.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import { refuseUnsolicited } from './unsolicited-requests.ts'
import { UndeclaredCapabilities } from './undeclared-capabilities.ts'

/** Parts of a suspended call. */
export interface SuspendedCallOptions {
  readonly lease: Lease
  readonly context: RequestContext
  /** The call may end with `input_required`. */
  readonly carriesRequests: boolean
  /** Capabilities that the client declared. */
  readonly capabilities: JsonObject
  /** Whether the client requested log messages. */
  readonly includesLog: boolean
  /** Called with the method of each notification. */
  readonly onNotification: (method: string) => void
  /** Makes the request state that the client must send back. */
  readonly state: () => string
}

/**
 * A call to a server that sends requests to its client, for a client that gets `input_required` results instead: the
 * first request of the server ends the client's request, the call is suspended, and the client's next request resumes
 * it.
 */
export class SuspendedCall {
  readonly #options: SuspendedCallOptions
  readonly #run: Subscription
  readonly #undeclared: UndeclaredCapabilities
  readonly #pending = new Map<string, { readonly id: Id; readonly input: InputRequest }>()
  /** Messages that came while the call was suspended. */
  readonly #queued: FromServer[] = []
  #queuedBytes = 0
  #out: Subscriber<FromServer> | undefined
  #fault: unknown = undefined
  #lastKey = 0
  #isOver = false
  #willSuspend = false

  constructor(call: McpCall, out: Subscriber<FromServer>, options: SuspendedCallOptions) {
    this.#options = options
    this.#out = out
    this.#undeclared = new UndeclaredCapabilities(options.capabilities)
    if (options.carriesRequests)
      options.lease.unsolicited.carrier = (request) => {
        this.#onRequest(request)
      }
    this.#run = options.lease.server.call(call, options.context).subscribe({
      next: (message) => {
        this.#onMessage(message)
      },
      error: (fault: unknown) => {
        this.#fault = fault
        this.#finish(true)
        this.#out?.error(fault)
      },
    })
    if (this.#isOver) this.#run.unsubscribe()
  }

  /** The client's next request brought responses; what is still missing is requested again. */
  resume(responses: ReadonlyMap<string, JsonObject>, out: Subscriber<FromServer>): void {
    this.#out = out
    for (const [key, { id }] of this.#pending) {
      const response = responses.get(key)
      if (!response) continue
      this.#pending.delete(key)
      this.#options.lease.server
        .respond(id, { result: response }, this.#options.context)
        .catch((fault: unknown) => {
          this.#out?.error(fault)
        })
    }
    if (this.#fault !== undefined) {
      out.error(this.#fault)
      return
    }
    for (const message of this.#queued.splice(0)) this.#pass(message)
    if (this.#pending.size > 0 && !this.#isOver) this.#suspend()
  }

  /** The client disconnected while no input was requested: the call is cancelled. */
  abandon(out: Subscriber<FromServer>): void {
    if (this.#out === out) this.cancel()
  }

  cancel(): void {
    if (this.#isOver) return
    this.#run.unsubscribe()
    this.#finish(true)
  }

  #onMessage(message: FromServer): void {
    if (!isOutcome(message) && 'id' in message) {
      this.#onRequest(message)
      return
    }
    if (!isOutcome(message) && message.method === 'notifications/cancelled') {
      this.#withdraw(message.params?.requestId)
      return
    }
    if (!isOutcome(message)) {
      this.#options.onNotification(message.method)
      if (this.#out) this.#pass(message)
      else if (this.#canQueue(message)) this.#queued.push(message)
      return
    }
    this.#finish(false)
    const outcome = this.#undeclared.outcomeOf(message)
    if (this.#out) this.#pass(outcome)
    else this.#queued.push(outcome)
  }

  #canQueue(message: FromServer): boolean {
    if (this.#queued.length >= QUEUE_LIMIT) return false
    this.#queuedBytes += JSON.stringify(message).length
    return this.#queuedBytes <= QUEUE_LIMIT_BYTES
  }

  #pass(message: FromServer): void {
    const out = this.#out
    if (!out) return
    if (!isOutcome(message)) {
      if (belongs(message.method, this.#options.includesLog)) out.next(message)
      return
    }
    this.#out = undefined
    out.next(complete(message))
    out.complete()
  }

  #onRequest(request: JsonRpcRequest): void {
    const { lease, context, carriesRequests } = this.#options
    const { id, method, params } = request
    if (!carriesRequests || method === 'ping') {
      lease.server.respond(id, refuseUnsolicited(request), context).catch(() => undefined)
      return
    }
    const error = this.#undeclared.refusalOf({ method, params })
    if (error) {
      lease.server.respond(id, { error }, context).catch(() => undefined)
      return
    }
    this.#pending.set(`${method.split('/')[0] ?? ''}-${++this.#lastKey}`, { id, input: { method, params } })
    if (this.#willSuspend) return
    this.#willSuspend = true
    // Requests that come together go into one result.
    setImmediate(() => {
      this.#willSuspend = false
      this.#suspend()
    })
  }

  /** The server withdrew a request. A late response to it is ignored. */
  #withdraw(id: unknown): void {
    for (const [key, entry] of this.#pending) if (entry.id === id) this.#pending.delete(key)
  }

  /** Ends the client's request with `input_required`. */
  #suspend(): void {
    const out = this.#out
    if (!out || this.#isOver || this.#pending.size === 0) return
    this.#out = undefined
    let state: string
    try {
      state = this.#options.state()
    } catch (fault) {
      // The limit of suspended calls may be reached.
      out.error(fault)
      return
    }
    const inputs = Object.fromEntries(Array.from(this.#pending, ([key, { input }]) => [key, input]))
    out.next({ result: inputRequired(inputs, state) })
    out.complete()
  }

  #finish(spoiled: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.lease.release(spoiled)
  }
}

const QUEUE_LIMIT = 100
const QUEUE_LIMIT_BYTES = 262_144

/** Servers with sessions send general notifications during calls too; only those about the call are forwarded. */
const belongs = (method: string, includesLog: boolean): boolean =>
  method === 'notifications/message'
    ? includesLog
    : !/\/list_changed$|^notifications\/resources\//.test(method)

const complete = (outcome: Outcome): Outcome => {
  if ('error' in outcome) {
    const { error } = outcome
    return error.code === RESOURCE_NOT_FOUND ? { error: { ...error, code: INVALID_PARAMS } } : outcome
  }
  return outcome.result.resultType === undefined
    ? { result: { resultType: 'complete', ...outcome.result } }
    : outcome
}
