import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { textIn } from '../../json/typed-values.ts'
import type { BlockStart, StreamDecoder, EmitEvent } from '../chat/events.ts'
import { isTooDeep } from '../chat/arguments.ts'
import { Losses } from '../dropped-fields.ts'
import { blockStart, deltas } from './block-start.ts'
import { contentLoss, refusalText } from './decode-reply.ts'
import { decodeError } from './errors.ts'
import { serviceTierOf, UsageTally } from './usage.ts'
import { finishOf } from './stop-reasons.ts'

/**
 * Decodes a stream (Anthropic Messages API, `MessageStreamEvent`). Unknown events are ignored, as the documentation of
 * the stream requires; known ones in the wrong order are an error.
 */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #losses: Losses
  readonly #tally = new UsageTally()
  /** Open blocks by the provider's index. */
  readonly #blocks = new Map<number, OpenBlock>()
  #state: 'before' | 'blocks' | 'finished' | 'over' = 'before'
  #nextBlock = 0
  #hasToolCalls = false

  constructor(losses: Losses = new Losses()) {
    this.#losses = losses
  }

  push(name: string | undefined, data: string, emit: EmitEvent): void {
    if (this.#state === 'over' || name === 'ping') return
    const event = readJsonObject(data)
    if (!event) {
      this.#fail('an event of the provider is no JSON object', emit)
      return
    }
    const type = typeof event.type === 'string' ? event.type : name
    switch (type) {
      case 'content_block_delta':
        this.#delta(event, emit)
        return
      case 'content_block_start':
        this.#open(event, emit)
        return
      case 'content_block_stop':
        this.#close(event, emit)
        return
      case 'message_start':
        this.#start(event, emit)
        return
      case 'message_delta':
        this.#messageDelta(event, emit)
        return
      case 'message_stop':
        this.#stop(emit)
        return
      case 'error':
        this.#state = 'over'
        emit({ type: 'error', error: decodeError(undefined, event) })
    }
  }

  end(emit: EmitEvent): void {
    if (this.#state !== 'over') this.#fail('the stream of the provider was cut', emit)
  }

  #start(event: JsonObject, emit: EmitEvent): void {
    const message = jsonObjectIn(event.message)
    if (this.#state !== 'before' || !message) {
      this.#fail('message_start is not what a stream begins with', emit)
      return
    }
    this.#state = 'blocks'
    this.#tally.add(message.usage)
    const { usage } = this.#tally
    const serviceTier = serviceTierOf(message.usage)
    emit({
      type: 'start',
      id: textIn(message.id) ?? '',
      model: textIn(message.model) ?? '',
      ...(serviceTier !== undefined && { serviceTier }),
      ...(usage && { usage }),
    })
    if (usage) emit({ type: 'usage', usage })
  }

  #open(event: JsonObject, emit: EmitEvent): void {
    const [index, block] = [event.index, jsonObjectIn(event.content_block)]
    const type = block?.type
    if (this.#state !== 'blocks' || typeof index !== 'number' || !block || typeof type !== 'string') {
      this.#fail('content_block_start comes in the wrong place, or without its block', emit)
      return
    }
    if (this.#blocks.has(index)) {
      this.#fail(`block ${index} of the stream begins twice`, emit)
      return
    }
    const part = blockStart(type, block)
    if (isTooDeep(block.input)) this.#fail('the input of a tool call is nested too deep', emit)
    else if (part === 'unknown') {
      this.#losses.drop(contentLoss(type))
      this.#blocks.set(index, { type: 'ignored' })
    } else if (part) {
      const number = this.#nextBlock++
      this.#hasToolCalls ||= part.type === 'toolCall'
      const open: OpenBlock = { type: part.type, number, hasContent: false, input: jsonObjectOr(block.input) }
      this.#blocks.set(index, open)
      emit({ type: 'open', block: number, part })
      this.#emitInitialContent(open, block, emit)
    } else this.#fail(`a block of type ${shown(type)} lacks a field`, emit)
  }

  /** Emits the content that a block begins with, if any. */
  #emitInitialContent(open: ContentBlock, block: JsonObject, emit: EmitEvent): void {
    const text = open.type === 'text' ? block.text : open.type === 'thinking' ? block.thinking : ''
    if (typeof text === 'string' && text !== '') emit({ type: 'delta', block: open.number, text })
    const signature = open.type === 'thinking' ? block.signature : ''
    if (typeof signature === 'string' && signature !== '')
      emit({ type: 'signature', block: open.number, signature })
  }

  #delta(event: JsonObject, emit: EmitEvent): void {
    const index = event.index
    const block = this.#state === 'blocks' && typeof index === 'number' ? this.#blocks.get(index) : undefined
    const delta = jsonObjectIn(event.delta)
    if (!block || !delta) {
      this.#fail('content_block_delta belongs to no open block, or is empty', emit)
      return
    }
    if (block.type === 'ignored') return
    const type = delta.type
    const kind = typeof type === 'string' ? deltas.get(type) : undefined
    if (!kind) {
      this.#losses.drop(type === 'citations_delta' ? 'content.citations' : 'content.unknown')
      return
    }
    const text = delta[kind.field]
    if (kind.block !== block.type || typeof text !== 'string') {
      this.#fail(`a delta does not fit its block of ${shown(block.type)}, or has no text`, emit)
      return
    }
    if (kind.field === 'signature') emit({ type: 'signature', block: block.number, signature: text })
    else if (text !== '') {
      block.hasContent = true
      emit({ type: 'delta', block: block.number, text })
    }
  }

  #close(event: JsonObject, emit: EmitEvent): void {
    const index = event.index
    const block = this.#state === 'blocks' && typeof index === 'number' ? this.#blocks.get(index) : undefined
    if (!block) {
      this.#fail('content_block_stop belongs to no open block', emit)
      return
    }
    this.#blocks.delete(index as number)
    if (block.type !== 'ignored') this.#endBlock(block, emit)
  }

  #endBlock({ type, number, hasContent, input }: ContentBlock, emit: EmitEvent): void {
    // Some compatible providers send the whole input at the beginning.
    if (type === 'toolCall' && !hasContent && Object.keys(input).length > 0)
      emit({ type: 'delta', block: number, text: JSON.stringify(input) })
    emit({ type: 'close', block: number })
  }

  #messageDelta(event: JsonObject, emit: EmitEvent): void {
    if (this.#state === 'before') {
      this.#fail('message_delta comes before message_start', emit)
      return
    }
    const delta = jsonObjectOr(event.delta)
    if (this.#state === 'blocks' && typeof delta.stop_reason === 'string') this.#finish(delta, emit)
    if (!jsonObjectIn(event.usage)) return
    this.#tally.add(event.usage)
    const { usage } = this.#tally
    if (usage) emit({ type: 'usage', usage })
  }

  #finish(delta: JsonObject, emit: EmitEvent): void {
    for (const block of this.#blocks.values()) if (block.type !== 'ignored') this.#endBlock(block, emit)
    this.#blocks.clear()
    const explanation = refusalText(delta.stop_details)
    if (explanation !== undefined) {
      const block = this.#nextBlock++
      emit({ type: 'open', block, part: { type: 'refusal' } })
      emit({ type: 'delta', block, text: explanation })
      emit({ type: 'close', block })
    }
    this.#state = 'finished'
    const finish = finishOf(delta.stop_reason, this.#hasToolCalls)
    const stopSequence = finish === 'stopSequence' ? textIn(delta.stop_sequence) : undefined
    emit({ type: 'finish', finish, ...(stopSequence !== undefined && { stopSequence }) })
  }

  #stop(emit: EmitEvent): void {
    if (this.#state === 'before') {
      this.#fail('message_stop comes before message_start', emit)
      return
    }
    // Some compatible providers send no stop reason.
    if (this.#state === 'blocks') this.#finish({}, emit)
    this.#state = 'over'
    emit({ type: 'end' })
  }

  #fail(message: string, emit: EmitEvent): void {
    this.#state = 'over'
    emit({ type: 'error', error: { status: 502, message } })
  }
}

type OpenBlock = ContentBlock | { readonly type: 'ignored' }

interface ContentBlock {
  readonly type: BlockStart['type']
  readonly number: number
  hasContent: boolean
  readonly input: JsonObject
}

/** Shortens a type from a provider for an error message. */
const shown = (type: string): string => type.slice(0, 40)
