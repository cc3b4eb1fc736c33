import type { JsonObject } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'
import type { StreamDecoder, Tell } from '../chat/events.ts'
import type { LlmError } from '../error.ts'
import { Losses } from '../losses.ts'
import { told } from '../checked.ts'
import { announcedError, errorInStead } from './decode-error.ts'
import { finishFrom } from './finish.ts'
import { dropOfChoices, dropOfMessage } from './reply-losses.ts'
import { textsIn } from './reply-text.ts'
import { StreamCalls } from './stream-calls.ts'
import { readableThoughts, thoughtsOfDetails } from './thoughts.ts'
import { usageFrom } from './usage.ts'

/**
 * Reads a stream (OpenAI Chat Completions, `ChatCompletionChunk`), of which the choice with index 0 counts. The end is
 * told when the stream is over rather than with `finish_reason`: some providers have more to say after it.
 */
export class CompletionsDecoder implements StreamDecoder {
  #state: 'waiting' | 'running' | 'over' = 'waiting'
  #id = ''
  #model = ''
  #blocks = 0
  /** The block of words that goes on. */
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

  push(name: string | undefined, data: string, tell: Tell): void {
    if (this.#state === 'over' || data === '') return
    try {
      if (data.length < 16 && data.trim() === '[DONE]') this.#done(tell)
      else this.#chunk(name, data, tell)
    } catch (problem) {
      if (!(problem instanceof BadReply)) throw problem
      this.#fail({ status: 502, message: `invalid event in the stream: ${problem.message}` }, tell)
    }
  }

  end(tell: Tell): void {
    if (this.#state === 'over') return
    if (this.#reason === undefined)
      this.#fail({ status: 502, message: 'the stream ended before its end' }, tell)
    else this.push(undefined, '[DONE]', tell)
  }

  #chunk(name: string | undefined, data: string, tell: Tell): void {
    const value = parsed(data)
    // Google puts its errors into arrays.
    const isError = name === 'error' || Array.isArray(value)
    const chunk = isError ? {} : told.object(value, 'it')
    const error = isError ? announcedError(value) : errorInStead(chunk)
    if (error) {
      this.#fail(error, tell)
      return
    }
    const choices = told.listOrNone(chunk.choices, 'choices')
    const usage = chunk.usage ? usageFrom(chunk.usage) : undefined
    if (this.#state === 'waiting') this.#begin(chunk, choices.length > 0 || usage !== undefined, tell)
    if (usage) tell({ type: 'usage', usage })
    if (choices.length > 0) this.#choice(choices, tell)
  }

  /** Azure begins with chunks that only speak of its filters, and have no id. */
  #begin(chunk: JsonObject, isBeginning: boolean, tell: Tell): void {
    if (this.#id === '') this.#id = told.textIfAny(chunk.id, 'id') ?? ''
    if (this.#model === '') this.#model = told.textIfAny(chunk.model, 'model') ?? ''
    if (!isBeginning) return
    this.#state = 'running'
    const created = told.numberIfAny(chunk.created, 'created')
    const serviceTier = told.textIfAny(chunk.service_tier, 'service_tier')
    tell({
      type: 'start',
      id: this.#id,
      model: this.#model,
      ...(created && { createdAtS: Math.floor(created) }),
      ...(serviceTier !== undefined && { serviceTier }),
    })
  }

  #choice(choices: readonly unknown[], tell: Tell): void {
    const all = choices.map((one) => told.object(one, 'choices[0]'))
    const choice = all.find(({ index }) => !index)
    dropOfChoices(all, choice, this.#losses)
    if (!choice) return
    // Who sends everything at once may call it a message.
    const delta = told.objectIfAny(choice.delta ?? choice.message, 'choices[0].delta')
    if (delta) this.#delta(delta, tell)
    const reason = told.textIfAny(choice.finish_reason, 'choices[0].finish_reason')
    if (!reason) return
    if (reason === 'error') this.#fail({ status: 502, message: 'the provider broke the answer off' }, tell)
    this.#reason = reason
    if (typeof choice.stop_reason === 'string') this.#stopSequence = choice.stop_reason
  }

  #delta(delta: JsonObject, tell: Tell): void {
    dropOfMessage(delta, this.#losses)
    const thoughts = readableThoughts(delta, at, told)
    if (thoughts) this.#say('thinking', thoughts, tell)
    if (delta.reasoning_details) this.#details(delta.reasoning_details, thoughts !== undefined, tell)
    const { content } = delta
    if (typeof content === 'string') {
      if (content !== '') this.#say('text', content, tell)
    } else if (content !== undefined && content !== null) {
      const texts = textsIn(content, `${at}.content`, told)
      if (texts.thoughts !== '') this.#say('thinking', texts.thoughts, tell)
      if (texts.text !== '') this.#say('text', texts.text, tell)
    }
    const refusal = told.textIfAny(delta.refusal, `${at}.refusal`)
    if (refusal) {
      this.#hasRefused = true
      this.#say('refusal', refusal, tell)
    }
    const calls = told.listOrNone(delta.tool_calls, `${at}.tool_calls`)
    if (calls.length > 0) {
      this.#closeWords(tell)
      for (const call of calls) this.#calls.push(call, `${at}.tool_calls`, tell)
    }
    if (delta.function_call !== undefined && delta.function_call !== null) {
      this.#closeWords(tell)
      this.#calls.pushFunctionCall(delta.function_call, `${at}.function_call`, tell)
    }
  }

  /** @param isRead The texts have come by another name. */
  #details(details: unknown, isRead: boolean, tell: Tell): void {
    for (const thought of thoughtsOfDetails(details)) {
      if (thought.type === 'hiddenThinking') {
        this.#closeWords(tell)
        const block = this.#blocks++
        tell({ type: 'open', block, part: thought })
        tell({ type: 'close', block })
        continue
      }
      if (!isRead && thought.text !== '') this.#say('thinking', thought.text, tell)
      if (thought.signature === undefined) continue
      const block = this.#wordsOf('thinking', tell)
      tell({ type: 'signature', block, signature: thought.signature })
      // What is signed is whole.
      this.#closeWords(tell)
    }
  }

  #say(type: WordType, text: string, tell: Tell): void {
    tell({ type: 'delta', block: this.#wordsOf(type, tell), text })
  }

  #wordsOf(type: WordType, tell: Tell): number {
    if (this.#words?.type === type) return this.#words.block
    this.#closeWords(tell)
    const block = this.#blocks++
    this.#words = { type, block }
    tell({ type: 'open', block, part: { type } })
    return block
  }

  #closeWords(tell: Tell): void {
    if (!this.#words) return
    tell({ type: 'close', block: this.#words.block })
    this.#words = undefined
  }

  #done(tell: Tell): void {
    if (this.#state === 'waiting') throw new BadReply('there is no answer in it')
    this.#closeWords(tell)
    this.#calls.close(tell)
    const finish = finishFrom(this.#reason, { toolCalls: this.#calls.any, refusal: this.#hasRefused })
    const stopSequence = finish === 'stop' ? this.#stopSequence : undefined
    tell(
      stopSequence === undefined
        ? { type: 'finish', finish }
        : { type: 'finish', finish: 'stopSequence', stopSequence },
    )
    this.#state = 'over'
    tell({ type: 'end' })
  }

  #fail(error: LlmError, tell: Tell): void {
    this.#state = 'over'
    tell({ type: 'error', error })
  }
}

type WordType = 'text' | 'refusal' | 'thinking'

const at = 'choices[0].delta'

const parsed = (data: string): unknown => {
  const value = readJson(data)
  if (value === undefined) throw new BadReply('it is not JSON')
  return value
}
