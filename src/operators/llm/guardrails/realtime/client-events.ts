import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { JsonObject } from '../../../../protocols/json/json-object.ts'
import { realtimeClientTexts } from '../../../../protocols/llm/texts/realtime.ts'
import type { Guard, OnGuardEnd } from '../guard.ts'
import { type GuardOutcome, runGuards } from '../run-guards.ts'
import { UNDECIDED, UNREADABLE } from './gateway-events.ts'
import { readEvent } from './read-event.ts'

/** What checks the events of a client. */
export interface ClientEventsOptions {
  /** The client's request as received, for the guards. */
  readonly exchange: Exchange
  readonly guards: readonly Guard[]
  readonly onGuardEnd: OnGuardEnd
  /** Forwards the event to the provider. */
  readonly pass: (event: Buffer) => void
  /** Sends the client an error event in place of forwarding the event. */
  readonly refuse: (why: string) => void
}

/** Checks what a client sends in a realtime session, event by event. */
export class ClientEvents {
  readonly #options: ClientEventsOptions
  readonly #kept: readonly unknown[]

  constructor(options: ClientEventsOptions) {
    this.#options = options
    this.#kept = options.guards.map((guard) => guard.keep?.(options.exchange))
  }

  /** @returns A promise only if a guard works asynchronously. */
  check(payload: Buffer): void | Promise<void> {
    const { exchange: x, guards, onGuardEnd, pass, refuse } = this.#options
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
    const verdict = runGuards(slots, { x, phase: 'request', guards, kept: this.#kept, onGuardEnd })
    if (verdict instanceof Promise)
      return verdict.then((outcome) => {
        this.#apply(outcome, payload, event)
      })
    this.#apply(verdict, payload, event)
  }

  #apply(verdict: GuardOutcome, payload: Buffer, event: JsonObject): void {
    const { pass, refuse } = this.#options
    if (verdict === 'unchanged') pass(payload)
    else if (verdict === 'masked') pass(Buffer.from(JSON.stringify(event)))
    else refuse(verdict === 'failed' ? UNDECIDED : verdict.body)
  }
}
