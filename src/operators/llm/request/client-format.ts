import type { Request } from '../../../model/request.ts'
import type { ModelListFormat } from '../../../protocols/llm/model-list.ts'

/** Whose client asks, where the path belongs to no format: others than OpenAI's say so in what theirs have to send. */
export const clientFormat = ({ path, headers }: Request): ModelListFormat => {
  if (headers.has('x-goog-api-key') || geminiPath.test(path)) return 'generateContent'
  return headers.has('anthropic-version') ? 'messages' : 'completions'
}

/** The versions of an interface that only Google has. */
const geminiPath = /\/v1(?:alpha|beta)\d*\/models(?:\/|$)/
