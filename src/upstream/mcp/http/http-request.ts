import type { Fault } from '../../../model/exchange/fault.ts'
import { collectBody } from './read-body.ts'
import type { HttpTransportLimits } from './limits.ts'
import { ServerRefused } from '../http-status-error.ts'
import type { RequestContext, ServerReplies, ServerReply, ServerRequest } from '../transport.ts'

/** Handles the response to one HTTP request: one of the two, once, and none after `stop`. */
export interface HttpResponseHandler {
  /** Status 2xx. */
  accepted(reply: ServerReply, endpointAddress: string | undefined): void
  /** `ServerRefused` for any other status; redirects are not followed. */
  failed(fault: Fault): void
}

/** One HTTP request to a server. */
export class HttpServerRequest implements ServerReplies {
  readonly #server: string
  readonly #limits: HttpTransportLimits
  readonly #handler: HttpResponseHandler
  #cancelRequest: (() => void) | undefined = undefined
  #isSent = false
  #isStopped = false

  constructor(server: string, limits: HttpTransportLimits, handler: HttpResponseHandler) {
    this.#server = server
    this.#limits = limits
    this.#handler = handler
  }

  send(request: ServerRequest, context: RequestContext): this {
    const cancel = context.send(request, this)
    this.#isSent = true
    // A response can arrive, and be too long, before `send` has returned.
    if (this.#isStopped) cancel()
    else this.#cancelRequest = cancel
    return this
  }

  /** Cancels the request. No effect when it is complete. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#cancelRequest?.()
    this.#cancelRequest = undefined
  }

  head(reply: ServerReply, endpointAddress?: string): void {
    if (this.#isStopped) reply.body.drop()
    else if (reply.status >= 200 && reply.status < 300) this.#handler.accepted(reply, endpointAddress)
    else this.#refused(reply)
  }

  fail(fault: Fault): void {
    // The sender gets the call before it fails.
    if (!this.#isSent) queueMicrotask(() => this.fail(fault))
    else if (!this.#isStopped) this.#handler.failed(fault)
  }

  /** Drains a short unused body, so that the connection stays usable. */
  drain(reply: ServerReply): void {
    collectBody(reply.body, this.#limits.refusalBytes, (_, how) => this.#stopUnless(how), this.#limits.restMs)
  }

  #refused({ status, headers, body }: ServerReply): void {
    const take = (bytes: Buffer, how: string) => {
      if (this.#isStopped) return
      this.#stopUnless(how)
      this.#handler.failed(new ServerRefused(this.#server, status, headers, bytes))
    }
    collectBody(body, this.#limits.refusalBytes, take, this.#limits.restMs)
  }

  #stopUnless(how: string): void {
    if (how !== 'whole') this.stop()
  }
}
