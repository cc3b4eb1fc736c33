import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { type LlmFormatValidator, type LlmStreamReport, describeValue } from './report.ts'
import { LlmStreamUsage } from './usage.ts'

/**
 * Validates streams of Gemini's `streamGenerateContent?alt=sse`: chunks of one response, in which every candidate ends
 * with its finish reason, after which only usage comes. An `error` object ends it anywhere; a blocked prompt has no
 * candidates.
 */
export class GenerateContentStreamValidator implements LlmFormatValidator {
  readonly #report: LlmStreamReport
  readonly #usage: LlmStreamUsage
  /** By index: whether the candidate has its finish reason. */
  readonly #finished: boolean[] = []
  readonly #identity = new Map<string, string>()
  #end: 'none' | 'blocked' | 'error' = 'none'

  constructor(report: LlmStreamReport) {
    this.#report = report
    this.#usage = new LlmStreamUsage(report)
  }

  event(name: string | undefined, data: JsonObject): void {
    if (this.#end === 'error') {
      this.#report.add('end', 'a chunk comes after the error')
      return
    }
    if (name !== undefined) this.#report.add('name', `chunks have no name, and one is called ${name}`)
    if (data.error !== undefined) this.#error(data)
    else this.#chunk(data)
  }

  end(): void {
    if (this.#end !== 'none') return
    if (this.#finished.length === 0) this.#report.add('end', 'there is neither a candidate nor an error')
    else if (this.#finished.includes(false)) this.#report.add('end', 'a candidate has no finishReason')
  }

  #error(data: JsonObject): void {
    this.#end = 'error'
    const { code, message, status } = jsonObjectOr(data.error)
    if (typeof code !== 'number' || typeof message !== 'string' || typeof status !== 'string')
      this.#report.add('shape', 'an error has no code, message or status')
  }

  #chunk(data: JsonObject): void {
    for (const name of ['responseId', 'modelVersion']) this.#same(name, data[name])
    this.#usage.look(data.usageMetadata, 'usageMetadata')
    const candidates = data.candidates ?? []
    if (!Array.isArray(candidates)) this.#report.add('shape', 'candidates is not a list')
    else for (const candidate of candidates) this.#candidate(jsonObjectOr(candidate))
    if (jsonObjectIn(data.promptFeedback)?.blockReason !== undefined) this.#end = 'blocked'
  }

  #same(name: string, value: unknown): void {
    if (value === undefined) return
    const text = describeValue(value)
    const before = this.#identity.get(name) ?? text
    this.#identity.set(name, before)
    if (text !== before) this.#report.add('identity', `${name} was ${before} and is ${text}`)
  }

  #candidate({ index = 0, content, finishReason: reason }: JsonObject): void {
    const at = Number(index)
    if (index === this.#finished.length) this.#finished.push(false)
    else if (this.#finished[at] === undefined) {
      this.#report.add(
        'index',
        `candidate ${describeValue(index)} comes where ${this.#finished.length} would be next`,
      )
      return
    }
    if (this.#finished[at]) {
      this.#report.add('end', `candidate ${at} goes on after its finishReason`)
      return
    }
    if (content !== undefined) this.#content(jsonObjectOr(content))
    if (reason === undefined) return
    this.#finished[at] = true
    if (typeof reason !== 'string' || !reasons.has(reason))
      this.#report.add('finish', `nobody stops for ${describeValue(reason)}`)
  }

  #content({ role, parts = [] }: JsonObject): void {
    if (role !== undefined && role !== 'model') this.#report.add('shape', 'content.role is not model')
    if (!Array.isArray(parts)) this.#report.add('shape', 'content.parts is not a list')
    else for (const part of parts) this.#part(jsonObjectOr(part))
  }

  #part(part: JsonObject): void {
    const kinds = Object.keys(part).filter((name) => partKinds.has(name))
    if (kinds.length > 1) this.#report.add('delta', `a part is several things: ${kinds.join(', ')}`)
    // A thought signature may be in a part of its own.
    if (kinds.length === 0 && part.thoughtSignature === undefined)
      this.#report.add('known', `a part is nothing known: ${Object.keys(part).join(', ')}`)
    if (part.text !== undefined && typeof part.text !== 'string')
      this.#report.add('delta', 'text is not text')
    if (part.functionCall !== undefined) this.#functionCall(jsonObjectOr(part.functionCall))
  }

  #functionCall({ name, args, id }: JsonObject): void {
    if (typeof name !== 'string' || name === '') this.#report.add('shape', 'functionCall.name is missing')
    if (id !== undefined && typeof id !== 'string') this.#report.add('shape', 'functionCall.id is not text')
    if (args !== undefined && !jsonObjectIn(args))
      this.#report.add('arguments', 'functionCall.args is not an object')
  }
}

const partKinds = new Set([
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
])

const reasons = new Set([
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
  'NO_IMAGE',
  'CONTINUATION',
])
