import type { Exchange } from '../../model/exchange.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import { realtimeClientTexts } from '../../protocols/llm/texts/realtime.ts'
import type { Guard } from '../guard/guard.ts'
import type { Settle } from '../guard/guards.ts'
import { type Guarded, runGuards } from '../guard/run-guards.ts'
import { UNDECIDED, UNREADABLE } from './conversation-events.ts'
import { readEvent } from './read-event.ts'

/** Who looks at what a client says. */
export interface ClientEventsOptions {
  /** The client's request as it came, for what guards make of it. */
  readonly asked: Exchange
  readonly guards: readonly Guard[]
  readonly settle: Settle
  /** Lets the event go on to the provider. */
  readonly pass: (event: Buffer) => void
  /** Tells the client that it does not go on, and why. */
  readonly refuse: (why: string) => void
}

/** Shows guards what a client says in a realtime conversation, event by event. */
export class ClientEvents {
  readonly #options: ClientEventsOptions
  readonly #kept: readonly unknown[]

  constructor(options: ClientEventsOptions) {
    this.#options = options
    this.#kept = options.guards.map((guard) => guard.keep?.(options.asked))
  }

  /** @returns A promise only if a guard has to be waited for. */
  check(payload: Buffer): void | Promise<void> {
    const { asked: x, guards, settle, pass, refuse } = this.#options
    const event = readEvent(payload.toString('utf8'))
    if (!event) {
      refuse(UNREADABLE)
      return
    }
    const slots = realtimeClientTexts(event)
    if (slots.length === 0) {
      pass(payload)
      return
    }
    const verdict = runGuards(slots, { x, phase: 'request', guards, kept: this.#kept, settle })
    if (verdict instanceof Promise)
      return verdict.then((late) => {
        this.#judged(late, payload, event)
      })
    this.#judged(verdict, payload, event)
  }

  #judged(verdict: Guarded, payload: Buffer, event: JsonObject): void {
    const { pass, refuse } = this.#options
    if (verdict === 'unchanged') pass(payload)
    else if (verdict === 'masked') pass(Buffer.from(JSON.stringify(event)))
    else refuse(verdict === 'failed' ? UNDECIDED : verdict.body)
  }
}
