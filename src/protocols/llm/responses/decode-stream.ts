import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { StreamDecoder, EmitEvent } from '../chat/events.ts'
import { Losses } from '../dropped-fields.ts'
import { statusOf } from './errors.ts'
import { decodeFinish } from './incomplete-reason.ts'
import { responseValues } from '../members/typed-fields.ts'
import { StreamBlocks } from './stream-blocks.ts'
import { eventIn, positionIn } from './stream-event.ts'
import { type Channel, channelOf, type StreamItem, streamItem, outputText } from './output-item-reader.ts'
import { decodeUsage } from './usage.ts'

/**
 * Decodes a stream (`ResponseStreamEvent` of the SDK).
 *
 * The format repeats most content: in pieces, as a whole, as an item and in the whole response. Everything is emitted
 * as soon as it is known, and once. Unknown events are ignored, since providers add more of them.
 */
export const decodeStream = (losses?: Losses): StreamDecoder => new ResponseStreamDecoder(losses)

class ResponseStreamDecoder implements StreamDecoder {
  readonly #blocks = new StreamBlocks()
  /** By index in `output`; undefined for items that are not translated. */
  readonly #items = new Map<number, StreamItem | undefined>()
  #latest = 0
  #state: 'new' | 'begun' | 'over' = 'new'
  readonly #losses: Losses

  constructor(losses = new Losses()) {
    this.#losses = losses
  }

  push(name: string | undefined, data: string, emit: EmitEvent): void {
    if (this.#state === 'over' || data === '[DONE]') return
    try {
      const event = eventIn(data)
      this.#event(responseValues.textIfAny(event.type, 'type') ?? name, event, emit)
    } catch (error) {
      if (!(error instanceof BadReply)) throw error
      this.#fail(502, `the provider's stream is broken: ${error.message}`, emit)
    }
  }

  end(emit: EmitEvent): void {
    if (this.#state !== 'over')
      this.#fail(502, "the provider's stream ended before the response was complete", emit)
  }

  #event(type: string | undefined, event: JsonObject, emit: EmitEvent): void {
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#begin(jsonObjectOr(event.response), emit)
        return
      case 'response.output_item.added':
        this.#added(event, emit)
        return
      case 'response.content_part.added':
        this.#part(event, emit)
        return
      case 'response.output_text.delta':
        this.#text(event, 'text', 'content_index', 'delta', emit)
        return
      case 'response.output_text.done':
        this.#text(event, 'text', 'content_index', 'text', emit)
        return
      case 'response.refusal.delta':
        this.#text(event, 'refusal', 'content_index', 'delta', emit)
        return
      case 'response.refusal.done':
        this.#text(event, 'refusal', 'content_index', 'refusal', emit)
        return
      case 'response.reasoning_summary_text.delta':
        this.#text(event, 'summary', 'summary_index', 'delta', emit)
        return
      case 'response.reasoning_summary_text.done':
        this.#text(event, 'summary', 'summary_index', 'text', emit)
        return
      case 'response.reasoning_text.delta':
        this.#text(event, 'reasoning', 'content_index', 'delta', emit)
        return
      case 'response.reasoning_text.done':
        this.#text(event, 'reasoning', 'content_index', 'text', emit)
        return
      case 'response.function_call_arguments.delta':
        this.#text(event, 'arguments', 'content_index', 'delta', emit)
        return
      case 'response.function_call_arguments.done':
        this.#text(event, 'arguments', 'content_index', 'arguments', emit)
        return
      case 'response.content_part.done':
        this.#item(event, undefined, emit)?.partDone(positionIn(event, 'content_index', 0), emit)
        return
      case 'response.output_item.done':
        this.#done(this.#positionOf(event), responseValues.object(event.item, 'item'), emit)
        return
      case 'response.completed':
      case 'response.incomplete':
        this.#complete(type, responseValues.object(event.response, 'response'), emit)
        return
      case 'response.failed':
        this.#failed(jsonObjectOr(event.response), emit)
        return
      case 'error':
        this.#error(jsonObjectIn(event.error) ?? event, emit)
        return
      default:
        // Some services have no event type for errors.
        if (jsonObjectIn(event.error)) this.#error(jsonObjectOr(event.error), emit)
    }
  }

