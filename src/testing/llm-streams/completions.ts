import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { LlmStreamArguments } from './arguments.ts'
import { type LlmFormatValidator, type LlmStreamReport, describeValue } from './report.ts'
import { LlmStreamUsage } from './usage.ts'

/**
 * Validates streams of OpenAI Chat Completions: chunks of one response, in which every choice begins with its role and
 * ends with its finish reason; usage, if it was requested; `[DONE]`. A chunk with an `error` ends it anywhere, without
 * `[DONE]`.
 */
export class CompletionsStreamValidator implements LlmFormatValidator {
  readonly #report: LlmStreamReport
  readonly #usage: LlmStreamUsage
  readonly #arguments: LlmStreamArguments
  readonly #toolIds = new Set<string>()
  readonly #choices: Choice[] = []
  /** The previous chunk. */
  #before: JsonObject | undefined = undefined
  #isOver = false

  constructor(report: LlmStreamReport) {
    this.#report = report
    this.#usage = new LlmStreamUsage(report)
    this.#arguments = new LlmStreamArguments(report)
  }

  event(name: string | undefined, data: JsonObject): void {
    if (this.#isOver) {
      this.#report.add('end', 'a chunk comes after the end')
      return
    }
    if (name !== undefined && !(name === 'error' && 'error' in data))
      this.#report.add('name', `chunks have no name, and one is called ${name}`)
    if (data.error !== undefined && data.error !== null) this.#error(data)
    else this.#chunk(data)
  }

  done(): void {
    if (this.#isOver) this.#report.add('end', '[DONE] comes after the end')
    else if (this.#choices.length === 0) this.#report.add('start', 'there is no choice')
    else if (this.#choices.some(({ finish }) => finish === undefined))
      this.#report.add('finish', '[DONE] comes before the reason to stop')
    this.#isOver = true
  }

  end(): void {
    if (!this.#isOver) this.#report.add('end', 'there is neither [DONE] nor an error')
  }

  #error(data: JsonObject): void {
    this.#isOver = true
    if (typeof jsonObjectOr(data.error).message !== 'string')
      this.#report.add('shape', 'error.message is missing')
  }

  #chunk(data: JsonObject): void {
    if (data.object !== 'chat.completion.chunk')
      this.#report.add('shape', 'object is not chat.completion.chunk')
    if (!isWord(data.id)) this.#report.add('shape', 'id is missing')
    if (typeof data.created !== 'number') this.#report.add('shape', 'created is not a number')
    if (typeof data.model !== 'string') this.#report.add('shape', 'model is missing')
    const before = this.#before ?? data
    this.#before = data
    for (const name of ['id', 'created', 'model'])
      if (data[name] !== before[name])
        this.#report.add(
          'identity',
          `${name} was ${describeValue(before[name])} and is ${describeValue(data[name])}`,
        )
    this.#usage.look(data.usage)
    if (!Array.isArray(data.choices)) this.#report.add('shape', 'choices is not a list')
    else for (const choice of data.choices) this.#choice(jsonObjectOr(choice))
  }

  #choice({ index, delta, finish_reason: reason }: JsonObject): void {
    const choice = this.#choiceAt(index)
    if (!choice) return
    const given = jsonObjectIn(delta)
    if (!given) this.#report.add('shape', 'delta is not an object')
    if (choice.finish !== undefined) {
      this.#report.add('finish', `choice ${describeValue(index)} goes on after its reason to stop`)
      return
    }
    this.#role(choice, given?.role)
    for (const name of ['content', 'refusal', 'reasoning_content'])
      if (!isTextOrNothing(given?.[name])) this.#report.add('delta', `delta.${name} is not text`)
    if (Array.isArray(given?.tool_calls))
      for (const call of given.tool_calls) this.#toolCall(choice, jsonObjectOr(call))
    if (reason !== null && reason !== undefined) this.#finish(choice, describeValue(reason))
  }

  #choiceAt(index: unknown): Choice | undefined {
    if (index === this.#choices.length) this.#choices.push({ began: false, finish: undefined, tools: [] })
    const choice = typeof index === 'number' ? this.#choices[index] : undefined
    if (!choice)
      this.#report.add(
        'index',
        `choice ${describeValue(index)} comes where ${this.#choices.length} would be next`,
      )
    return choice
  }

  #role(choice: Choice, role: unknown): void {
    if (choice.began) {
      if (isWord(role)) this.#report.add('start', 'a choice begins twice: its role comes again')
    } else if (role !== 'assistant') this.#report.add('start', 'a choice does not begin with its role')
    choice.began = true
  }

  #toolCall(choice: Choice, call: JsonObject): void {
    const { index, id, type } = call
    const { name, arguments: text } = jsonObjectOr(call.function)
    if (!isTextOrNothing(text)) this.#report.add('delta', 'function.arguments is not text')
    const more = typeof text === 'string' ? text : ''
    const known = typeof index === 'number' ? choice.tools[index] : undefined
    if (known) {
      known.json += more
      if (isWord(id) && id !== known.id) this.#report.add('identity', `tool call ${known.id} becomes ${id}`)
      if (isWord(name) && name !== known.name)
        this.#report.add('identity', `a call of ${known.name} becomes one of ${name}`)
      return
    }
    if (index !== choice.tools.length)
      this.#report.add(
        'index',
        `tool call ${describeValue(index)} comes where ${choice.tools.length} would be next`,
      )
    if (!isWord(id)) this.#report.add('shape', 'a tool call begins without its id')
    else if (this.#toolIds.has(id)) this.#report.add('identity', `two tool calls are called ${id}`)
    else this.#toolIds.add(id)
    if (type !== 'function') this.#report.add('delta', `a tool call is of type ${describeValue(type)}`)
    if (!isWord(name)) this.#report.add('shape', 'a tool call begins without its name')
    choice.tools.push({ id: describeValue(id), name: describeValue(name), json: more })
  }

  #finish(choice: Choice, reason: string): void {
    choice.finish = reason
    if (!reasons.has(reason)) this.#report.add('finish', `nobody stops for ${reason}`)
    if (reason === 'tool_calls' && choice.tools.length === 0)
      this.#report.add('finish', 'tool_calls is the reason to stop, and there is no tool call')
    if (cutShort.has(reason)) return
    for (const { name, json } of choice.tools) this.#arguments.look(name, json)
    this.#arguments.complete()
  }
}

interface Choice {
  began: boolean
  finish: string | undefined
  readonly tools: { readonly id: string; readonly name: string; json: string }[]
}

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTextOrNothing = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string'

/** Finish reasons that may cut the content short. */
const cutShort = new Set(['length', 'content_filter'])
const reasons = new Set(['stop', 'tool_calls', 'function_call', ...cutShort])
