import { jsonObjectIn } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'
import type { BlockStart, StreamDecoder, EmitEvent } from '../chat/events.ts'
import { Fields } from '../members/fields.ts'
import { Losses } from '../dropped-fields.ts'
import { exceptionError } from './errors.ts'
import { finishOf } from './stop-reason.ts'
import { knownFields } from './known-fields.ts'
import { replyRules } from './rules.ts'
import { usageIn } from './usage.ts'

/**
 * Decodes the events of `ConverseStream`, by the names in their frame headers. Only tool calls have a start event;
 * other blocks begin with their first delta. Usage comes last, after the stop reason.
 */
export class ConverseDecoder implements StreamDecoder {
  #state: 'before' | 'within' | 'finished' | 'over' = 'before'
  #blocks = 0
  /** By the provider's index. */
  readonly #open = new Map<number, OpenBlock>()
  readonly #losses: Losses

  constructor(losses = new Losses()) {
    this.#losses = losses
  }

  push(name: string | undefined, data: string, emit: EmitEvent): void {
    if (this.#state === 'over') return
    const value = readJson(data)
    if (name?.endsWith('xception')) {
      this.#state = 'over'
      emit({ type: 'error', error: exceptionError(name, value) })
      return
    }
    const payload = jsonObjectIn(value)
    if (!payload) {
      this.#fail('an event of the stream is not a JSON object', emit)
      return
    }
    try {
      this.#event(name, new Fields(payload, name ?? '', replyRules), emit)
    } catch (thrown) {
      if (!(thrown instanceof BadReply)) throw thrown
      this.#fail(thrown.message, emit)
    }
  }

  end(emit: EmitEvent): void {
    if (this.#state === 'over') return
    if (this.#state === 'finished') this.#end(emit)
    else this.#fail('the stream of the provider ended before its answer did', emit)
  }

  #event(name: string | undefined, event: Fields, emit: EmitEvent): void {
    if (name === 'metadata') {
      this.#metadata(event, emit)
      return
    }
    // Only usage may follow the stop reason.
    if (this.#state === 'finished') return
    if (this.#state === 'before') {
      this.#state = 'within'
      emit({ type: 'start', id: '', model: '' })
    }
    if (name === 'contentBlockDelta') this.#delta(event, emit)
    else if (name === 'contentBlockStart') this.#start(event, emit)
    else if (name === 'contentBlockStop') this.#stop(indexIn(event), emit)
    else if (name === 'messageStop') this.#finish(event, emit)
  }

  #start(event: Fields, emit: EmitEvent): void {
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
    this.#begin(indexIn(event), part, emit)
  }

  #delta(event: Fields, emit: EmitEvent): void {
    const index = indexIn(event)
    const delta = event.neededFields('delta')
    const text = delta.text('text')
    if (text !== undefined) {
      if (text !== '') emit({ type: 'delta', block: this.#ensure(index, 'text', emit), text })
      return
    }
    const input = delta.fields('toolUse')?.text('input')
    if (input !== undefined) {
      const block = this.#open.get(index)
      // Without a start event, it is a tool that the provider runs itself.
      if (block?.type === 'toolCall' && input !== '')
        emit({ type: 'delta', block: block.number, text: input })
      return
    }
    const reasoning = delta.fields('reasoningContent')
    if (reasoning) this.#reasoning(index, reasoning, emit)
    else if (delta.has('citation')) this.#losses.drop(`${blockPath}citationsContent`)
    else delta.dropOthers(none, knownFields.block, blockPath, this.#losses)
  }

  #reasoning(index: number, reasoning: Fields, emit: EmitEvent): void {
    const text = reasoning.text('text')
    if (text !== undefined && text !== '')
      emit({ type: 'delta', block: this.#ensure(index, 'thinking', emit), text })
    const signature = reasoning.text('signature')
    if (signature !== undefined)
      emit({ type: 'signature', block: this.#ensure(index, 'thinking', emit), signature })
    const data = reasoning.text('redactedContent')
    if (data !== undefined) this.#begin(index, { type: 'hiddenThinking', data }, emit)
  }

  /** The block of an index; begins one if none is open or its type differs. */
  #ensure(index: number, type: 'text' | 'thinking', emit: EmitEvent): number {
    const block = this.#open.get(index)
    return block?.type === type ? block.number : this.#begin(index, { type }, emit)
  }

  #begin(index: number, part: BlockStart, emit: EmitEvent): number {
    this.#stop(index, emit)
    const number = this.#blocks++
    this.#open.set(index, { number, type: part.type })
    emit({ type: 'open', block: number, part })
    return number
  }

  #stop(index: number, emit: EmitEvent): void {
    const block = this.#open.get(index)
    if (!block) return
    this.#open.delete(index)
    emit({ type: 'close', block: block.number })
  }

  #finish(event: Fields, emit: EmitEvent): void {
    const finish = finishOf(event.neededText('stopReason'))
    const stopSequence = event.fields('additionalModelResponseFields')?.text('stop_sequence')
    for (const index of [...this.#open.keys()]) this.#stop(index, emit)
    this.#state = 'finished'
    emit({ type: 'finish', finish, stopSequence })
  }

  #metadata(event: Fields, emit: EmitEvent): void {
    if (event.has('trace')) this.#losses.drop('trace')
    const usage = usageIn(event.any('usage'))
    if (usage && this.#state !== 'before') emit({ type: 'usage', usage })
    if (this.#state === 'finished') this.#end(emit)
  }

  #end(emit: EmitEvent): void {
    this.#state = 'over'
    emit({ type: 'end' })
  }

  #fail(message: string, emit: EmitEvent): void {
    this.#state = 'over'
    emit({ type: 'error', error: { status: 502, message } })
  }
}

const none: ReadonlySet<string> = new Set()
const blockPath = 'output.message.content.'

const indexIn = (event: Fields): number => event.number('contentBlockIndex') ?? 0

interface OpenBlock {
  readonly number: number
  readonly type: BlockStart['type']
}
