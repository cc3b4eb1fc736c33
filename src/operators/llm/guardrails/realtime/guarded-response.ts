import type { EventTexts } from '../../protocols/llm/texts/text-slot.ts'
import { Checks, type ChecksOptions } from '../guard-response/checks.ts'
import { GuardChain, type GuardChainOptions } from '../guard-response/guard-chain.ts'
import type { HeldText } from '../guard-response/held-text.ts'
import type { HeldMessage } from './held-message.ts'

/** Who looks at an answer. */
export interface GuardedAnswerOptions extends GuardChainOptions, Omit<ChecksOptions, 'block'> {
  /** Told what the client gets in place of the rest, once. */
  readonly block: (answer: GuardedAnswer, message: string) => void
  /** Runs what comes late, and lets go what can leave then. */
  readonly later: (answer: GuardedAnswer, run: () => void) => void
}

/** One answer of a realtime conversation, and its guards. What belongs to no answer is guarded as one of its own. */
export class GuardedAnswer {
  readonly id: string | undefined
  /** The items of the conversation that it consists of. */
  readonly items = new Set<string>()
  readonly #checks: Checks
  readonly #chain: GuardChain
  #isThrough = false

  constructor(id: string | undefined, options: GuardedAnswerOptions) {
    this.id = id
    this.#checks = new Checks({
      ...options,
      block: ({ message }) => {
        options.block(this, message)
      },
    })
    const last = {
      text: (text: HeldText) => {
        text.event.clear(text)
      },
      close: () => undefined,
      end: () => {
        this.#isThrough = true
      },
    }
    this.#chain = new GuardChain(options, this.#checks, last, (run) => {
      options.later(this, run)
    })
  }

  /** Nothing more of it reaches the client. */
  get isBlocked(): boolean {
    return this.#checks.isOver
  }

  /** Nobody looks at it any more: it has been blocked, or it is over and was cleared to its end. */
  get isDecided(): boolean {
    return this.isBlocked || this.#isThrough
  }

  /** More waits than the provider should go on sending. */
  get isBehind(): boolean {
    return !this.isBlocked && this.#chain.isBehind
  }

  /** Shows the guards what a message says, which has been put where it waits. */
  read(message: HeldMessage, { pieces, wholes, closes }: EventTexts): void {
    message.await(pieces.length + wholes.length)
    const texts: HeldText[] = []
    for (const slot of pieces) texts.push({ event: message, slot, channel: slot.channel, text: slot.text })
    for (const slot of wholes) texts.push({ event: message, slot, channel: undefined, text: slot.text })
    for (const text of texts) if (!this.isBlocked) this.#chain.text(text)
    if (closes.length && !this.isBlocked) this.#chain.close(closes)
    this.advance(false)
  }

  /** @param isAtRest Nothing else has come yet. */
  advance(isAtRest: boolean): void {
    if (!this.isBlocked) this.#chain.advance(isAtRest)
  }

  /** Nothing of it follows. */
  end(): void {
    if (!this.isBlocked) this.#chain.close('all')
    if (!this.isBlocked) this.#chain.end()
    this.advance(true)
  }

  /** Something broke that is no guard's. */
  breakOff(): void {
    this.#checks.breakOff()
  }

  /** Nobody waits for its guards any more. */
  stop(): void {
    this.#checks.stop()
  }
}
