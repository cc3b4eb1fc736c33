import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'

/**
 * A request for embeddings as OpenAI has it (`EmbeddingCreateParams`), for providers that do not. They may have fields
 * that OpenAI does not know; clients write these beside the others.
 */
export interface EmbeddingsRequest {
  readonly texts: readonly string[]
  readonly dimensions: number | undefined
  /** Numbers are wanted as bytes in base64 and not as a list. */
  readonly isBase64: boolean
  /** All of them, for the fields of this provider. */
  readonly fields: Fields
}

/**
 * Reads the request.
 *
 * @param own The fields that this provider has besides.
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

/** Of all that are translated to, so that those of another provider are called by their names when they are dropped. */
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
