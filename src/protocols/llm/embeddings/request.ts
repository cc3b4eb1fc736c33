import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'

/**
 * An embeddings request in OpenAI's format (`EmbeddingCreateParams`), for providers of other formats. Clients may add
 * fields of the provider that OpenAI does not have.
 */
export interface EmbeddingsRequest {
  readonly texts: readonly string[]
  readonly dimensions: number | undefined
  /** The client requested base64 instead of a list of numbers. */
  readonly isBase64: boolean
  /** All fields, for those of the provider. */
  readonly fields: Fields
}

/**
 * Decodes the request.
 *
 * @param own The additional fields of this provider.
 */
export const readEmbeddingsRequest = (
  body: JsonObject,
  own: readonly string[],
  losses: Losses,
): EmbeddingsRequest => {
  const fields = new Fields(body, '', { refusal: BadRequest })
  const encoding = fields.text('encoding_format')
  if (encoding !== undefined && encoding !== 'float' && encoding !== 'base64')
    fields.refuse('encoding_format', 'must be "float" or "base64"')
  fields.dropOthers(new Set([...read, ...own]), known, '', losses)
  return {
    texts: textsOf(fields),
    dimensions: fields.number('dimensions'),
    isBase64: encoding === 'base64',
    fields,
  }
}

const read = ['model', 'input', 'encoding_format', 'dimensions']

/** The fields of all providers, so that dropped fields of another provider are reported by name. */
const known: ReadonlySet<string> = new Set([
  'user',
  'dimensions',
  'input_type',
  'truncate',
  'normalize',
  'task_type',
  'title',
  'auto_truncate',
  'embedding_purpose',
  'truncation_mode',
])

const textsOf = (fields: Fields): readonly string[] => {
  const input = fields.any('input')
  if (input === undefined) return fields.refuse('input', 'is missing')
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input)) return fields.refuse('input', 'must be a string or a list of strings')
  if (input.length === 0) return fields.refuse('input', 'must not be empty')
  const first: unknown = input[0]
  if (typeof first === 'number' || Array.isArray(first))
    return fields.refuse('input', 'holds tokens, and this provider takes text only')
  return fields.texts('input')
}

/** The text of a request for a model that accepts one text at a time. */
export const oneText = ({ texts, fields }: EmbeddingsRequest): string => {
  const [text, ...more] = texts
  if (text === undefined || more.length > 0)
    return fields.refuse('input', 'must be one text: this model takes one at a time')
  return text
}
