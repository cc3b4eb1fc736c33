import type { Request } from '../../../model/exchange/request.ts'
import type { ModelListFormat } from '../../../protocols/llm/models/model-list.ts'

/**
 * The format of a client if the path belongs to no format: clients of Anthropic and Google have their own headers.
 * The keys may already have been removed.
 */
export const clientFormat = ({ path, headers }: Request): ModelListFormat => {
  if (geminiPath.test(path) || headers.has('x-goog-api-key') || headers.has('x-goog-api-client'))
    return 'generateContent'
  return headers.has('anthropic-version') ? 'messages' : 'completions'
}

/** API versions that only Google has. */
const geminiPath = /\/v1(?:alpha|beta)\d*\/models(?:\/|$)/
