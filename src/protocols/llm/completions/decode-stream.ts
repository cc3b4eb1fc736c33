import type { JsonObject } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'
import type { StreamDecoder, EmitEvent } from '../chat/events.ts'
import type { LlmError } from '../errors/error.ts'
import { Losses } from '../dropped-fields.ts'
import { responseValues } from '../members/typed-fields.ts'
import { announcedError, errorInStead } from './errors.ts'
import { finishFrom } from './finish-reason.ts'
import { dropOfChoices, dropOfMessage } from './decode-reply.ts'
import { textsIn } from './reply-text.ts'
import { StreamCalls } from './stream-calls.ts'
import { isSigned, readableThoughts, signatureOfThoughts, thoughtsOfDetails } from './reasoning.ts'
import { usageFrom } from './usage.ts'

/**
 * Decodes a stream (OpenAI Chat Completions, `ChatCompletionChunk`). Only the choice with index 0 is used. The end is
 * emitted when the stream is over rather than with `finish_reason`: some providers send more after it.
 */
export class CompletionsDecoder implements StreamDecoder {
  #state: 'waiting' | 'running' | 'over' = 'waiting'
  #id = ''
  #model = ''
  #blocks = 0
  /** The open block of text. */
  #words: { readonly type: WordType; readonly block: number } | undefined = undefined
  readonly #losses: Losses
  readonly #calls: StreamCalls
  #hasRefused = false
  #reason: string | undefined = undefined
  #stopSequence: string | undefined = undefined

  constructor(losses = new Losses()) {
    this.#losses = losses
    this.#calls = new StreamCalls(() => this.#blocks++, losses)
  }

