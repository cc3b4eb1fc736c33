import type { JsonObject } from '../../json/json-object.ts'
import type { BlockStart } from '../chat/events.ts'
import { contentPart, idPrefix, type ItemStatus, outputItem, type OutputPart } from './output-items.ts'
import { itemId, type ResponseObjectAttributes } from './response-object.ts'

/** An item of a stream that is being encoded: its events and its content so far. */
export class OpenItem {
  readonly #start: BlockStart
  readonly #id: string
  readonly #index: number
  /** The beginning of a delta event, up to the text. Precomputed, since most events are deltas. */
  readonly #deltaHead: string
  #text = ''
  #signature: string | undefined = undefined
  #isOpen = true

  /** @param index The index in `output`. */
  constructor(start: BlockStart, attributes: ResponseObjectAttributes, index: number) {
    this.#start = start
    this.#id = itemId(idPrefix[start.type], attributes, index)
    this.#index = index
    const type = `response.${deltaTypes[start.type]}`
    // Without its closing brace, the object can be continued.
    const head = JSON.stringify({ type, ...this.#position(), ...extras[start.type] }).slice(0, -1)
    this.#deltaHead = `event: ${type}\ndata: ${head},"delta":`
  }

  get kind(): BlockStart['type'] {
    return this.#start.type
  }

  /** The events that begin the item. */
  open(): readonly NamedEvent[] {
    const added: NamedEvent = ['response.output_item.added', this.#whole(this.#begun())]
    switch (this.#start.type) {
      case 'text':
      case 'refusal':
        return [added, ['response.content_part.added', { ...this.#position(), part: this.#content('') }]]
      case 'thinking':
        return [added, ['response.reasoning_summary_part.added', { ...this.#position(), part: summary('') }]]
      default:
        return [added]
    }
  }

  /** A piece of the text, as an event. */
  delta(text: string, sequence: number): string {
    this.#text += text
    return `${this.#deltaHead}${JSON.stringify(text)},"sequence_number":${sequence}}\n\n`
  }

  sign(signature: string): void {
    this.#signature = signature
  }

  /** The events that end the item. */
  close(): readonly NamedEvent[] {
    if (!this.#isOpen) return []
    this.#isOpen = false
    const position = this.#position()
    const done: NamedEvent = ['response.output_item.done', this.#whole(this.item())]
    switch (this.#start.type) {
      case 'text':
        return [
          ['response.output_text.done', { ...position, text: this.#text, logprobs: [] }],
          ['response.content_part.done', { ...position, part: this.#content(this.#text) }],
          done,
        ]
      case 'refusal':
        return [
          ['response.refusal.done', { ...position, refusal: this.#text }],
          ['response.content_part.done', { ...position, part: this.#content(this.#text) }],
          done,
        ]
      case 'thinking':
        return [
          ['response.reasoning_summary_text.done', { ...position, text: this.#text }],
          ['response.reasoning_summary_part.done', { ...position, part: summary(this.#text) }],
          done,
        ]
      case 'toolCall':
        return this.#closeCall(done)
      case 'hiddenThinking':
        return [done]
    }
  }

  /** The item with its content so far. */
  item(): JsonObject {
    return outputItem(this.#textPart(this.#text), this.#id, this.#isOpen ? 'incomplete' : 'completed')
  }

  #closeCall(done: NamedEvent): readonly NamedEvent[] {
    const position = this.#position()
    const end: NamedEvent[] = [
      [
        'response.function_call_arguments.done',
        { ...position, arguments: this.#text === '' ? '{}' : this.#text },
      ],
      done,
    ]
    // Clients that join the deltas need one for the empty object too.
    return this.#text === ''
      ? [['response.function_call_arguments.delta', { ...position, delta: '{}' }], ...end]
      : end
  }

  #begun(): JsonObject {
    const status: ItemStatus = 'in_progress'
    switch (this.#start.type) {
      case 'text':
      case 'refusal':
        return { id: this.#id, type: 'message', status, role: 'assistant', content: [] }
      case 'thinking':
        return { id: this.#id, type: 'reasoning', summary: [] }
      case 'toolCall':
        return { ...outputItem(this.#textPart(''), this.#id, status), arguments: '' }
      case 'hiddenThinking':
        return outputItem(this.#textPart(''), this.#id, status)
    }
  }

  #textPart(text: string): OutputPart {
    const start = this.#start
    switch (start.type) {
      case 'text':
      case 'refusal':
        return { type: start.type, text }
      case 'thinking':
        return { type: 'thinking', text, signature: this.#signature }
      case 'toolCall':
        return { ...start, arguments: text }
      case 'hiddenThinking':
        return start
    }
  }

  #content(text: string): JsonObject {
    return contentPart({ type: this.#start.type === 'refusal' ? 'refusal' : 'text', text })
  }

  #whole(item: JsonObject): JsonObject {
    return { output_index: this.#index, item }
  }

  #position(): JsonObject {
    return { item_id: this.#id, output_index: this.#index, ...positions[this.#start.type] }
  }
}

/** The type and the fields of an event. */
export type NamedEvent = readonly [type: string, fields: JsonObject]

const summary = (text: string): JsonObject => ({ type: 'summary_text', text })

const deltaTypes = {
  text: 'output_text.delta',
  refusal: 'refusal.delta',
  thinking: 'reasoning_summary_text.delta',
  toolCall: 'function_call_arguments.delta',
  hiddenThinking: 'reasoning_summary_text.delta',
} as const

/** The position of the text in the item. */
const positions = {
  text: { content_index: 0 },
  refusal: { content_index: 0 },
  thinking: { summary_index: 0 },
  toolCall: {},
  hiddenThinking: { summary_index: 0 },
} as const

/** Further required fields of a delta event. */
const extras = {
  text: { logprobs: [] },
  refusal: {},
  thinking: {},
  toolCall: {},
  hiddenThinking: {},
} as const
