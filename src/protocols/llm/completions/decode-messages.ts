import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { Part, TextPart, ToolCallPart, ToolResultPart } from '../chat/parts.ts'
import type { Turn } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheMarkIn } from './cache-control.ts'
import { callSignatureIn } from './decode-tools.ts'
import { requestValues } from '../members/typed-fields.ts'
import { decodeContent, decodeWords } from './decode-content.ts'
import { thoughtsIn } from './reasoning.ts'

/** The decoded messages of a request. */
export interface CompletionsConversation {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
}

/**
 * Reads `messages` (OpenAI Chat Completions, `ChatCompletionMessageParam`). System and developer messages before all
 * others are the instructions.
 *
 * @throws BadRequest
 */
export const decodeMessages = (value: unknown, losses: Losses): CompletionsConversation => {
  const reader = new Reader(losses)
  for (const [i, message] of requestValues.list(value, 'messages').entries())
    reader.message(message, `messages[${i}]`)
  return reader
}

class Reader implements CompletionsConversation {
  readonly instructions: TextPart[] = []
  readonly turns: { readonly role: Turn['role']; readonly parts: Part[] }[] = []
  readonly #losses: Losses
  /** By the id of the call: tool results have the id only, and some formats require the name of the tool. */
  readonly #toolNames = new Map<string, string>()
  /** Legacy function calls have no id: they are counted. */
  #functionCalls = 0
  #resultsOpen = false

  constructor(losses: Losses) {
    this.#losses = losses
  }

  message(value: unknown, at: string): void {
    const message = requestValues.object(value, at)
    const role = requestValues.text(message.role, `${at}.role`)
    if (role !== 'function' && role !== 'tool' && message.name !== undefined && message.name !== null)
      this.#losses.drop('messages.name')
    if (role === 'tool' || role === 'function') {
      this.#result(role === 'tool' ? this.#toolResult(message, at) : this.#functionResult(message, at))
      return
    }
    this.#resultsOpen = false
    if (role === 'system' || role === 'developer') {
      const words = this.#marked(message, decodeWords(message.content, `${at}.content`, this.#losses))
      if (this.turns.length === 0) this.instructions.push(...words)
      else this.#turn('system', words)
    } else if (role === 'user') this.#turn('user', this.#marked(message, this.#userParts(message, at)))
    else if (role === 'assistant') this.#turn('assistant', this.#assistantParts(message, at))
    else throw new BadRequest(`${at}.role is not supported`)
  }

  #turn(role: Turn['role'], parts: readonly Part[]): void {
    this.turns.push({ role, parts: [...parts] })
  }

  #userParts(message: JsonObject, at: string): readonly Part[] {
    const parts = decodeContent(message.content, `${at}.content`, this.#losses)
    if (parts.some(({ type }) => type === 'refusal' || type === 'thinking'))
      throw new BadRequest(`${at}.content holds what only an assistant says`)
    return parts
  }

  #assistantParts(message: JsonObject, at: string): readonly Part[] {
    if (message.audio !== undefined && message.audio !== null) this.#losses.drop('messages.audio')
    const parts: Part[] = [...decodeContent(message.content, `${at}.content`, this.#losses)]
    const refusal = requestValues.textIfAny(message.refusal, `${at}.refusal`)
    if (refusal) parts.push({ type: 'refusal', text: refusal })
    const calls = requestValues.listOrNone(message.tool_calls, `${at}.tool_calls`)
    return [
      ...thoughtsIn(message, at, requestValues),
      ...this.#marked(message, parts),
      ...calls.flatMap((call, i) => this.#call(call, `${at}.tool_calls[${i}]`)),
      ...this.#functionCall(message, at),
    ]
  }

  #call(value: unknown, at: string): readonly ToolCallPart[] {
    const call = requestValues.object(value, at)
    const type = requestValues.textIfAny(call.type, `${at}.type`) ?? 'function'
    if (type !== 'function') throw new BadRequest(`${at}.type is not supported`)
    const id = requestValues.text(call.id, `${at}.id`)
    const { name, args } = nameAndArguments(call.function, `${at}.function`)
    this.#toolNames.set(id, name)
    const signature = callSignatureIn(call)
    const cache = cacheMarkIn(call, this.#losses)
    return [
      {
        type: 'toolCall',
        id,
        name,
        arguments: args,
        ...(signature && { signature }),
        ...(cache && { cache }),
      },
    ]
  }

  #functionCall(message: JsonObject, at: string): readonly ToolCallPart[] {
    if (message.function_call === undefined || message.function_call === null) return []
    const { name, args } = nameAndArguments(message.function_call, `${at}.function_call`)
    return [{ type: 'toolCall', id: `function_call_${this.#functionCalls++}`, name, arguments: args }]
  }

  #toolResult(message: JsonObject, at: string): ToolResultPart {
    const id = requestValues.text(message.tool_call_id, `${at}.tool_call_id`)
    const name = this.#toolNames.get(id) ?? requestValues.textIfAny(message.name, `${at}.name`)
    const cache = cacheMarkIn(message, this.#losses)
    const parts = decodeContent(message.content, `${at}.content`, this.#losses).map((part) => {
      if (part.type === 'text' || part.type === 'image' || part.type === 'file') return part
      throw new BadRequest(`${at}.content holds what no tool gives`)
    })
    return { type: 'toolResult', id, ...(name !== undefined && { name }), parts, ...(cache && { cache }) }
  }

  /** The result of the function call before it. */
  #functionResult(message: JsonObject, at: string): ToolResultPart {
    if (this.#functionCalls === 0) throw new BadRequest(`${at} answers no function_call`)
    return {
      type: 'toolResult',
      id: `function_call_${this.#functionCalls - 1}`,
      name: requestValues.text(message.name, `${at}.name`),
      parts: decodeWords(message.content, `${at}.content`, this.#losses),
    }
  }

  /** Consecutive results are one turn. */
  #result(part: ToolResultPart): void {
    const turn = this.turns.at(-1)
    if (this.#resultsOpen && turn) turn.parts.push(part)
    else this.#turn('user', [part])
    this.#resultsOpen = true
  }

  /** A cache breakpoint of the message applies to its last part. */
  #marked<P extends Part>(message: JsonObject, parts: readonly P[]): readonly P[] {
    const cache = cacheMarkIn(message, this.#losses)
    const last = parts.at(-1)
    if (!cache || !last || !('cache' in last || canBeMarked.has(last.type))) return parts
    return [...parts.slice(0, -1), { ...last, cache }]
  }
}

const nameAndArguments = (value: unknown, at: string): { readonly name: string; readonly args: string } => {
  const called = requestValues.object(value, at)
  const args = requestValues.textIfAny(called.arguments, `${at}.arguments`) ?? ''
  // Clients may send an empty text for a call without arguments, which is not JSON.
  return { name: requestValues.text(called.name, `${at}.name`), args: args === '' ? '{}' : args }
}

const canBeMarked = new Set(['text', 'image', 'file'])
