import type { Reply } from '../../../model/exchange/reply.ts'
import { CaseInsensitiveNames } from '../../../protocols/json/case-insensitive-names.ts'
import { EditableObject } from '../../../protocols/json/editable-object.ts'
import { jsonPeek } from '../../../protocols/json/find-by-path.ts'
import { readJson } from '../../../protocols/json/read-json.ts'
import { notJson } from './parse-body.ts'
import { refuseRequest } from '../refusals.ts'
import { MultipartModel } from './multipart-model.ts'
import { TWO_MODELS } from './single-model-form.ts'

/** What is read of a body that is not parsed otherwise. */
export interface ModelHint {
  readonly model: string | undefined
  readonly streaming: boolean
}

/** Whether a body is a multipart form. */
export const isMultipartForm = (type: string): boolean => /^\s*multipart\/form-data/i.test(type)

/** Whether a body is JSON, by its content type or its first bytes. JSON lines do not count. */
export const isJsonLike = (bytes: Buffer, type: string): boolean =>
  /\bjson\b/i.test(type) || (!/jsonl|ndjson|octet-stream/i.test(type) && beginsObject(bytes))

/** Finds the model in a body for telemetry only; it may be just the beginning of the body. */
export const peekModel = (beginning: Buffer, type: string): ModelHint => {
  if (isMultipartForm(type)) return { model: modelsIn(beginning, type).values[0], streaming: false }
  if (!/\bjson\b/i.test(type)) return nothing
  const found = peek(beginning.toString('utf8'))
  const model = found.get('model')
  return {
    model: model?.startsWith('"') ? textOf(model) : undefined,
    streaming: found.get('stream') === 'true',
  }
}

/** Finds the model that determines the provider. An ambiguous body is refused. */
export const findModel = (bytes: Buffer, type: string): ModelHint | Reply => {
  if (isMultipartForm(type)) {
    const { count, values } = modelsIn(bytes, type)
    if (count < 2) return { model: values[0], streaming: false }
    return refuseRequest(400, 'invalid_request_body', `LLM request body must be unambiguous: ${TWO_MODELS}`)
  }
  if (bytes.length === 0 || !isJsonLike(bytes, type)) return nothing
  const text = EditableObject.of(bytes)
  if ('problem' in text) return /\bjson\b/i.test(type) || isJson(bytes) ? notJson(text.problem) : nothing
  const misnamed = text.nameProblem(decisiveNames)
  if (misnamed !== undefined) return notJson(misnamed)
  const model = text.get('model')
  return { model: typeof model === 'string' ? model : undefined, streaming: text.get('stream') === true }
}

const decisiveNames = new CaseInsensitiveNames(['model', 'stream'])

const nothing: ModelHint = { model: undefined, streaming: false }

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
