import type { Reply } from '../../../model/reply.ts'
import { MemberText } from '../../../protocols/json/member-text.ts'
import { jsonPeek } from '../../../protocols/json/peek-json.ts'
import { readJson } from '../../../protocols/json/read-json.ts'
import { notJson } from './hear-body.ts'
import { refuseRequest } from './llm-refusal.ts'
import { MultipartModel } from './multipart-model.ts'
import { TWO_MODELS } from './one-model-body.ts'

/** What the body of a request says that is otherwise not looked at. */
export interface Said {
  readonly model: string | undefined
  readonly streaming: boolean
}

/** Whether a body is a form with parts. */
export const isForm = (type: string): boolean => /^\s*multipart\/form-data/i.test(type)

/** Whether a body is JSON, by what is said about it or by how it begins. Lists of JSON texts are none. */
export const isJsonLike = (bytes: Buffer, type: string): boolean =>
  /\bjson\b/i.test(type) || (!/jsonl|ndjson|octet-stream/i.test(type) && beginsObject(bytes))

/** Looks for the model in a body whose meaning nothing depends on, and of which there may be the beginning only. */
export const peekedIn = (beginning: Buffer, type: string): Said => {
  if (isForm(type)) return { model: modelsIn(beginning, type).values[0], streaming: false }
  if (!/\bjson\b/i.test(type)) return nothing
  const found = peek(beginning.toString('utf8'))
  const model = found.get('model')
  return {
    model: model?.startsWith('"') ? textOf(model) : undefined,
    streaming: found.get('stream') === 'true',
  }
}

/** Looks for the model that decides who gets a body. One that could be read in two ways is refused. */
export const saidIn = (bytes: Buffer, type: string): Said | Reply => {
  if (isForm(type)) {
    const { count, values } = modelsIn(bytes, type)
    if (count < 2) return { model: values[0], streaming: false }
    return refuseRequest(400, 'invalid_request_body', `LLM request body must be unambiguous: ${TWO_MODELS}`)
  }
  if (bytes.length === 0 || !isJsonLike(bytes, type)) return nothing
  const text = MemberText.of(bytes)
  if ('problem' in text) return /\bjson\b/i.test(type) || isJson(bytes) ? notJson(text.problem) : nothing
  const model = text.get('model')
  return { model: typeof model === 'string' ? model : undefined, streaming: text.get('stream') === true }
}

const nothing: Said = { model: undefined, streaming: false }

const modelsIn = (bytes: Buffer, type: string): MultipartModel => {
  const models = new MultipartModel(type)
  models.push(bytes)
  return models
}

const beginsObject = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 64).trimStart().startsWith('{')

const isJson = (bytes: Buffer): boolean => readJson(bytes.toString('utf8')) !== undefined

const peek = jsonPeek(['model', 'stream'])

const textOf = (literal: string): string | undefined => {
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}
