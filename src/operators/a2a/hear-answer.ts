import type { A2aFacts } from '../../model/a2a.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import { a2aOutcomeOf } from '../../protocols/a2a/outcome.ts'
import { isBodiless } from '../body/hold.ts'
import { EventTexts } from './event-texts.ts'
import { LOOK_BYTES } from './hear-call.ts'
import { type Listener, overhear } from './overheard-body.ts'

/**
 * Takes down how a call goes while its answer passes, one message or a stream of events: of a stream, the last that was
 * said. The bytes stay as they are; of each message at most the first 64 KiB are looked at, and none of a compressed one.
 */
export const hearAnswer = (x: Exchange, reply: Reply): void => {
  const { a2a } = x
  if (a2a?.method === undefined || isBodiless(x, reply) || reply.headers.has('content-encoding')) return
  const type = reply.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.startsWith('text/event-stream')) reply.body = overhear(reply.body, new Events(x, a2a))
  else if (type.includes('json')) reply.body = overhear(reply.body, new OneMessage(x, a2a))
}

class OneMessage implements Listener {
  readonly #x: Exchange
  readonly #facts: A2aFacts
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(x: Exchange, facts: A2aFacts) {
    this.#x = x
    this.#facts = facts
  }

  heard(chunk: Uint8Array): void {
    const room = LOOK_BYTES - this.#text.length
    if (room > 0) this.#text += this.#decoder.decode(chunk.subarray(0, room), { stream: true })
  }

  ended(): void {
    takeDown(this.#facts, this.#text)
    tell(this.#x, this.#facts)
  }
}

class Events implements Listener {
  readonly #x: Exchange
  readonly #facts: A2aFacts
  readonly #decoder = new TextDecoder()
  readonly #events: EventTexts

  constructor(x: Exchange, facts: A2aFacts) {
    this.#x = x
    this.#facts = facts
    this.#events = new EventTexts(LOOK_BYTES, (data) => {
      takeDown(facts, data)
    })
  }

  heard(chunk: Uint8Array): void {
    this.#events.add(this.#decoder.decode(chunk, { stream: true }))
  }

  ended(): void {
    tell(this.#x, this.#facts)
  }
}

const takeDown = (facts: A2aFacts, text: string): void => {
  const outcome = a2aOutcomeOf(text)
  if (!outcome) return
  facts.outcome = outcome.outcome
  facts.errorCode = outcome.errorCode
  facts.kind = outcome.kind ?? facts.kind
  // Not every event of a stream says them again.
  facts.taskState = outcome.taskState ?? facts.taskState
  facts.contextId = outcome.contextId ?? facts.contextId
}

const tell = ({ probe }: Exchange, { outcome, errorCode, kind, taskState, contextId }: A2aFacts): void => {
  probe?.note({
    type: 'policyEvent',
    kind: 'a2a',
    details: { outcome, errorCode, kind, taskState, contextId },
  })
}