  push(name: string | undefined, data: string, emit: EmitEvent): void {
    if (this.#state === 'over' || data === '') return
    try {
      if (data.length < 16 && data.trim() === '[DONE]') this.#done(emit)
      else this.#chunk(name, data, emit)
    } catch (problem) {
      if (!(problem instanceof BadReply)) throw problem
      this.#fail({ status: 502, message: `invalid event in the stream: ${problem.message}` }, emit)
    }
  }

  end(emit: EmitEvent): void {
    if (this.#state === 'over') return
    if (this.#reason === undefined)
      this.#fail({ status: 502, message: 'the stream ended before its end' }, emit)
    else this.push(undefined, '[DONE]', emit)
  }

  #chunk(name: string | undefined, data: string, emit: EmitEvent): void {
    const value = parsed(data)
    // Google wraps its errors in arrays.
    const isError = name === 'error' || Array.isArray(value)
    const chunk = isError ? {} : responseValues.object(value, 'it')
    const error = isError ? announcedError(value) : errorInStead(chunk)
    if (error) {
      this.#fail(error, emit)
      return
    }
    const choices = responseValues.listOrNone(chunk.choices, 'choices')
    const usage = chunk.usage ? usageFrom(chunk.usage) : undefined
    if (this.#state === 'waiting') this.#begin(chunk, choices.length > 0 || usage !== undefined, emit)
    if (usage) emit({ type: 'usage', usage })
    if (choices.length > 0) this.#choice(choices, emit)
  }

  /** Azure's first chunks have only the results of its content filters, and no id. */
  #begin(chunk: JsonObject, isBeginning: boolean, emit: EmitEvent): void {
    if (this.#id === '') this.#id = responseValues.textIfAny(chunk.id, 'id') ?? ''
    if (this.#model === '') this.#model = responseValues.textIfAny(chunk.model, 'model') ?? ''
    if (!isBeginning) return
    this.#state = 'running'
    const created = responseValues.numberIfAny(chunk.created, 'created')
    const serviceTier = responseValues.textIfAny(chunk.service_tier, 'service_tier')
    emit({
      type: 'start',
      id: this.#id,
      model: this.#model,
      ...(created && { createdAtS: Math.floor(created) }),
      ...(serviceTier !== undefined && { serviceTier }),
    })
  }

  #choice(choices: readonly unknown[], emit: EmitEvent): void {
    const all = choices.map((one) => responseValues.object(one, 'choices[0]'))
    const choice = all.find(({ index }) => !index)
    dropOfChoices(all, choice, this.#losses)
    if (!choice) return
    // Providers that send everything at once may use `message`.
    const delta = responseValues.objectIfAny(choice.delta ?? choice.message, 'choices[0].delta')
    if (delta) this.#delta(delta, emit)
    const reason = responseValues.textIfAny(choice.finish_reason, 'choices[0].finish_reason')
    if (!reason) return
    if (reason === 'error') this.#fail({ status: 502, message: 'the provider broke the answer off' }, emit)
    this.#reason = reason
    if (typeof choice.stop_reason === 'string') this.#stopSequence = choice.stop_reason
  }

  #delta(delta: JsonObject, emit: EmitEvent): void {
    dropOfMessage(delta, this.#losses)
    const thoughts = readableThoughts(delta, at, responseValues)
    if (thoughts) this.#emitText('thinking', thoughts, emit)
    if (delta.reasoning_details) this.#details(delta.reasoning_details, thoughts !== undefined, emit)
    this.#signature(delta, emit)
    const { content } = delta
    if (typeof content === 'string') {
      if (content !== '') this.#emitText('text', content, emit)
    } else if (content !== undefined && content !== null) {
      const texts = textsIn(content, `${at}.content`, responseValues)
      if (texts.thoughts !== '') this.#emitText('thinking', texts.thoughts, emit)
      if (texts.text !== '') this.#emitText('text', texts.text, emit)
    }
    const refusal = responseValues.textIfAny(delta.refusal, `${at}.refusal`)
    if (refusal) {
      this.#hasRefused = true
      this.#emitText('refusal', refusal, emit)
    }
    const calls = responseValues.listOrNone(delta.tool_calls, `${at}.tool_calls`)
    if (calls.length > 0) {
      this.#closeWords(emit)
      for (const call of calls) this.#calls.push(call, `${at}.tool_calls`, emit)
    }
    if (delta.function_call !== undefined && delta.function_call !== null) {
      this.#closeWords(emit)
      this.#calls.pushFunctionCall(delta.function_call, `${at}.function_call`, emit)
    }
  }

  /** If details are present and signed, they have the same signature. */
  #signature(delta: JsonObject, emit: EmitEvent): void {
    const signature = signatureOfThoughts(delta, at, responseValues)
    if (signature === undefined || thoughtsOfDetails(delta.reasoning_details).some(isSigned)) return
    emit({ type: 'signature', block: this.#wordsOf('thinking', emit), signature })
    this.#closeWords(emit)
  }

  /** @param isRead The texts were already read from another member. */
  #details(details: unknown, isRead: boolean, emit: EmitEvent): void {
    for (const thought of thoughtsOfDetails(details)) {
      if (thought.type === 'hiddenThinking') {
        this.#closeWords(emit)
        const block = this.#blocks++
        emit({ type: 'open', block, part: thought })
        emit({ type: 'close', block })
        continue
      }
      if (!isRead && thought.text !== '') this.#emitText('thinking', thought.text, emit)
      if (thought.signature === undefined) continue
      const block = this.#wordsOf('thinking', emit)
      emit({ type: 'signature', block, signature: thought.signature })
      // A signed block is complete.
      this.#closeWords(emit)
    }
  }

  #emitText(type: WordType, text: string, emit: EmitEvent): void {
    emit({ type: 'delta', block: this.#wordsOf(type, emit), text })
  }

  #wordsOf(type: WordType, emit: EmitEvent): number {
    if (this.#words?.type === type) return this.#words.block
    this.#closeWords(emit)
    const block = this.#blocks++
    this.#words = { type, block }
    emit({ type: 'open', block, part: { type } })
    return block
  }

  #closeWords(emit: EmitEvent): void {
    if (!this.#words) return
    emit({ type: 'close', block: this.#words.block })
    this.#words = undefined
  }

  #done(emit: EmitEvent): void {
    if (this.#state === 'waiting') throw new BadReply('there is no answer in it')
    this.#closeWords(emit)
    this.#calls.close(emit)
    const finish = finishFrom(this.#reason, { toolCalls: this.#calls.any, refusal: this.#hasRefused })
    const stopSequence = finish === 'stop' ? this.#stopSequence : undefined
    emit(
      stopSequence === undefined
        ? { type: 'finish', finish }
        : { type: 'finish', finish: 'stopSequence', stopSequence },
    )
    this.#state = 'over'
    emit({ type: 'end' })
  }

  #fail(error: LlmError, emit: EmitEvent): void {
    this.#state = 'over'
    emit({ type: 'error', error })
  }
}

type WordType = 'text' | 'refusal' | 'thinking'

const at = 'choices[0].delta'

const parsed = (data: string): unknown => {
  const value = readJson(data)
  if (value === undefined) throw new BadReply('it is not JSON')
  return value
}