  #begin(response: JsonObject, emit: EmitEvent): void {
    if (this.#state !== 'new') return
    this.#state = 'begun'
    emit({
      type: 'start',
      id: responseValues.textIfAny(response.id, 'response.id') ?? '',
      model: responseValues.textIfAny(response.model, 'response.model') ?? '',
      createdAtS: responseValues.numberIfAny(response.created_at, 'response.created_at'),
      serviceTier: responseValues.textIfAny(response.service_tier, 'response.service_tier'),
    })
  }

  #added(event: JsonObject, emit: EmitEvent): void {
    this.#begin({}, emit)
    const position = this.#positionOf(event)
    // Some services give all items the same index, one after the other.
    this.#items.get(position)?.close(emit)
    this.#items.set(position, this.#newItem(responseValues.object(event.item, 'item'), emit))
  }

  #part(event: JsonObject, emit: EmitEvent): void {
    const part = responseValues.object(event.part, 'part')
    const channel = channelOf(part)
    if (channel === undefined) return
    const text = responseValues.textIfAny(outputText(part), 'part.text') ?? ''
    this.#item(event, channel, emit)?.text(channel, positionIn(event, 'content_index', 0), text, true, emit)
  }

  #text(event: JsonObject, channel: Channel, position: string, field: string, emit: EmitEvent): void {
    const text = responseValues.text(event[field], field)
    this.#item(event, channel, emit)?.text(
      channel,
      positionIn(event, position, 0),
      text,
      field !== 'delta',
      emit,
    )
  }

  #done(position: number, item: JsonObject, emit: EmitEvent): void {
    this.#begin({}, emit)
    if (!this.#items.has(position)) this.#items.set(position, this.#newItem(item, emit))
    this.#items.get(position)?.done(item, emit)
  }

  #complete(type: string, response: JsonObject, emit: EmitEvent): void {
    this.#begin(response, emit)
    // For providers that send no item events.
    if (this.#items.size === 0)
      for (const [i, item] of responseValues.listOrNone(response.output, 'response.output').entries())
        this.#done(i, responseValues.object(item, `response.output[${i}]`), emit)
    for (const item of this.#items.values()) item?.close(emit)
    const usage = decodeUsage(response.usage)
    if (usage) emit({ type: 'usage', usage })
    const status = type === 'response.incomplete' ? 'incomplete' : response.status
    emit({ type: 'finish', finish: decodeFinish({ ...response, status }, this.#blocks.seen) })
    this.#state = 'over'
    emit({ type: 'end' })
  }

  #failed(response: JsonObject, emit: EmitEvent): void {
    const usage = decodeUsage(response.usage)
    if (usage && this.#state === 'begun') emit({ type: 'usage', usage })
    this.#error(jsonObjectOr(response.error), emit)
  }

  #error(error: JsonObject, emit: EmitEvent): void {
    const text = (name: string): string | undefined =>
      typeof error[name] === 'string' && error[name] !== '' ? error[name] : undefined
    const [code, param] = [text('code'), text('param')]
    // The type `error` is that of the event, not a kind of error.
    const type = error.type === 'error' ? undefined : text('type')
    this.#state = 'over'
    const message = text('message') ?? 'the provider failed without saying why'
    emit({ type: 'error', error: { status: statusOf(code, type), message, type, code, param } })
  }

  #fail(status: number, message: string, emit: EmitEvent): void {
    this.#state = 'over'
    emit({ type: 'error', error: { status, message } })
  }

  /** The item of an event. Text may belong to a message without an `added` event. */
  #item(event: JsonObject, channel: Channel | undefined, emit: EmitEvent): StreamItem | undefined {
    const position = this.#positionOf(event)
    if (!this.#items.has(position) && channel !== undefined) {
      if (channel === 'arguments') throw new BadReply('arguments of a call that has not begun')
      this.#begin({}, emit)
      const type = channel === 'text' || channel === 'refusal' ? 'message' : 'reasoning'
      this.#items.set(position, this.#newItem({ type }, emit))
    }
    return this.#items.get(position)
  }

  #newItem(item: JsonObject, emit: EmitEvent): StreamItem | undefined {
    return streamItem(item, this.#blocks, this.#losses, emit)
  }

  #positionOf(event: JsonObject): number {
    return (this.#latest = positionIn(event, 'output_index', this.#latest))
  }
}
