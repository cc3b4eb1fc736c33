import type { ChatFormat, Format } from '../../protocols/llm/format.ts'

/** What a path asks of the mock. */
export interface MockRoute {
  readonly format: Format
  /** How errors are written. */
  readonly dialect: ChatFormat
  /** Where the path says it. */
  readonly model?: string
  readonly streaming?: boolean
}

/** Finds out from the end of a path, whatever stands before it. */
export const mockRoute = (path: string): MockRoute | undefined => {
  const method = /\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(path)
  if (method) {
    const [, model = '', verb] = method
    return {
      format: verb === 'countTokens' ? 'geminiCountTokens' : 'generateContent',
      dialect: 'generateContent',
      model: decoded(model),
      streaming: verb === 'streamGenerateContent',
    }
  }
  const end = path.endsWith('/') ? path.slice(0, -1) : path
  return routes.find(([suffix]) => end.endsWith(suffix))?.[1]
}

const routes: readonly (readonly [string, MockRoute])[] = [
  ['/chat/completions', { format: 'completions', dialect: 'completions' }],
  ['/messages/count_tokens', { format: 'anthropicTokenCount', dialect: 'messages' }],
  ['/messages', { format: 'messages', dialect: 'messages' }],
  ['/responses', { format: 'responses', dialect: 'responses' }],
  ['/embeddings', { format: 'embeddings', dialect: 'completions' }],
  ['/rerank', { format: 'rerank', dialect: 'completions' }],
]

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
