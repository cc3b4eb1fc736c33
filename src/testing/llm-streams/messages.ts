import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { LlmStreamArguments } from './arguments.ts'
import { type LlmFormatValidator, type LlmStreamReport, describeValue } from './report.ts'
import { LlmStreamUsage } from './usage.ts'

/**
 * Validates streams of the Anthropic Messages API: `message_start`; blocks one after the other; `message_delta` with
 * the stop reason; `message_stop`. An `error` event may end it anywhere.
 */
export class MessagesStreamValidator implements LlmFormatValidator {
  readonly #report: LlmStreamReport
  readonly #usage: LlmStreamUsage
  readonly #arguments: LlmStreamArguments
  readonly #toolIds = new Set<string>()
  #phase: 'before' | 'running' | 'over' = 'before'
  #blocks = 0
  #open: Block | undefined = undefined
  #stopReason: string | undefined = undefined

  constructor(report: LlmStreamReport) {
    this.#report = report
    this.#usage = new LlmStreamUsage(report)
    this.#arguments = new LlmStreamArguments(report)
  }

  event(name: string | undefined, data: JsonObject): void {
    const { type } = data
    if (this.#phase === 'over') {
      this.#report.add('end', `${name ?? 'an event'} comes after the end`)
      return
    }
    if (typeof type !== 'string') {
      this.#report.add('shape', 'an event has no type')
      return
    }
    if (name !== type) this.#report.add('name', `${type} is called ${name ?? 'nothing'}`)
    if (type === 'message_start') this.#start(data)
    else if (type === 'error') this.#error(data)
    else if (type !== 'ping') this.#afterStart(type, data)
  }

  end(): void {
    if (this.#phase !== 'over') this.#report.add('end', 'there is neither message_stop nor an error')
  }

  #afterStart(type: string, data: JsonObject): void {
    if (this.#phase === 'before') {
      this.#report.add('start', `${type} comes before message_start`)
      this.#phase = 'running'
    }
    if (type === 'content_block_start') this.#openBlock(data)
    else if (type === 'content_block_delta') this.#delta(data)
    else if (type === 'content_block_stop') this.#closeBlock(data)
    else if (type === 'message_delta') this.#messageDelta(data)
    else if (type === 'message_stop') this.#stop()
    else this.#report.add('known', `there is no event ${type}`)
  }

