import type { Fault } from '../../../model/exchange/fault.ts'
import { tooManyWaiting } from '../http/faults.ts'

/** A message to be sent. */
export interface LegacySsePost {
  send(path: string): void
  fail(fault: Fault): void
}

/** Buffers messages until the endpoint is known. */
export class LegacySseOutbox {
  readonly #server: string
  readonly #limit: number
  #waiting: LegacySsePost[] = []
  #path: string | undefined = undefined
  #fault: Fault | undefined = undefined

  constructor(server: string, limit: number) {
    this.#server = server
    this.#limit = limit
  }

  /** Why nothing more can be sent. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  put(post: LegacySsePost): void {
    const fault =
      this.#fault ?? (this.#waiting.length >= this.#limit ? tooManyWaiting(this.#server) : undefined)
    if (fault) queueMicrotask(() => post.fail(fault))
    else if (this.#path === undefined) this.#waiting.push(post)
    else post.send(this.#path)
  }

  /** False if it was sent. */
  withdraw(post: LegacySsePost): boolean {
    const index = this.#waiting.indexOf(post)
    if (index >= 0) this.#waiting.splice(index, 1)
    return index >= 0
  }

  /** The endpoint is known: sends the buffered messages. */
  open(path: string): void {
    this.#path = path
    for (const post of this.#waiting.splice(0)) post.send(path)
  }

  close(fault: Fault): void {
    if (this.#fault) return
    this.#fault = fault
    for (const post of this.#waiting.splice(0)) post.fail(fault)
  }
}
