import { type JsonObject, jsonObjectOr } from '../../protocols/json/json-object.ts'
import type { LlmStreamArguments } from './arguments.ts'
import { type LlmStreamReport, describeValue } from './report.ts'

/** An open item of a response: its type, and its content so far. */
export class ResponseStreamItem {
  readonly id: unknown
  readonly type: string
  /** The item in `response.output_item.done`; undefined while it is open. */
  done: JsonObject | undefined = undefined
  readonly #report: LlmStreamReport
  readonly #added: JsonObject
  readonly #content: Part[] = []
  readonly #summary: Part[] = []
  #json = ''
  #jsonIsDone = false

  constructor(report: LlmStreamReport, added: JsonObject) {
    this.#report = report
    this.#added = added
    this.id = added.id
    this.type = describeValue(added.type)
    if (!isWord(added.id)) report.add('shape', 'item.id is missing')
    if (this.type !== 'function_call') return
    if (!isWord(added.call_id)) report.add('shape', 'item.call_id is missing')
    if (!isWord(added.name)) report.add('shape', 'item.name is missing')
  }

  /** Checks an event of the item other than its first and its last. */
  event(type: string, data: JsonObject): void {
    const kinds = partKindsOf[this.type]
    // The events of unknown items are unknown as well.
    if (!kinds) return
    if (data.item_id !== this.id)
      this.#report.add(
        'identity',
        `${type} is about ${describeValue(data.item_id)}, and the item is ${describeValue(this.id)}`,
      )
    const [, what = '', step = ''] = /^response\.(.+)\.(added|delta|done)$/.exec(type) ?? []
    const kind = kindOfText[what]
    if (what === 'function_call_arguments') this.#arguments(step, data)
    else if (what === 'content_part') this.#part(step, this.#content, data.content_index, data)
    else if (what === 'reasoning_summary_part') this.#part(step, this.#summary, data.summary_index, data)
    else if (kind !== undefined) this.#text(step, kind, data)
    else this.#report.add('known', `an item of ${this.type} has no ${type}`)
  }

  /** Checks `response.output_item.done`. */
  end(item: JsonObject, args: LlmStreamArguments): void {
    this.done = item
    for (const name of ['id', 'type', 'call_id', 'name'])
      if (item[name] !== this.#added[name])
        this.#report.add(
          'identity',
          `${name} of an item was ${describeValue(this.#added[name])} and is ${describeValue(item[name])}`,
        )
    if ([...this.#content, ...this.#summary].some(({ isOpen }) => isOpen))
      this.#report.add('order', `an item of ${this.type} is done while a part of it is open`)
    if (this.type === 'function_call') this.#endCall(item, args)
    else if (this.type in partKindsOf) {
      this.#agrees('content', this.#content, item.content)
      if (this.type === 'reasoning') this.#agrees('summary', this.#summary, item.summary)
    }
  }

  #endCall(item: JsonObject, args: LlmStreamArguments): void {
    if (!this.#jsonIsDone) this.#report.add('order', 'a function call is done before its arguments are')
    if (item.arguments !== this.#json)
      this.#report.add('agreement', `arguments were ${this.#json} and are ${describeValue(item.arguments)}`)
    args.look(describeValue(item.name), this.#json)
  }

  #agrees(name: string, parts: readonly Part[], list: unknown): void {
    const said = parts.map(({ type, text }) => `${type}: ${text}`)
    const items: readonly unknown[] = Array.isArray(list) ? list : []
    const says = items.map((part) => {
      const { type, text, refusal } = jsonObjectOr(part)
      return `${describeValue(type)}: ${describeValue(type === 'refusal' ? refusal : text)}`
    })
    if (said.join('\n') !== says.join('\n'))
      this.#report.add(
        'agreement',
        `${name} of an item was ${describeValue(said)} and is ${describeValue(says)}`,
      )
  }

  #arguments(step: string, data: JsonObject): void {
    if (this.type !== 'function_call') {
      this.#report.add('delta', `an item of ${this.type} has no arguments`)
      return
    }
    if (this.#jsonIsDone) this.#report.add('order', 'arguments go on after they are done')
    if (step === 'delta') {
      if (typeof data.delta === 'string') this.#json += data.delta
      else this.#report.add('shape', 'delta is not text')
      return
    }
    this.#jsonIsDone = true
    if (data.arguments !== this.#json)
      this.#report.add('agreement', `arguments were ${this.#json} and are ${describeValue(data.arguments)}`)
  }

  #part(step: string, parts: Part[], index: unknown, data: JsonObject): void {
    const { type, text, refusal } = jsonObjectOr(data.part)
    const kind = describeValue(type)
    if (step === 'added') {
      if (!partKindsOf[this.type]?.includes(kind))
        this.#report.add('delta', `an item of ${this.type} has no part of ${kind}`)
      if (index !== parts.length)
        this.#report.add('index', `part ${describeValue(index)} comes where ${parts.length} would be next`)
      parts.push({ type: kind, text: '', isDone: false, isOpen: true })
      return
    }
    const part = this.#openPart(parts, index)
    if (!part) return
    part.isOpen = false
    if (!part.isDone) this.#report.add('order', 'a part is done before its text is')
    if (kind !== part.type) this.#report.add('identity', `a part of ${part.type} becomes one of ${kind}`)
    else if ((kind === 'refusal' ? refusal : text) !== part.text)
      this.#report.add(
        'agreement',
        `a part was ${part.text} and is ${describeValue(kind === 'refusal' ? refusal : text)}`,
      )
  }

  #text(step: string, kind: string, data: JsonObject): void {
    const isSummary = kind === 'summary_text'
    const part = this.#openPart(
      isSummary ? this.#summary : this.#content,
      isSummary ? data.summary_index : data.content_index,
    )
    if (!part) return
    if (part.type !== kind) {
      this.#report.add('delta', `a part of ${part.type} gets ${kind}`)
      return
    }
    if (part.isDone) this.#report.add('order', `text goes on after it is done`)
    if (step === 'delta') {
      if (typeof data.delta === 'string') part.text += data.delta
      else this.#report.add('shape', 'delta is not text')
    } else if (step === 'done') {
      part.isDone = true
      const whole = kind === 'refusal' ? data.refusal : data.text
      if (whole !== part.text)
        this.#report.add('agreement', `text was ${part.text} and is ${describeValue(whole)}`)
    }
  }

  #openPart(parts: readonly Part[], index: unknown): Part | undefined {
    const part = typeof index === 'number' ? parts[index] : undefined
    if (part?.isOpen) return part
    this.#report.add('order', `something is about part ${describeValue(index)}, which is not open`)
    return undefined
  }
}

interface Part {
  readonly type: string
  text: string
  isDone: boolean
  isOpen: boolean
}

const isWord = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** The part types of each item type. */
const partKindsOf: Readonly<Record<string, readonly string[]>> = {
  message: ['output_text', 'refusal'],
  reasoning: ['summary_text', 'reasoning_text'],
  function_call: [],
}

/** The part type of an event, by its name. */
const kindOfText: Readonly<Record<string, string>> = {
  output_text: 'output_text',
  'output_text.annotation': 'output_text',
  refusal: 'refusal',
  reasoning_text: 'reasoning_text',
  reasoning_summary_text: 'summary_text',
}
