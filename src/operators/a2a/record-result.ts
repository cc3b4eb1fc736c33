import type { A2aAttributes } from '../../model/exchange/a2a-attributes.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { a2aOutcomeOf } from '../../protocols/a2a/outcome.ts'
import { isBodiless } from '../body/buffer-body.ts'
import { SseDataTexts } from './sse-data.ts'
import { INSPECTED_BYTES } from './record-call.ts'
import { type BodyListener, tapEvents } from './tapped-body.ts'

/**
 * Records the outcome of a call from its response: one message, or the last result of an event stream. The bytes are
 * not changed. At most the first 64 KiB of each message are inspected, and nothing of a compressed one.
 */
export const recordA2aResult = (x: Exchange, reply: Reply): void => {
  const { a2a } = x.protocol
  if (a2a?.method === undefined || isBodiless(x, reply) || reply.headers.has('content-encoding')) return
  const type = reply.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.startsWith('text/event-stream')) reply.body = tapEvents(reply.body, new Events(x, a2a))
  else if (type.includes('json')) reply.body = tapEvents(reply.body, new OneMessage(x, a2a))
}

class OneMessage implements BodyListener {
  readonly #x: Exchange
  readonly #attributes: A2aAttributes
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(x: Exchange, attributes: A2aAttributes) {
    this.#x = x
    this.#attributes = attributes
  }

  onChunk(chunk: Uint8Array): void {
    const room = INSPECTED_BYTES - this.#text.length
    if (room > 0) this.#text += this.#decoder.decode(chunk.subarray(0, room), { stream: true })
  }

  onEnd(): void {
    recordOutcome(this.#attributes, this.#text)
    traceOutcome(this.#x, this.#attributes)
  }
}

class Events implements BodyListener {
  readonly #x: Exchange
  readonly #attributes: A2aAttributes
  readonly #decoder = new TextDecoder()
  readonly #events: SseDataTexts

  constructor(x: Exchange, attributes: A2aAttributes) {
    this.#x = x
    this.#attributes = attributes
    this.#events = new SseDataTexts(INSPECTED_BYTES, (data) => {
      recordOutcome(attributes, data)
    })
  }

  onChunk(chunk: Uint8Array): void {
    this.#events.add(this.#decoder.decode(chunk, { stream: true }))
  }

  onEnd(): void {
    traceOutcome(this.#x, this.#attributes)
  }
}

const recordOutcome = (attributes: A2aAttributes, text: string): void => {
  const outcome = a2aOutcomeOf(text)
  if (!outcome) return
  attributes.outcome = outcome.outcome
  attributes.errorCode = outcome.errorCode
  attributes.kind = outcome.kind ?? attributes.kind
  // Not every event of a stream repeats both.
  attributes.taskState = outcome.taskState ?? attributes.taskState
  attributes.contextId = outcome.contextId ?? attributes.contextId
}

const traceOutcome = (
  { probe }: Exchange,
  { outcome, errorCode, kind, taskState, contextId }: A2aAttributes,
): void => {
  probe?.record({
    type: 'policyEvent',
    kind: 'a2a',
    details: { outcome, errorCode, kind, taskState, contextId },
  })
}
