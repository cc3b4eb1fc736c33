import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions, StreamAttributes } from '../chat/codec.ts'
import type { BlockStart, ChatEvent, StreamEncoder } from '../chat/events.ts'
import type { Finish } from '../chat/reply.ts'
import type { LlmError } from '../errors/error.ts'
import { Losses } from '../dropped-fields.ts'
import type { Usage } from '../usage.ts'
import { ResponsesStreamAttributes } from './attributes.ts'
import { incompleteReason } from './incomplete-reason.ts'
import { type NamedEvent, OpenItem } from './output-item-writer.ts'
import {
  nowS,
  type ResponseObjectAttributes,
  responseId,
  responseObject,
  type ResponseState,
} from './response-object.ts'
import { encodeUsage } from './usage.ts'

/**
 * Encodes a stream (`ResponseStreamEvent` of the SDK). Each block is an item of `output`, in the order of their start;
 * overlapping blocks are overlapping items. The last event repeats the whole response.
 */
export const encodeStream = (options: ReplyOptions, losses?: Losses): StreamEncoder =>
  new ResponseStreamEncoder(options, losses)

/**
 * Encodes an error for a client whose stream was passed through from a provider. The failed response is the response of
 * the stream if that is known, else a new one.
 *
 * Some clients handle only one of the two events; those that handle both stop at the first.
 */
export const encodeStreamError = (error: LlmError, stream?: StreamAttributes): string => {
  const { response: begun, nextNumber = 0 } = stream instanceof ResponsesStreamAttributes ? stream : {}
  const attributes: ResponseObjectAttributes = {
    id: responseId(''),
    model: '',
    createdAtS: nowS(),
    serviceTier: undefined,
  }
  const failed = responseObject(attributes, { status: 'failed', output: [], error })
  const response = begun ? { ...begun, status: failed.status, error: failed.error } : failed
  return (
    frame('error', errorFields(error), nextNumber) + frame('response.failed', { response }, nextNumber + 1)
  )
}

class ResponseStreamEncoder implements StreamEncoder {
  readonly #options: ReplyOptions
  readonly #losses: Losses
  #attributes: ResponseObjectAttributes | undefined = undefined
  #sequence = 0
  /** By number of the block, which is the index of the item. */
  readonly #items: OpenItem[] = []
  #usage: Usage | undefined = undefined
  #finish: Finish = 'stop'
  #isOver = false

  constructor(options: ReplyOptions, losses = new Losses()) {
    this.#options = options
    this.#losses = losses
  }

  encode(event: ChatEvent): string {
    if (this.#isOver) return ''
    switch (event.type) {
      case 'start':
        return this.#start(event)
      case 'open':
        return this.#open(event.block, event.part)
      case 'delta':
        return this.#items[event.block]?.delta(event.text, this.#sequence++) ?? ''
      case 'signature':
        if (this.#items[event.block]?.kind === 'toolCall') this.#losses.drop('tool_calls.signature')
        this.#items[event.block]?.sign(event.signature)
        return ''
      case 'close':
        return this.#write(this.#items[event.block]?.close() ?? [])
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'finish':
        if (event.stopSequence !== undefined) this.#losses.drop('stop_sequence')
        this.#finish = event.finish
        return ''
      case 'end':
        return this.#end()
      case 'error':
        return this.#fail(event.error)
    }
  }

  #start(event: ChatEvent & { type: 'start' }): string {
    this.#attributes = {
      id: responseId(event.id),
      model: event.model === '' ? this.#options.model : event.model,
      createdAtS: event.createdAtS ?? nowS(),
      serviceTier: event.serviceTier,
    }
    const response = responseObject(this.#attributes, { status: 'in_progress', output: [] })
    return this.#write([
      ['response.created', { response }],
      ['response.in_progress', { response }],
    ])
  }

  #open(block: number, part: BlockStart): string {
    if (!this.#attributes) return ''
    const item = new OpenItem(part, this.#attributes, block)
    this.#items[block] = item
    return this.#write(item.open())
  }

  #end(): string {
    const refusal = this.#items.some(({ kind }) => kind === 'refusal')
    const incomplete = incompleteReason(this.#finish, { toolCall: false, refusal })
    const status = incomplete === undefined ? 'completed' : 'incomplete'
    return this.#last({ status, incomplete, output: this.#output() })
  }

  #fail(error: LlmError): string {
    if (this.#attributes) return this.#last({ status: 'failed', error, output: this.#output() })
    this.#isOver = true
    return this.#write([['error', errorFields(error)]])
  }

  #last(state: ResponseState): string {
    this.#isOver = true
    if (!this.#attributes) return ''
    const response = responseObject(this.#attributes, { ...state, usage: encodeUsage(this.#usage) })
    return this.#write([[`response.${state.status}`, { response }]])
  }

  #output(): JsonObject[] {
    return this.#items.map((item) => item.item())
  }

  #write(events: readonly NamedEvent[]): string {
    let text = ''
    for (const [type, fields] of events) text += frame(type, fields, this.#sequence++)
    return text
  }
}

const frame = (type: string, fields: JsonObject, sequence: number): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`

/** `ResponseErrorEvent` of the SDK, which has no field for the type of the error. */
const errorFields = (error: LlmError): JsonObject => ({
  code: error.code ?? error.type ?? null,
  message: error.message,
  param: error.param ?? null,
})
