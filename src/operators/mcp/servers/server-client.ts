import { filter, Observable } from 'rxjs'
import type { Fault } from '../../../model/exchange/fault.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
} from '../../../protocols/json-rpc/message.ts'
import { isModern } from '../../../protocols/mcp/revisions.ts'
import type { RequestContext, McpCall, Transport } from '../../../upstream/mcp/transport.ts'
import { inputNotPossible } from '../bridge/input-faults.ts'

/** Messages of a server about a call: notifications and requests, then the outcome. */
export type FromServer = Notification | JsonRpcRequest | Outcome

/** A server's description of itself. */
export interface About {
  readonly capabilities: JsonObject
  /** The complete result of `initialize` or `server/discover`. */
  readonly result: JsonObject
}

/** A client of a server in the era of the gateway's client, whatever the server's era is. */
export interface ServerClient {
  readonly target: string
  /** Undefined for a server whose session began elsewhere. */
  readonly about: About | undefined
  /** The revision spoken with the server. */
  readonly revision: string
  /** The server's session id, if another replica can continue the session. */
  readonly sessionId: string | undefined
  /** The endpoint, of several, that has the session. */
  readonly endpointAddress?: string | undefined
  /** It can no longer send. */
  readonly isOver?: boolean
  /** Sends a request on subscription; unsubscribing cancels it. Completes after the outcome; errors are `Fault`s. */
  call(call: McpCall, context: RequestContext): Observable<FromServer>
  notify(notification: Omit<Notification, 'jsonrpc'>, context: RequestContext): Promise<void>
  /** Responds to a request of the server. */
  respond(id: Id, outcome: Outcome, context: RequestContext): Promise<void>
  /** Messages that belong to no call. Completes when the server has no more. */
  listen(context: RequestContext): Observable<Notification | JsonRpcRequest>
  /** @param onResponse As `Transport` has it. */
  close(context: RequestContext | undefined, onResponse?: (status: number | undefined) => void): void
}

/** @returns Whether it is the outcome of a call. */
export const isOutcome = (message: FromServer): message is Outcome => !('method' in message)

/** A call through a transport, as an observable. */
export const callThrough = (
  transport: Transport,
  call: McpCall,
  context: RequestContext,
): Observable<FromServer> =>
  new Observable((out) => {
    let isOver = false
    const abandon = transport.call(call, context, {
      onMessage: (message) => {
        out.next(message)
      },
      reply: (outcome) => {
        isOver = true
        out.next(outcome)
        out.complete()
      },
      fail: (fault) => {
        isOver = true
        out.error(fault)
      },
    })
    return () => {
      if (!isOver) abandon()
    }
  })

/**
 * A call of a revision without sessions, where servers respond with `input_required`. A request of the server would
 * never get a response: the call fails. Subscriptions continue.
 */
export const modernCallThrough = (
  target: string,
  transport: Transport,
  call: McpCall,
  context: RequestContext,
): Observable<FromServer> =>
  callThrough(transport, call, context).pipe(
    filter((message) => {
      if (isOutcome(message) || !('id' in message)) return true
      if (call.method === 'subscriptions/listen') return false
      throw inputNotPossible(target, message.method)
    }),
  )

/** A server of the client's era: nothing to translate. */
export class TransportClient implements ServerClient {
  readonly target: string
  readonly about: About | undefined
  readonly revision: string
  readonly #transport: Transport

  constructor(target: string, revision: string, about: About | undefined, transport: Transport) {
    this.target = target
    this.revision = revision
    this.about = about
    this.#transport = transport
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId
  }

  get endpointAddress(): string | undefined {
    return this.#transport.endpointAddress
  }

  get isOver(): boolean {
    return this.#transport.closed !== undefined
  }

  call(call: McpCall, context: RequestContext): Observable<FromServer> {
    return isModern(this.revision)
      ? modernCallThrough(this.target, this.#transport, call, context)
      : callThrough(this.#transport, call, context)
  }

  notify(notification: Omit<Notification, 'jsonrpc'>, context: RequestContext): Promise<void> {
    return onceSent((onSent) => {
      this.#transport.notify(notification, context, onSent)
    })
  }

  respond(id: Id, outcome: Outcome, context: RequestContext): Promise<void> {
    return onceSent((onSent) => {
      this.#transport.respond(id, outcome, context, onSent)
    })
  }

  listen(context: RequestContext): Observable<Notification | JsonRpcRequest> {
    return new Observable((out) =>
      this.#transport.listen(context, {
        onMessage: (message) => {
          out.next(message)
        },
        closed: (fault) => {
          if (fault) out.error(fault)
          else out.complete()
        },
      }),
    )
  }

  close(context: RequestContext | undefined, onResponse?: (status: number | undefined) => void): void {
    this.#transport.close(context, onResponse)
  }
}

const onceSent = (send: (onSent: (fault: Fault | undefined) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    send((fault) => {
      if (fault) reject(fault)
      else resolve()
    })
  })
