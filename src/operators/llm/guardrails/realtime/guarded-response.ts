import type { EventTexts } from '../../../../protocols/llm/texts/text-slot.ts'
import { Checks, type ChecksOptions } from '../stream/pending-checks.ts'
import { GuardChain, type GuardChainOptions } from '../stream/guard-chain.ts'
import { type PendingText, pendingTexts } from '../stream/pending-event.ts'
import type { PendingMessage } from './pending-message.ts'

/** What checks a response. */
export interface GuardedResponseOptions extends GuardChainOptions, Omit<ChecksOptions, 'block'> {
  /** Called once, with the message that the client gets in place of the rest. */
  readonly block: (response: GuardedResponse, message: string) => void
  /** Runs a late verdict, and sends what is cleared by it. */
  readonly later: (response: GuardedResponse, run: () => void) => void
}

/** One response of a realtime session, with its guards. Events of no response are checked as one of their own. */
export class GuardedResponse {
  readonly id: string | undefined
  /** The session items that belong to the response. */
  readonly items = new Set<string>()
  readonly #checks: Checks
  readonly #chain: GuardChain
  #isComplete = false

  constructor(id: string | undefined, options: GuardedResponseOptions) {
    this.id = id
    this.#checks = new Checks({
      ...options,
      block: ({ message }) => {
        options.block(this, message)
      },
    })
    const last = {
      text: (text: PendingText) => {
        text.event.clear(text)
      },
      close: () => undefined,
      end: () => {
        this.#isComplete = true
      },
    }
    this.#chain = new GuardChain(options, this.#checks, last, (run) => {
      options.later(this, run)
    })
  }

  /** The client gets nothing more of it. */
  get isBlocked(): boolean {
    return this.#checks.isOver
  }

  /** No check is left: the response has been blocked, or all of it has been cleared. */
  get isDecided(): boolean {
    return this.isBlocked || this.#isComplete
  }

  /** So much is pending that the provider should be paused. */
  get isBehind(): boolean {
    return !this.isBlocked && this.#chain.isBehind
  }

  /** Checks the texts of a message that is already in the queue. */
  read(message: PendingMessage, { pieces, wholes, closes }: EventTexts): void {
    message.await(pieces.length + wholes.length)
    const texts = pendingTexts(message, { pieces, wholes })
    for (const text of texts) if (!this.isBlocked) this.#chain.text(text)
    if (closes.length && !this.isBlocked) this.#chain.close(closes)
    this.advance(false)
  }

  /** @param isAtRest Nothing else has been received yet. */
  advance(isAtRest: boolean): void {
    if (!this.isBlocked) this.#chain.advance(isAtRest)
  }

  /** The response is complete. */
  end(): void {
    if (!this.isBlocked) this.#chain.close('all')
    if (!this.isBlocked) this.#chain.end()
    this.advance(true)
  }

  /** Blocks the response because of an internal error. */
  breakOff(): void {
    this.#checks.breakOff()
  }

  /** Cancels its checks. */
  stop(): void {
    this.#checks.stop()
  }
}
