import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { textIn } from '../../json/typed-values.ts'
import type { BlockStart, StreamDecoder, Tell } from '../chat/events.ts'
import { isTooDeep } from '../chat/too-deep.ts'
import { Losses } from '../losses.ts'
import { blockStart, deltas } from './block-start.ts'
import { contentLoss } from './content-loss.ts'
import { refusalOf } from './decode-reply.ts'
import { decodeError } from './errors.ts'
import { serviceTierOf } from './service-tier.ts'
import { finishOf } from './stop-reasons.ts'
import { UsageTally } from './usage.ts'

/**
 * Reads a stream (Anthropic Messages API, `MessageStreamEvent`). Events that are not known are left alone, as the
 * documentation of the stream asks for; known ones that come in the wrong place are an error.
 */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #losses: Losses
  readonly #tally = new UsageTally()
  /** Open ones, by the provider's numbers. */
  readonly #blocks = new Map<number, OpenBlock>()
  #state: 'before' | 'blocks' | 'finished' | 'over' = 'before'
  #nextBlock = 0
  #hasToolCalls = false

  constructor(losses: Losses = new Losses()) {
    this.#losses = losses
  }

  push(name: string | undefined, data: string, tell: Tell): void {
    if (this.#state === 'over' || name === 'ping') return
    const event = readJsonObject(data)
    if (!event) {
      this.#fail('an event of the provider is no JSON object', tell)
      return
    }
    const type = typeof event.type === 'string' ? event.type : name
    switch (type) {
      case 'content_block_delta':
        this.#delta(event, tell)
        return
      case 'content_block_start':
        this.#open(event, tell)
        return
      case 'content_block_stop':
        this.#close(event, tell)
        return
      case 'message_start':
        this.#start(event, tell)
        return
      case 'message_delta':
        this.#messageDelta(event, tell)
        return
      case 'message_stop':
        this.#stop(tell)
        return
      case 'error':
        this.#state = 'over'
        tell({ type: 'error', error: decodeError(undefined, event) })
    }
  }

  end(tell: Tell): void {
    if (this.#state !== 'over') this.#fail('the stream of the provider was cut', tell)
  }

  #start(event: JsonObject, tell: Tell): void {
    const message = jsonObjectIn(event.message)
    if (this.#state !== 'before' || !message) {
      this.#fail('message_start is not what a stream begins with', tell)
      return
    }
    this.#state = 'blocks'
    this.#tally.add(message.usage)
    const { usage } = this.#tally
    const serviceTier = serviceTierOf(message.usage)
    tell({
      type: 'start',
      id: textIn(message.id) ?? '',
      model: textIn(message.model) ?? '',
      ...(serviceTier !== undefined && { serviceTier }),
      ...(usage && { usage }),
    })
    if (usage) tell({ type: 'usage', usage })
  }

  #open(event: JsonObject, tell: Tell): void {
    const [index, block] = [event.index, jsonObjectIn(event.content_block)]
    const type = block?.type
    if (this.#state !== 'blocks' || typeof index !== 'number' || !block || typeof type !== 'string') {
      this.#fail('content_block_start comes in the wrong place, or without its block', tell)
      return
    }
    if (this.#blocks.has(index)) {
      this.#fail(`block ${index} of the stream begins twice`, tell)
      return
    }
    const part = blockStart(type, block)
    if (isTooDeep(block.input)) this.#fail('the input of a tool call is nested too deep', tell)
    else if (part === 'unknown') {
      this.#losses.drop(contentLoss(type))
      this.#blocks.set(index, { type: 'ignored' })
    } else if (part) {
      const number = this.#nextBlock++
      this.#hasToolCalls ||= part.type === 'toolCall'
      const open: OpenBlock = { type: part.type, number, said: false, input: jsonObjectOr(block.input) }
      this.#blocks.set(index, open)
      tell({ type: 'open', block: number, part })
      this.#sayWhatIsThere(open, block, tell)
    } else this.#fail(`a block of type ${shown(type)} lacks a field`, tell)
  }

  /** A block may begin with more than nothing. */
  #sayWhatIsThere(open: SaidBlock, block: JsonObject, tell: Tell): void {
    const text = open.type === 'text' ? block.text : open.type === 'thinking' ? block.thinking : ''
    if (typeof text === 'string' && text !== '') tell({ type: 'delta', block: open.number, text })
    const signature = open.type === 'thinking' ? block.signature : ''
    if (typeof signature === 'string' && signature !== '')
      tell({ type: 'signature', block: open.number, signature })
  }

  #delta(event: JsonObject, tell: Tell): void {
    const index = event.index
    const block = this.#state === 'blocks' && typeof index === 'number' ? this.#blocks.get(index) : undefined
    const delta = jsonObjectIn(event.delta)
    if (!block || !delta) {
      this.#fail('content_block_delta belongs to no open block, or is empty', tell)
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
      this.#fail(`a delta does not fit its block of ${shown(block.type)}, or has no text`, tell)
      return
    }
    if (kind.field === 'signature') tell({ type: 'signature', block: block.number, signature: text })
    else if (text !== '') {
      block.said = true
      tell({ type: 'delta', block: block.number, text })
    }
  }

  #close(event: JsonObject, tell: Tell): void {
    const index = event.index
    const block = this.#state === 'blocks' && typeof index === 'number' ? this.#blocks.get(index) : undefined
    if (!block) {
      this.#fail('content_block_stop belongs to no open block', tell)
      return
    }
    this.#blocks.delete(index as number)
    if (block.type !== 'ignored') this.#endBlock(block, tell)
  }

  #endBlock({ type, number, said, input }: SaidBlock, tell: Tell): void {
    // Some compatible providers give the whole input at the beginning.
    if (type === 'toolCall' && !said && Object.keys(input).length > 0)
      tell({ type: 'delta', block: number, text: JSON.stringify(input) })
    tell({ type: 'close', block: number })
  }

  #messageDelta(event: JsonObject, tell: Tell): void {
    if (this.#state === 'before') {
      this.#fail('message_delta comes before message_start', tell)
      return
    }
    const delta = jsonObjectOr(event.delta)
    if (this.#state === 'blocks' && typeof delta.stop_reason === 'string') this.#finish(delta, tell)
    if (!jsonObjectIn(event.usage)) return
    this.#tally.add(event.usage)
    const { usage } = this.#tally
    if (usage) tell({ type: 'usage', usage })
  }

  #finish(delta: JsonObject, tell: Tell): void {
    for (const block of this.#blocks.values()) if (block.type !== 'ignored') this.#endBlock(block, tell)
    this.#blocks.clear()
    const explanation = refusalOf(delta.stop_details)
    if (explanation !== undefined) {
      const block = this.#nextBlock++
      tell({ type: 'open', block, part: { type: 'refusal' } })
      tell({ type: 'delta', block, text: explanation })
      tell({ type: 'close', block })
    }
    this.#state = 'finished'
    const finish = finishOf(delta.stop_reason, this.#hasToolCalls)
    const stopSequence = finish === 'stopSequence' ? textIn(delta.stop_sequence) : undefined
    tell({ type: 'finish', finish, ...(stopSequence !== undefined && { stopSequence }) })
  }

  #stop(tell: Tell): void {
    if (this.#state === 'before') {
      this.#fail('message_stop comes before message_start', tell)
      return
    }
    // Some compatible providers give no reason.
    if (this.#state === 'blocks') this.#finish({}, tell)
    this.#state = 'over'
    tell({ type: 'end' })
  }

  #fail(message: string, tell: Tell): void {
    this.#state = 'over'
    tell({ type: 'error', error: { status: 502, message } })
  }
}

type OpenBlock = SaidBlock | { readonly type: 'ignored' }

interface SaidBlock {
  readonly type: BlockStart['type']
  readonly number: number
  said: boolean
  readonly input: JsonObject
}

/** What a provider made up may be long. */
const shown = (type: string): string => type.slice(0, 40)
