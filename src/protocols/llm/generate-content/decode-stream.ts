import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'
import type { BlockStart, StreamDecoder, EmitEvent } from '../chat/events.ts'
import { Fields } from '../members/fields.ts'
import { Losses } from '../dropped-fields.ts'
import { callIdIn, newCallId } from './call-id.ts'
import { createdAtOf } from './created-at.ts'
import { errorInStream } from './errors.ts'
import { finishOf } from './finish-reason.ts'
import { knownFields } from './known-fields.ts'
import { replyFields } from './decode-reply.ts'
import type { Usage } from '../usage.ts'
import { replyRules } from './rules.ts'
import { finalUsage, usageIn } from './usage.ts'

/**
 * Decodes the chunks of `streamGenerateContent?alt=sse`, each a `GenerateContentResponse`.
 *
 * This format has no event for the end, and a finish reason may be followed by more: it is emitted when the stream
 * ends. Every chunk has usage; the first is emitted, since it has the length of the prompt, and the last.
 */
export class GenerateContentDecoder implements StreamDecoder {
  #state: 'before' | 'within' | 'over' = 'before'
  #blocks = 0
  /** The type of the open block. */
  #open: 'text' | 'thinking' | undefined = undefined
  #hasCalls = false
  #reason: string | undefined = undefined
  /** The latest usage, until it is emitted. */
  #usage: unknown = undefined
  #hasEmittedUsage: Usage | undefined = undefined
  readonly #losses: Losses

  constructor(losses = new Losses()) {
    this.#losses = losses
  }

  push(_name: string | undefined, data: string, emit: EmitEvent): void {
    if (this.#state === 'over') return
    const value = readJson(data)
    if (value === undefined) {
      this.#fail('an event of the stream is not JSON', emit)
      return
    }
    const error = errorInStream(value)
    const chunk = jsonObjectIn(value)
    if (error) {
      this.#state = 'over'
      emit({ type: 'error', error })
    } else if (chunk) this.#chunk(chunk, emit)
    else this.#fail('an event of the stream is not a JSON object', emit)
  }

  end(emit: EmitEvent): void {
    if (this.#state === 'over') return
    if (this.#reason === undefined) {
      this.#fail('the stream of the provider ended before its answer did', emit)
      return
    }
    this.#state = 'over'
    this.#close(emit)
    this.#emitLastUsage(emit)
    emit({ type: 'finish', finish: finishOf(this.#reason, this.#hasCalls) })
    emit({ type: 'end' })
  }

  #chunk(chunk: JsonObject, emit: EmitEvent): void {
    try {
      const fields = new Fields(chunk, '', replyRules)
      const usage = fields.any('usageMetadata')
      if (usage !== undefined) this.#usage = usage
      if (this.#state === 'before') this.#start(fields, emit)
      for (const candidate of fields.list('candidates'))
        if ((candidate.number('index') ?? 0) === 0) this.#candidate(candidate, emit)
        else this.#losses.drop('candidates')
      if (fields.fields('promptFeedback')?.has('blockReason')) this.#reason ??= 'SAFETY'
    } catch (thrown) {
      if (!(thrown instanceof BadReply)) throw thrown
      this.#fail(thrown.message, emit)
    }
  }

  #start(chunk: Fields, emit: EmitEvent): void {
    const id = chunk.text('responseId') ?? ''
    const model = chunk.text('modelVersion') ?? ''
    this.#state = 'within'
    emit({ type: 'start', id, model, createdAtS: createdAtOf(chunk.any('createTime')) })
    this.#emitUsage(emit)
  }

  #candidate(candidate: Fields, emit: EmitEvent): void {
    const { readOfCandidate, knownOfCandidate } = replyFields
    candidate.dropOthers(readOfCandidate, knownOfCandidate, 'candidates.', this.#losses)
    for (const part of candidate.fields('content')?.list('parts') ?? []) this.#part(part, emit)
    this.#reason = candidate.text('finishReason') ?? this.#reason
  }

  #part(part: Fields, emit: EmitEvent): void {
    part.dropOthers(replyFields.readOfPart, knownFields.part, 'candidates.content.parts.', this.#losses)
    const call = part.fields('functionCall')
    if (call) {
      this.#call(call, part.text('thoughtSignature'), emit)
      return
    }
    const text = part.text('text')
    const isThought = part.flag('thought') === true
    if (text !== undefined && text !== '') {
      this.#ensure(isThought ? 'thinking' : 'text', emit)
      emit({ type: 'delta', block: this.#blocks - 1, text })
    }
    const signature = part.text('thoughtSignature')
    if (signature === undefined) return
    if (!isThought) {
      // Text may be signed as well, but its signature need not be sent back.
      this.#losses.drop('candidates.content.parts.thoughtSignature')
      return
    }
    this.#ensure('thinking', emit)
    emit({ type: 'signature', block: this.#blocks - 1, signature })
    this.#close(emit)
  }

  #call(call: Fields, signature: string | undefined, emit: EmitEvent): void {
    if (call.has('partialArgs')) call.refuse('partialArgs', 'is not supported')
    const name = call.neededText('name')
    const args = JSON.stringify(call.json('args') ?? {})
    const part: BlockStart = { type: 'toolCall', id: callIdIn(call) ?? newCallId(), name }
    this.#close(emit)
    this.#hasCalls = true
    const block = this.#blocks++
    emit({ type: 'open', block, part })
    emit({ type: 'delta', block, text: args })
    if (signature !== undefined) emit({ type: 'signature', block, signature })
    emit({ type: 'close', block })
  }

  #ensure(type: 'text' | 'thinking', emit: EmitEvent): void {
    if (this.#open === type) return
    this.#close(emit)
    this.#open = type
    emit({ type: 'open', block: this.#blocks++, part: { type } })
  }

  #close(emit: EmitEvent): void {
    if (this.#open === undefined) return
    this.#open = undefined
    emit({ type: 'close', block: this.#blocks - 1 })
  }

  #emitUsage(emit: EmitEvent): void {
    const usage = usageIn(this.#usage)
    this.#usage = undefined
    this.#hasEmittedUsage = usage ?? this.#hasEmittedUsage
    if (usage) emit({ type: 'usage', usage })
  }

  #emitLastUsage(emit: EmitEvent): void {
    const usage = finalUsage(usageIn(this.#usage) ?? this.#hasEmittedUsage)
    if (usage && usage !== this.#hasEmittedUsage) emit({ type: 'usage', usage })
  }

  #fail(message: string, emit: EmitEvent): void {
    this.#state = 'over'
    emit({ type: 'error', error: { status: 502, message } })
  }
}
