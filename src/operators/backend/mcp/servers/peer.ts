import { filter, Observable } from 'rxjs'
import type { Fault } from '../../../../model/fault.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  Request,
} from '../../../../protocols/json-rpc/message.ts'
import { isModern } from '../../../../protocols/mcp/revisions.ts'
import type { Behalf, Call, Wire } from '../../../../upstream/mcp/wire.ts'
import { inputNotPossible } from '../bridge/input-faults.ts'

/** What a server says about a call: notifications and requests of its own, and at last how the call ended. */
export type FromServer = Notification | Request | Outcome

/** What a server says of itself. */
export interface About {
  readonly capabilities: JsonObject
  /** The whole of it, as the result of `initialize` or `server/discover`. */
  readonly result: JsonObject
}

/** A server as one client has it: in the client's own era, whatever the server's is. */
export interface Peer {
  readonly target: string
  /** Undefined for a server whose session began elsewhere. */
  readonly about: About | undefined
  /** The revision that is spoken with the server itself. */
  readonly revision: string
  /** The server's name for the session, where it has one and another replica can go on with it. */
  readonly sessionId: string | undefined
  /** Where, of several places, the server has the session. */
  readonly place?: string | undefined
  /** Nothing can be sent to it any more. */
  readonly isOver?: boolean
  /** Sends a request when subscribed; unsubscribing gives it up. Ends after the outcome; errors are `Fault`s. */
  call(call: Call, behalf: Behalf): Observable<FromServer>
  notify(notification: Omit<Notification, 'jsonrpc'>, behalf: Behalf): Promise<void>
  /** Answers a request of the server's. */
  answer(id: Id, outcome: Outcome, behalf: Behalf): Promise<void>
  /** What belongs to no call. Completes when the server has nothing more to say. */
  listen(behalf: Behalf): Observable<Notification | Request>
  close(behalf: Behalf | undefined): void
}

/** @returns Whether it is how a call ended. */
export const isOutcome = (message: FromServer): message is Outcome => !('method' in message)

/** A call over a wire, as an observable. */
export const callOver = (wire: Wire, call: Call, behalf: Behalf): Observable<FromServer> =>
  new Observable((out) => {
    let isOver = false
    const giveUp = wire.call(call, behalf, {
      said: (message) => {
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
      if (!isOver) giveUp()
    }
  })

/**
 * A call of a revision without sessions, where servers answer with what they want to know. One that sends a request of
 * its own all the same would wait for its answer for ever, and the client with it: the call fails. A subscription has
 * nobody waiting for its end, and goes on.
 */
export const modernCallOver = (
  target: string,
  wire: Wire,
  call: Call,
  behalf: Behalf,
): Observable<FromServer> =>
  callOver(wire, call, behalf).pipe(
    filter((message) => {
      if (isOutcome(message) || !('id' in message)) return true
      if (call.method === 'subscriptions/listen') return false
      throw inputNotPossible(target, message.method)
    }),
  )

/** A server that speaks the client's era: nothing to translate. */
export class WirePeer implements Peer {
  readonly target: string
  readonly about: About | undefined
  readonly revision: string
  readonly #wire: Wire

  constructor(target: string, revision: string, about: About | undefined, wire: Wire) {
    this.target = target
    this.revision = revision
    this.about = about
    this.#wire = wire
  }

  get sessionId(): string | undefined {
    return this.#wire.sessionId
  }

  get place(): string | undefined {
    return this.#wire.place
  }

  get isOver(): boolean {
    return this.#wire.closed !== undefined
  }

  call(call: Call, behalf: Behalf): Observable<FromServer> {
    return isModern(this.revision)
      ? modernCallOver(this.target, this.#wire, call, behalf)
      : callOver(this.#wire, call, behalf)
  }

  notify(notification: Omit<Notification, 'jsonrpc'>, behalf: Behalf): Promise<void> {
    return settled((taken) => {
      this.#wire.notify(notification, behalf, taken)
    })
  }

  answer(id: Id, outcome: Outcome, behalf: Behalf): Promise<void> {
    return settled((taken) => {
      this.#wire.answer(id, outcome, behalf, taken)
    })
  }

  listen(behalf: Behalf): Observable<Notification | Request> {
    return new Observable((out) =>
      this.#wire.listen(behalf, {
        said: (message) => {
          out.next(message)
        },
        closed: (fault) => {
          if (fault) out.error(fault)
          else out.complete()
        },
      }),
    )
  }

  close(behalf: Behalf | undefined): void {
    this.#wire.close(behalf)
  }
}

const settled = (send: (taken: (fault: Fault | undefined) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    send((fault) => {
      if (fault) reject(fault)
      else resolve()
    })
  })
