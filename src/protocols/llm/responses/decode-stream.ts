import type { JsonObject } from '../../json/json-object.ts'
import { jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { StreamDecoder, Tell } from '../chat/events.ts'
import { Losses } from '../losses.ts'
import { statusOf } from './errors.ts'
import { decodeFinish } from './finish.ts'
import { told } from '../checked.ts'
import { StreamBlocks } from './stream-blocks.ts'
import { eventIn, placeIn } from './stream-event.ts'
import type { Channel, StreamItem } from './stream-item.ts'
import { channelOf, streamItem, textOf } from './stream-item.ts'
import { decodeUsage } from './usage.ts'

/**
 * Reads a stream (`ResponseStreamEvent` of the SDK).
 *
 * The format says most things several times: piece by piece, whole, as an item and in the whole response. Each is told
 * as soon as it is known, and once. Events that are not known say nothing, for providers add more of them.
 */
export const decodeStream = (losses?: Losses): StreamDecoder => new ResponseStreamDecoder(losses)

class ResponseStreamDecoder implements StreamDecoder {
  readonly #blocks = new StreamBlocks()
  /** By place in `output`; undefined where an item says nothing to us. */
  readonly #items = new Map<number, StreamItem | undefined>()
  #latest = 0
  #state: 'new' | 'begun' | 'over' = 'new'
  readonly #losses: Losses

  constructor(losses = new Losses()) {
    this.#losses = losses
  }

  push(name: string | undefined, data: string, tell: Tell): void {
    if (this.#state === 'over' || data === '[DONE]') return
    try {
      const event = eventIn(data)
      this.#event(told.textIfAny(event.type, 'type') ?? name, event, tell)
    } catch (error) {
      if (!(error instanceof BadReply)) throw error
      this.#fail(502, `the provider's stream is broken: ${error.message}`, tell)
    }
  }

  end(tell: Tell): void {
    if (this.#state !== 'over')
      this.#fail(502, "the provider's stream ended before the response was complete", tell)
  }

  #event(type: string | undefined, event: JsonObject, tell: Tell): void {
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#begin(jsonObjectOr(event.response), tell)
        return
      case 'response.output_item.added':
        this.#added(event, tell)
        return
      case 'response.content_part.added':
        this.#part(event, tell)
        return
      case 'response.output_text.delta':
        this.#text(event, 'text', 'content_index', 'delta', tell)
        return
      case 'response.output_text.done':
        this.#text(event, 'text', 'content_index', 'text', tell)
        return
      case 'response.refusal.delta':
        this.#text(event, 'refusal', 'content_index', 'delta', tell)
        return
      case 'response.refusal.done':
        this.#text(event, 'refusal', 'content_index', 'refusal', tell)
        return
      case 'response.reasoning_summary_text.delta':
        this.#text(event, 'summary', 'summary_index', 'delta', tell)
        return
      case 'response.reasoning_summary_text.done':
        this.#text(event, 'summary', 'summary_index', 'text', tell)
        return
      case 'response.reasoning_text.delta':
        this.#text(event, 'reasoning', 'content_index', 'delta', tell)
        return
      case 'response.reasoning_text.done':
        this.#text(event, 'reasoning', 'content_index', 'text', tell)
        return
      case 'response.function_call_arguments.delta':
        this.#text(event, 'arguments', 'content_index', 'delta', tell)
        return
      case 'response.function_call_arguments.done':
        this.#text(event, 'arguments', 'content_index', 'arguments', tell)
        return
      case 'response.content_part.done':
        this.#item(event, undefined, tell)?.partDone(placeIn(event, 'content_index', 0), tell)
        return
      case 'response.output_item.done':
        this.#done(this.#placeOf(event), told.object(event.item, 'item'), tell)
        return
      case 'response.completed':
      case 'response.incomplete':
        this.#complete(type, told.object(event.response, 'response'), tell)
        return
      case 'response.failed':
        this.#failed(jsonObjectOr(event.response), tell)
        return
      case 'error':
        this.#error(jsonObjectIn(event.error) ?? event, tell)
        return
      default:
        // Some services know no events for errors.
        if (jsonObjectIn(event.error)) this.#error(jsonObjectOr(event.error), tell)
    }
  }

  #begin(response: JsonObject, tell: Tell): void {
    if (this.#state !== 'new') return
    this.#state = 'begun'
    tell({
      type: 'start',
      id: told.textIfAny(response.id, 'response.id') ?? '',
      model: told.textIfAny(response.model, 'response.model') ?? '',
      createdAtS: told.numberIfAny(response.created_at, 'response.created_at'),
      serviceTier: told.textIfAny(response.service_tier, 'response.service_tier'),
    })
  }

  #added(event: JsonObject, tell: Tell): void {
    this.#begin({}, tell)
    const place = this.#placeOf(event)
    // Some services give every item the same place, one after the other.
    this.#items.get(place)?.close(tell)
    this.#items.set(place, this.#newItem(told.object(event.item, 'item'), tell))
  }

  #part(event: JsonObject, tell: Tell): void {
    const part = told.object(event.part, 'part')
    const channel = channelOf(part)
    if (channel === undefined) return
    const text = told.textIfAny(textOf(part), 'part.text') ?? ''
    this.#item(event, channel, tell)?.text(channel, placeIn(event, 'content_index', 0), text, true, tell)
  }

  #text(event: JsonObject, channel: Channel, place: string, field: string, tell: Tell): void {
    const text = told.text(event[field], field)
    this.#item(event, channel, tell)?.text(channel, placeIn(event, place, 0), text, field !== 'delta', tell)
  }

  #done(place: number, item: JsonObject, tell: Tell): void {
    this.#begin({}, tell)
    if (!this.#items.has(place)) this.#items.set(place, this.#newItem(item, tell))
    this.#items.get(place)?.done(item, tell)
  }

  #complete(type: string, response: JsonObject, tell: Tell): void {
    this.#begin(response, tell)
    // Who says nothing piece by piece says it here.
    if (this.#items.size === 0)
      for (const [i, item] of told.listOrNone(response.output, 'response.output').entries())
        this.#done(i, told.object(item, `response.output[${i}]`), tell)
    for (const item of this.#items.values()) item?.close(tell)
    const usage = decodeUsage(response.usage)
    if (usage) tell({ type: 'usage', usage })
    const status = type === 'response.incomplete' ? 'incomplete' : response.status
    tell({ type: 'finish', finish: decodeFinish({ ...response, status }, this.#blocks.said) })
    this.#state = 'over'
    tell({ type: 'end' })
  }

  #failed(response: JsonObject, tell: Tell): void {
    const usage = decodeUsage(response.usage)
    if (usage && this.#state === 'begun') tell({ type: 'usage', usage })
    this.#error(jsonObjectOr(response.error), tell)
  }

  #error(error: JsonObject, tell: Tell): void {
    const text = (name: string): string | undefined =>
      typeof error[name] === 'string' && error[name] !== '' ? error[name] : undefined
    const [code, param] = [text('code'), text('param')]
    // An event of its own says `error` as its type, which is no kind of one.
    const type = error.type === 'error' ? undefined : text('type')
    this.#state = 'over'
    const message = text('message') ?? 'the provider failed without saying why'
    tell({ type: 'error', error: { status: statusOf(code, type), message, type, code, param } })
  }

  #fail(status: number, message: string, tell: Tell): void {
    this.#state = 'over'
    tell({ type: 'error', error: { status, message } })
  }

  /** The item that an event is about. Text may come of a message that was never announced. */
  #item(event: JsonObject, channel: Channel | undefined, tell: Tell): StreamItem | undefined {
    const place = this.#placeOf(event)
    if (!this.#items.has(place) && channel !== undefined) {
      if (channel === 'arguments') throw new BadReply('arguments of a call that has not begun')
      this.#begin({}, tell)
      const type = channel === 'text' || channel === 'refusal' ? 'message' : 'reasoning'
      this.#items.set(place, this.#newItem({ type }, tell))
    }
    return this.#items.get(place)
  }

  #newItem(item: JsonObject, tell: Tell): StreamItem | undefined {
    return streamItem(item, this.#blocks, this.#losses, tell)
  }

  #placeOf(event: JsonObject): number {
    return (this.#latest = placeIn(event, 'output_index', this.#latest))
  }
}
