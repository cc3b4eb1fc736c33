import { jsonObjectIn } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'
import type { BlockStart, StreamDecoder, Tell } from '../chat/events.ts'
import { Fields } from '../fields.ts'
import { Losses } from '../losses.ts'
import { exceptionError } from './errors.ts'
import { finishOf } from './finish.ts'
import { knownFields } from './known-fields.ts'
import { replyRules } from './rules.ts'
import { usageIn } from './usage.ts'

/**
 * Reads the events of `ConverseStream`, by the names in the headers of their frames. Only calls of tools have an event
 * with which they begin; other blocks begin with what they say first. The usage comes last, after the reason to stop.
 */
export class ConverseDecoder implements StreamDecoder {
  #state: 'before' | 'within' | 'finished' | 'over' = 'before'
  #blocks = 0
  /** By the provider's number. */
  readonly #open = new Map<number, OpenBlock>()
  readonly #losses: Losses

  constructor(losses = new Losses()) {
    this.#losses = losses
  }

  push(name: string | undefined, data: string, tell: Tell): void {
    if (this.#state === 'over') return
    const value = readJson(data)
    if (name?.endsWith('xception')) {
      this.#state = 'over'
      tell({ type: 'error', error: exceptionError(name, value) })
      return
    }
    const payload = jsonObjectIn(value)
    if (!payload) {
      this.#fail('an event of the stream is not a JSON object', tell)
      return
    }
    try {
      this.#event(name, new Fields(payload, name ?? '', replyRules), tell)
    } catch (thrown) {
      if (!(thrown instanceof BadReply)) throw thrown
      this.#fail(thrown.message, tell)
    }
  }

  end(tell: Tell): void {
    if (this.#state === 'over') return
    if (this.#state === 'finished') this.#end(tell)
    else this.#fail('the stream of the provider ended before its answer did', tell)
  }

  #event(name: string | undefined, event: Fields, tell: Tell): void {
    if (name === 'metadata') {
      this.#metadata(event, tell)
      return
    }
    // Nothing but figures belongs behind the reason to stop.
    if (this.#state === 'finished') return
    if (this.#state === 'before') {
      this.#state = 'within'
      tell({ type: 'start', id: '', model: '' })
    }
    if (name === 'contentBlockDelta') this.#delta(event, tell)
    else if (name === 'contentBlockStart') this.#start(event, tell)
    else if (name === 'contentBlockStop') this.#stop(indexIn(event), tell)
    else if (name === 'messageStop') this.#finish(event, tell)
  }

  #start(event: Fields, tell: Tell): void {
    const start = event.fields('start')
    const use = start?.fields('toolUse')
    if (!use || use.text('type') === 'server_tool_use') {
      start?.dropOthers(none, knownFields.block, blockPath, this.#losses)
      return
    }
    const part: BlockStart = {
      type: 'toolCall',
      id: use.neededText('toolUseId'),
      name: use.neededText('name'),
    }
    this.#begin(indexIn(event), part, tell)
  }

  #delta(event: Fields, tell: Tell): void {
    const index = indexIn(event)
    const delta = event.neededFields('delta')
    const text = delta.text('text')
    if (text !== undefined) {
      if (text !== '') tell({ type: 'delta', block: this.#ensure(index, 'text', tell), text })
      return
    }
    const input = delta.fields('toolUse')?.text('input')
    if (input !== undefined) {
      const block = this.#open.get(index)
      // Without its start it is a tool that the provider runs itself.
      if (block?.type === 'toolCall' && input !== '')
        tell({ type: 'delta', block: block.number, text: input })
      return
    }
    const reasoning = delta.fields('reasoningContent')
    if (reasoning) this.#reasoning(index, reasoning, tell)
    else if (delta.has('citation')) this.#losses.drop(`${blockPath}citationsContent`)
    else delta.dropOthers(none, knownFields.block, blockPath, this.#losses)
  }

  #reasoning(index: number, reasoning: Fields, tell: Tell): void {
    const text = reasoning.text('text')
    if (text !== undefined && text !== '')
      tell({ type: 'delta', block: this.#ensure(index, 'thinking', tell), text })
    const signature = reasoning.text('signature')
    if (signature !== undefined)
      tell({ type: 'signature', block: this.#ensure(index, 'thinking', tell), signature })
    const data = reasoning.text('redactedContent')
    if (data !== undefined) this.#begin(index, { type: 'hiddenThinking', data }, tell)
  }

  /** The block of a number, which begins here if it has not, or was something else. */
  #ensure(index: number, type: 'text' | 'thinking', tell: Tell): number {
    const block = this.#open.get(index)
    return block?.type === type ? block.number : this.#begin(index, { type }, tell)
  }

  #begin(index: number, part: BlockStart, tell: Tell): number {
    this.#stop(index, tell)
    const number = this.#blocks++
    this.#open.set(index, { number, type: part.type })
    tell({ type: 'open', block: number, part })
    return number
  }

  #stop(index: number, tell: Tell): void {
    const block = this.#open.get(index)
    if (!block) return
    this.#open.delete(index)
    tell({ type: 'close', block: block.number })
  }

  #finish(event: Fields, tell: Tell): void {
    const finish = finishOf(event.neededText('stopReason'))
    const stopSequence = event.fields('additionalModelResponseFields')?.text('stop_sequence')
    for (const index of [...this.#open.keys()]) this.#stop(index, tell)
    this.#state = 'finished'
    tell({ type: 'finish', finish, stopSequence })
  }

  #metadata(event: Fields, tell: Tell): void {
    if (event.has('trace')) this.#losses.drop('trace')
    const usage = usageIn(event.any('usage'))
    if (usage && this.#state !== 'before') tell({ type: 'usage', usage })
    if (this.#state === 'finished') this.#end(tell)
  }

  #end(tell: Tell): void {
    this.#state = 'over'
    tell({ type: 'end' })
  }

  #fail(message: string, tell: Tell): void {
    this.#state = 'over'
    tell({ type: 'error', error: { status: 502, message } })
  }
}

const none: ReadonlySet<string> = new Set()
const blockPath = 'output.message.content.'

const indexIn = (event: Fields): number => event.number('contentBlockIndex') ?? 0

interface OpenBlock {
  readonly number: number
  readonly type: BlockStart['type']
}
