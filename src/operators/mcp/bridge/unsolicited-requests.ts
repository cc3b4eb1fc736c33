import { type Subscription } from 'rxjs'
import { METHOD_NOT_FOUND } from '../../../protocols/json-rpc/error-codes.ts'
import type { Outcome, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { isModern } from '../../../protocols/mcp/revisions.ts'
import type { RequestContext } from '../../../upstream/mcp/transport.ts'
import type { ListCache } from '../federation/list-cache.ts'
import type { ServerClient } from '../servers/server-client.ts'

/** The server of a session, as far as its stream of messages is concerned. */
export interface StreamSource {
  readonly isBound: boolean
  readonly isProgram?: boolean | undefined
  readonly state: StreamState
}

interface StreamState {
  readonly lists: Pick<ListCache, 'changed' | 'clear'>
  hasNoStream(): boolean
  foundNoStream(): void
}

/**
 * Requests that a server with sessions sends outside of responses, to a client without sessions. The running call takes
 * a request if it can carry it to the client; else the server gets an error at once, so that it need not wait for its
 * timeout.
 *
 * Over streamable HTTP this is the GET stream that clients with sessions open as well. For a server without that
 * stream, the next attempt follows after a while.
 */
export class UnsolicitedRequests {
  readonly #server: ServerClient
  readonly #context: RequestContext
  readonly #listening: Subscription | undefined
  /** Takes requests while a call is running that can carry them. */
  carrier: ((request: JsonRpcRequest) => void) | undefined = undefined

  constructor(server: ServerClient, target: StreamSource, context: RequestContext) {
    this.#server = server
    this.#context = context
    const { state, isBound } = target
    const hasNone =
      isModern(server.revision) || (!isBound && (server.sessionId === undefined || state.hasNoStream()))
    if (hasNone) return
    this.#listening = server.listen(context).subscribe({
      next: (message) => {
        if ('id' in message) this.#take(message)
        else state.lists.changed(message.method)
      },
      // The next call reports the fault.
      error: () => {
        if (target.isProgram) state.lists.clear()
      },
      complete: () => {
        if (!isBound) state.foundNoStream()
      },
    })
  }

  /** Stops listening. */
  stop(): void {
    this.#listening?.unsubscribe()
  }

  #take(request: JsonRpcRequest): void {
    if (this.carrier) this.carrier(request)
    else this.#server.respond(request.id, refuseUnsolicited(request), this.#context).catch(() => undefined)
  }
}

/** The response to a server's request that cannot reach the client. A ping needs no client. */
export const refuseUnsolicited = ({ method }: JsonRpcRequest): Outcome =>
  method === 'ping'
    ? { result: {} }
    : {
        error: {
          code: METHOD_NOT_FOUND,
          message: `the client cannot be asked for ${method} here: only by a tool, a prompt or the reading of a resource, while it is called`,
        },
      }

/** Whether the response to such a request may be `input_required`. */
export const carriesServerRequests = (method: string): boolean => carriers.has(method)

const carriers: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
