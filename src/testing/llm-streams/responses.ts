import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { LlmStreamArguments } from './arguments.ts'
import { type LlmFormatValidator, type LlmStreamReport, describeValue } from './report.ts'
import { ResponseStreamItem } from './response-item.ts'
import { LlmStreamUsage } from './usage.ts'

/**
 * Validates streams of the OpenAI Responses API: `response.created`; items, which may overlap, each with its parts;
 * `response.completed`, `response.incomplete` or `response.failed` with the whole response. An `error` event ends it
 * anywhere; `response.failed` may follow that.
 */
export class ResponsesStreamValidator implements LlmFormatValidator {
  readonly #report: LlmStreamReport
  readonly #usage: LlmStreamUsage
  readonly #arguments: LlmStreamArguments
  readonly #items: ResponseStreamItem[] = []
  readonly #ids = new Set<unknown>()
  #sequence = 0
  #phase: 'before' | 'running' | 'error' | 'over' = 'before'
  #id: unknown = undefined

  constructor(report: LlmStreamReport) {
    this.#report = report
    this.#usage = new LlmStreamUsage(report)
    this.#arguments = new LlmStreamArguments(report)
  }

  event(name: string | undefined, data: JsonObject): void {
    const { type } = data
    if (this.#phase === 'over' || (this.#phase === 'error' && type !== 'response.failed')) {
      this.#report.add('end', `${name ?? 'an event'} comes after the end`)
      return
    }
    this.#count(describeValue(type), data.sequence_number)
    if (typeof type !== 'string') {
      this.#report.add('shape', 'an event has no type')
      return
    }
    if (name !== type) this.#report.add('name', `${type} is called ${name ?? 'nothing'}`)
    if (type === 'error') this.#error(data)
    else if (type === 'response.created') this.#create(data)
    else this.#afterStart(type, data)
  }

  end(): void {
    if (this.#phase === 'before' || this.#phase === 'running')
      this.#report.add('end', 'there is neither a final response nor an error')
  }

  #count(type: string, number: unknown): void {
    if (number !== this.#sequence)
      this.#report.add(
        'sequence',
        `${type} has number ${describeValue(number)} where ${this.#sequence} would be next`,
      )
    // Continues from the received number, so that one gap is one violation.
    this.#sequence = (typeof number === 'number' ? number : this.#sequence) + 1
  }

  #create(data: JsonObject): void {
    if (this.#phase !== 'before') {
      this.#report.add('start', 'response.created comes twice')
      return
    }
    this.#phase = 'running'
    const { id } = jsonObjectOr(data.response)
    this.#id = id
    if (typeof id !== 'string' || id === '') this.#report.add('shape', 'response.id is missing')
    this.#response('in_progress', data)
  }

  #afterStart(type: string, data: JsonObject): void {
    if (this.#phase === 'before') {
      this.#report.add('start', `${type} comes before response.created`)
      this.#phase = 'running'
      this.#id = jsonObjectOr(data.response).id
    }
    if (type === 'response.output_item.added') this.#add(data)
    else if (type === 'response.output_item.done')
      this.#open(type, data)?.end(jsonObjectOr(data.item), this.#arguments)
    else if (type in statuses) this.#response(statuses[type] ?? '', data)
    else if (type.startsWith('response.') && 'output_index' in data) this.#open(type, data)?.event(type, data)
    else if (!type.startsWith('response.')) this.#report.add('known', `there is no event ${type}`)
  }

  #add(data: JsonObject): void {
    const item = new ResponseStreamItem(this.#report, jsonObjectOr(data.item))
    if (data.output_index !== this.#items.length)
      this.#report.add(
        'index',
        `item ${describeValue(data.output_index)} comes where ${this.#items.length} would be next`,
      )
    if (this.#ids.has(item.id)) this.#report.add('identity', `two items are called ${describeValue(item.id)}`)
    this.#ids.add(item.id)
    this.#items.push(item)
  }

  #open(type: string, { output_index: index }: JsonObject): ResponseStreamItem | undefined {
    const item = typeof index === 'number' ? this.#items[index] : undefined
    if (item && !item.done) return item
    this.#report.add('order', `${type} is about item ${describeValue(index)}, which is not open`)
    return undefined
  }

  #response(status: string, data: JsonObject): void {
    const response = jsonObjectOr(data.response)
    // A response that failed before it was created gets its id here.
    if (response.id !== this.#id && !(this.#phase === 'error' && this.#id === undefined))
      this.#report.add(
        'identity',
        `the response was ${describeValue(this.#id)} and is ${describeValue(response.id)}`,
      )
    if (response.status !== status)
      this.#report.add(
        'finish',
        `the status is ${describeValue(response.status)} where it has to be ${status}`,
      )
    this.#usage.look(response.usage)
    if (status === 'in_progress' || status === 'queued') return
    this.#phase = 'over'
    if (status === 'failed') {
      if (typeof jsonObjectOr(response.error).message !== 'string')
        this.#report.add('shape', 'response.error.message is missing')
      return
    }
    this.#ended(response.output)
    if (status === 'completed') this.#arguments.complete()
    else if (typeof jsonObjectOr(response.incomplete_details).reason !== 'string')
      this.#report.add('finish', 'response.incomplete_details.reason is missing')
  }

  #ended(output: unknown): void {
    if (this.#items.some(({ done }) => !done))
      this.#report.add('order', 'the response is over while an item is open')
    else if (
      !isDeepStrictEqual(
        output,
        this.#items.map(({ done }) => done),
      )
    )
      this.#report.add('agreement', 'response.output is not the items as they were done')
  }

  #error(data: JsonObject): void {
    this.#phase = 'error'
    if (typeof data.message !== 'string') this.#report.add('shape', 'an error has no message')
  }
}

/** Events with the whole response, and its status in them. */
const statuses: Readonly<Record<string, string>> = {
  'response.queued': 'queued',
  'response.in_progress': 'in_progress',
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
}
