import type { EmbeddingsRequest } from './request.ts'

/** The text of a request for a model that accepts one text at a time. */
export const oneText = ({ texts, fields }: EmbeddingsRequest): string => {
  const [text, ...more] = texts
  if (text === undefined || more.length > 0)
    return fields.refuse('input', 'must be one text: this model takes one at a time')
  return text
}
