import type { Fault } from '../../model/fault.ts'
import { collectBody } from './http-collect.ts'
import type { HttpWireLimits } from './http-limits.ts'
import { ServerRefused } from './server-refused.ts'
import type { Behalf, ServerReplies, ServerReply, ServerRequest } from './wire.ts'

/** Takes the answer to one HTTP request: one of the two, once, and none after it was stopped. */
export interface ServerAnswers {
  /** Status 2xx. */
  accepted(reply: ServerReply, place: string | undefined): void
  /** `ServerRefused` for any other status, redirects among them: nobody follows those. */
  failed(fault: Fault): void
}

/** One HTTP request to a server. */
export class ServerAsk implements ServerReplies {
  readonly #server: string
  readonly #limits: HttpWireLimits
  readonly #answers: ServerAnswers
  #takeBack: (() => void) | undefined = undefined
  #isSent = false
  #isStopped = false

  constructor(server: string, limits: HttpWireLimits, answers: ServerAnswers) {
    this.#server = server
    this.#limits = limits
    this.#answers = answers
  }

  send(request: ServerRequest, behalf: Behalf): this {
    const takeBack = behalf.send(request, this)
    this.#isSent = true
    // An answer can be there, and be too much, before `send` has returned.
    if (this.#isStopped) takeBack()
    else this.#takeBack = takeBack
    return this
  }

  /** Takes the request back, whatever is left of it. Harmless when nothing is. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#takeBack?.()
    this.#takeBack = undefined
  }

  head(reply: ServerReply, place?: string): void {
    if (this.#isStopped) reply.body.drop()
    else if (reply.status >= 200 && reply.status < 300) this.#answers.accepted(reply, place)
    else this.#refused(reply)
  }

  fail(fault: Fault): void {
    // Whoever sent it gets hold of the call before hearing that it failed.
    if (!this.#isSent) queueMicrotask(() => this.fail(fault))
    else if (!this.#isStopped) this.#answers.failed(fault)
  }

  /** Lets a short rest that nobody wants arrive, so that the connection stays usable. */
  drain(reply: ServerReply): void {
    collectBody(reply.body, this.#limits.refusalBytes, (_, how) => this.#stopUnless(how), this.#limits.restMs)
  }

  #refused({ status, headers, body }: ServerReply): void {
    const take = (bytes: Buffer, how: string) => {
      if (this.#isStopped) return
      this.#stopUnless(how)
      this.#answers.failed(new ServerRefused(this.#server, status, headers, bytes))
    }
    collectBody(body, this.#limits.refusalBytes, take, this.#limits.restMs)
  }

  #stopUnless(how: string): void {
    if (how !== 'whole') this.stop()
  }
}
