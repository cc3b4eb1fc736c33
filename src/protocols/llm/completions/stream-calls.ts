import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { EmitEvent } from '../chat/events.ts'
import type { Losses } from '../dropped-fields.ts'
import { callSignatureIn } from './decode-tools.ts'
import { responseValues } from '../members/typed-fields.ts'
import { callId } from './encode-reply.ts'

/**
 * The tool calls in a stream. They are distinguished by `index`, and for providers that deviate, by `id`: some omit the
 * index, and some have 0 for all of them. Names and ids may be repeated. Calls stay open to the end, since more
 * arguments may arrive at any time.
 */
export class StreamCalls {
  readonly #calls: Call[] = []
  readonly #byIndex = new Map<number, Call>()
  readonly #byId = new Map<string, Call>()
  readonly #nextBlock: () => number
  readonly #losses: Losses
  /** By index: tool calls that are not functions, which the common form cannot express. */
  readonly #left = new Set<unknown>()

  /** @param nextBlock Numbers the blocks of the stream. */
  constructor(nextBlock: () => number, losses: Losses) {
    this.#nextBlock = nextBlock
    this.#losses = losses
  }

  get any(): boolean {
    return this.#calls.length > 0
  }

  /** Adds a delta of a call. */
  push(value: unknown, at: string, emit: EmitEvent): void {
    const delta = responseValues.object(value, at)
    if (delta.type === 'custom') {
      this.#left.add(delta.index)
      this.#losses.drop('choices.message.tool_calls.custom')
    }
    if (!this.#left.has(delta.index)) this.#piece(delta, delta.function, at, emit)
  }

  /** Adds a delta of the legacy `function_call`, of which there is at most one. */
  pushFunctionCall(value: unknown, at: string, emit: EmitEvent): void {
    this.#piece({ index: -1 }, value, at, emit)
  }

  /** Completes all calls. */
  close(emit: EmitEvent): void {
    for (const call of this.#calls) {
      if (call.block < 0) throw new BadReply('a tool call has no name')
      // No arguments are `{}`: an empty text is not JSON.
      if (!call.hasText) emit({ type: 'delta', block: call.block, text: '{}' })
    }
    for (const { block } of this.#calls) emit({ type: 'close', block })
  }

  #piece(delta: JsonObject, value: unknown, at: string, emit: EmitEvent): void {
    const called = responseValues.objectIfAny(value, `${at}.function`)
    const index = responseValues.numberIfAny(delta.index, `${at}.index`)
    const id = filled(responseValues.textIfAny(delta.id, `${at}.id`))
    const name = filled(responseValues.textIfAny(called?.name, `${at}.function.name`))
    const text = argumentsOf(called?.arguments, `${at}.function.arguments`)
    const call = this.#find(index, id, name) ?? this.#begin(index, id)
    if (call.id === undefined && id !== undefined) this.#identify(call, id)
    if (call.block < 0 && name !== undefined) {
      call.block = this.#nextBlock()
      emit({ type: 'open', block: call.block, part: { type: 'toolCall', id: callId(call.id), name } })
      if (call.held !== '') emit({ type: 'delta', block: call.block, text: call.held })
    }
    if (text !== '') {
      call.hasText = true
      if (call.block < 0) call.held += text
      else emit({ type: 'delta', block: call.block, text })
    }
    const signature = callSignatureIn(delta)
    if (signature && call.block >= 0 && !call.isSigned) {
      call.isSigned = true
      emit({ type: 'signature', block: call.block, signature })
    }
  }

  /** The call that a delta continues; undefined if it begins a new one. */
  #find(index: number | undefined, id: string | undefined, name: string | undefined): Call | undefined {
    const known =
      index !== undefined
        ? this.#byIndex.get(index)
        : id !== undefined
          ? this.#byId.get(id)
          : this.#calls.at(-1)
    if (!known || name === undefined) return known
    // A new id with a name begins a call; a delta with neither id nor index continues the last one.
    if (id !== undefined && known.id !== undefined) return id === known.id ? known : undefined
    return index === undefined && id === undefined && known.hasText ? undefined : known
  }

  #begin(index: number | undefined, id: string | undefined): Call {
    const call: Call = { block: -1, id: undefined, held: '', hasText: false, isSigned: false }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    if (id !== undefined) this.#identify(call, id)
    return call
  }

  #identify(call: Call, id: string): void {
    call.id = id
    this.#byId.set(id, call)
  }
}

interface Call {
  /** Negative until its name is known. */
  block: number
  id: string | undefined
  /** Arguments that arrived before the name. */
  held: string
  hasText: boolean
  isSigned: boolean
}

/** Some providers send the object itself instead of its text. */
const argumentsOf = (value: unknown, at: string): string =>
  jsonObjectIn(value) ? JSON.stringify(value) : (responseValues.textIfAny(value, at) ?? '')

const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