  #start(data: JsonObject): void {
    if (this.#phase !== 'before') {
      this.#report.add('start', 'message_start comes twice')
      return
    }
    this.#phase = 'running'
    const { id, type, role, model, content, usage } = jsonObjectOr(data.message)
    if (!isWord(id)) this.#report.add('shape', 'message.id is missing')
    if (type !== 'message') this.#report.add('shape', 'message.type is not message')
    if (role !== 'assistant') this.#report.add('shape', 'message.role is not assistant')
    if (typeof model !== 'string') this.#report.add('shape', 'message.model is missing')
    if (!Array.isArray(content) || content.length > 0)
      this.#report.add('shape', 'message.content is not an empty list')
    const { input_tokens: input, output_tokens: output } = jsonObjectOr(usage)
    if (typeof input !== 'number' || typeof output !== 'number')
      this.#report.add('shape', 'message.usage lacks input_tokens or output_tokens')
    this.#usage.look(usage)
  }

  #openBlock(data: JsonObject): void {
    const block = jsonObjectOr(data.content_block)
    const type = describeValue(block.type)
    if (this.#open)
      this.#report.add(
        'order',
        `a block opens while block ${describeValue(this.#open.index)} of ${this.#open.type} is open`,
      )
    if (this.#stopReason !== undefined) this.#report.add('order', 'a block opens after the reason to stop')
    if (data.index !== this.#blocks)
      this.#report.add(
        'index',
        `block ${describeValue(data.index)} opens where ${this.#blocks} would be next`,
      )
    if (!(type in deltasOf) && !type.endsWith('_tool_result'))
      this.#report.add('known', `there are no blocks of ${type}`)
    this.#blocks++
    this.#open = { index: data.index, type, name: describeValue(block.name), json: '' }
    if (type.endsWith('tool_use')) this.#openTool(block)
    else if (type === 'text' && typeof block.text !== 'string')
      this.#report.add('shape', 'content_block.text is missing')
    else if (type === 'thinking' && typeof block.thinking !== 'string')
      this.#report.add('shape', 'content_block.thinking is missing')
    else if (type === 'redacted_thinking' && !isWord(block.data))
      this.#report.add('shape', 'content_block.data is missing')
  }

  #openTool({ id, name, input }: JsonObject): void {
    if (!isWord(id)) this.#report.add('shape', 'content_block.id is missing')
    else if (this.#toolIds.has(id)) this.#report.add('identity', `two tool calls are called ${id}`)
    else this.#toolIds.add(id)
    if (!isWord(name)) this.#report.add('shape', 'content_block.name is missing')
    if (!jsonObjectIn(input)) this.#report.add('shape', 'content_block.input is not an object')
  }

  #delta(data: JsonObject): void {
    const open = this.#isOpen('delta', data)
    if (!open) return
    const delta = jsonObjectOr(data.delta)
    const type = describeValue(delta.type)
    const field = deltasOf[open.type]?.[type]
    if (field === undefined) {
      if (open.type in deltasOf)
        this.#report.add('delta', `${type} does not belong in a block of ${open.type}`)
      return
    }
    const value = delta[field]
    if (type === 'citations_delta') return
    if (typeof value !== 'string') this.#report.add('shape', `delta.${field} is not text`)
    else if (type === 'input_json_delta') open.json += value
  }

  #closeBlock(data: JsonObject): void {
    const open = this.#isOpen('stop', data)
    if (!open) return
    this.#open = undefined
    // No deltas mean the empty object of the block's start.
    if (open.type.endsWith('tool_use') && open.json !== '') this.#arguments.look(open.name, open.json)
  }

  #isOpen(what: string, { index }: JsonObject): Block | undefined {
    if (this.#open?.index === index) return this.#open
    this.#report.add('order', `content_block_${what} is for block ${describeValue(index)}, which is not open`)
    return undefined
  }

  #messageDelta(data: JsonObject): void {
    if (this.#open)
      this.#report.add('order', `message_delta comes while block ${describeValue(this.#open.index)} is open`)
    // Already reported, so that message_stop does not repeat it.
    this.#open = undefined
    const { stop_reason: reason, stop_sequence: sequence } = jsonObjectOr(data.delta)
    if (typeof jsonObjectOr(data.usage).output_tokens !== 'number')
      this.#report.add('shape', 'message_delta has no usage.output_tokens')
    this.#usage.look(data.usage)
    if (reason === null || reason === undefined) return
    if (this.#stopReason !== undefined) this.#report.add('finish', 'there are two reasons to stop')
    this.#stopReason = describeValue(reason)
    if (!stopReasons.has(this.#stopReason)) this.#report.add('finish', `nobody stops for ${this.#stopReason}`)
    if (reason === 'tool_use' && this.#toolIds.size === 0)
      this.#report.add('finish', 'tool_use is the reason to stop, and there is no tool call')
    if (typeof sequence === 'string' && reason !== 'stop_sequence')
      this.#report.add('finish', `there is a stop_sequence with ${this.#stopReason}`)
    if (!cutShort.has(this.#stopReason)) this.#arguments.complete()
  }

  #stop(): void {
    this.#phase = 'over'
    if (this.#open)
      this.#report.add('order', `message_stop comes while block ${describeValue(this.#open.index)} is open`)
    if (this.#stopReason === undefined) this.#report.add('finish', 'there is no reason to stop')
  }

  #error(data: JsonObject): void {
    this.#phase = 'over'
    const { type, message } = jsonObjectOr(data.error)
    if (!isWord(type) || typeof message !== 'string')
      this.#report.add('shape', 'an error has no type or no message')
  }
}

interface Block {
  readonly index: unknown
  readonly type: string
  readonly name: string
  json: string
}

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** By type of block: its types of delta, and the field of each. */
const deltasOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  text: { text_delta: 'text', citations_delta: 'citation' },
  thinking: { thinking_delta: 'thinking', signature_delta: 'signature' },
  redacted_thinking: {},
  container_upload: {},
  tool_use: { input_json_delta: 'partial_json' },
  server_tool_use: { input_json_delta: 'partial_json' },
  mcp_tool_use: { input_json_delta: 'partial_json' },
}

/** Stop reasons that may cut the content short. */
const cutShort = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal'])
const stopReasons = new Set(['end_turn', 'stop_sequence', 'tool_use', 'pause_turn', ...cutShort])
