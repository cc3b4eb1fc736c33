import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'
import type { BlockStart, StreamDecoder, Tell } from '../chat/events.ts'
import { Fields } from '../fields.ts'
import { Losses } from '../losses.ts'
import { callIdIn, newCallId } from './call-id.ts'
import { createdAtOf } from './created-at.ts'
import { errorInStream } from './errors.ts'
import { finishOf } from './finish.ts'
import { knownFields } from './known-fields.ts'
import { replyFields } from './reply-fields.ts'
import { replyRules } from './rules.ts'
import { usageIn } from './usage.ts'

/**
 * Reads the chunks of `streamGenerateContent?alt=sse`, each a `GenerateContentResponse`.
 *
 * This format has no event for the end, and a reason to stop may be followed by more: it is told when the bytes end.
 * Every chunk holds figures of usage; the first ones are told, for they say how long the prompt is, and the last ones.
 */
export class GenerateContentDecoder implements StreamDecoder {
  #state: 'before' | 'within' | 'over' = 'before'
  #blocks = 0
  /** What the block that is open holds. */
  #open: 'text' | 'thinking' | undefined = undefined
  #hasCalls = false
  #reason: string | undefined = undefined
  #usage: unknown = undefined
  readonly #losses: Losses

  constructor(losses = new Losses()) {
    this.#losses = losses
  }

  push(_name: string | undefined, data: string, tell: Tell): void {
    if (this.#state === 'over') return
    const value = readJson(data)
    if (value === undefined) {
      this.#fail('an event of the stream is not JSON', tell)
      return
    }
    const error = errorInStream(value)
    const chunk = jsonObjectIn(value)
    if (error) {
      this.#state = 'over'
      tell({ type: 'error', error })
    } else if (chunk) this.#chunk(chunk, tell)
    else this.#fail('an event of the stream is not a JSON object', tell)
  }

  end(tell: Tell): void {
    if (this.#state === 'over') return
    if (this.#reason === undefined) {
      this.#fail('the stream of the provider ended before its answer did', tell)
      return
    }
    this.#state = 'over'
    this.#close(tell)
    this.#tellUsage(tell)
    tell({ type: 'finish', finish: finishOf(this.#reason, this.#hasCalls) })
    tell({ type: 'end' })
  }

  #chunk(chunk: JsonObject, tell: Tell): void {
    try {
      const fields = new Fields(chunk, '', replyRules)
      const usage = fields.any('usageMetadata')
      if (usage !== undefined) this.#usage = usage
      if (this.#state === 'before') this.#start(fields, tell)
      for (const candidate of fields.list('candidates'))
        if ((candidate.number('index') ?? 0) === 0) this.#candidate(candidate, tell)
        else this.#losses.drop('candidates')
      if (fields.fields('promptFeedback')?.has('blockReason')) this.#reason ??= 'SAFETY'
    } catch (thrown) {
      if (!(thrown instanceof BadReply)) throw thrown
      this.#fail(thrown.message, tell)
    }
  }

  #start(chunk: Fields, tell: Tell): void {
    const id = chunk.text('responseId') ?? ''
    const model = chunk.text('modelVersion') ?? ''
    this.#state = 'within'
    tell({ type: 'start', id, model, createdAtS: createdAtOf(chunk.any('createTime')) })
    this.#tellUsage(tell)
  }

  #candidate(candidate: Fields, tell: Tell): void {
    const { readOfCandidate, knownOfCandidate } = replyFields
    candidate.dropOthers(readOfCandidate, knownOfCandidate, 'candidates.', this.#losses)
    for (const part of candidate.fields('content')?.list('parts') ?? []) this.#part(part, tell)
    this.#reason = candidate.text('finishReason') ?? this.#reason
  }

  #part(part: Fields, tell: Tell): void {
    part.dropOthers(replyFields.readOfPart, knownFields.part, 'candidates.content.parts.', this.#losses)
    const call = part.fields('functionCall')
    if (call) {
      this.#call(call, part.text('thoughtSignature'), tell)
      return
    }
    const text = part.text('text')
    const isThought = part.flag('thought') === true
    if (text !== undefined && text !== '') {
      this.#ensure(isThought ? 'thinking' : 'text', tell)
      tell({ type: 'delta', block: this.#blocks - 1, text })
    }
    const signature = part.text('thoughtSignature')
    if (signature === undefined) return
    if (!isThought) {
      // Words may be signed as well, but nobody has to give that back.
      this.#losses.drop('candidates.content.parts.thoughtSignature')
      return
    }
    this.#ensure('thinking', tell)
    tell({ type: 'signature', block: this.#blocks - 1, signature })
    this.#close(tell)
  }

  #call(call: Fields, signature: string | undefined, tell: Tell): void {
    if (call.has('partialArgs')) call.refuse('partialArgs', 'is not supported')
    const name = call.neededText('name')
    const args = JSON.stringify(call.json('args') ?? {})
    const part: BlockStart = { type: 'toolCall', id: callIdIn(call) ?? newCallId(), name }
    this.#close(tell)
    this.#hasCalls = true
    const block = this.#blocks++
    tell({ type: 'open', block, part })
    tell({ type: 'delta', block, text: args })
    if (signature !== undefined) tell({ type: 'signature', block, signature })
    tell({ type: 'close', block })
  }

  #ensure(type: 'text' | 'thinking', tell: Tell): void {
    if (this.#open === type) return
    this.#close(tell)
    this.#open = type
    tell({ type: 'open', block: this.#blocks++, part: { type } })
  }

  #close(tell: Tell): void {
    if (this.#open === undefined) return
    this.#open = undefined
    tell({ type: 'close', block: this.#blocks - 1 })
  }

  #tellUsage(tell: Tell): void {
    const usage = usageIn(this.#usage)
    this.#usage = undefined
    if (usage) tell({ type: 'usage', usage })
  }

  #fail(message: string, tell: Tell): void {
    this.#state = 'over'
    tell({ type: 'error', error: { status: 502, message } })
  }
}
