import type { ChatFormat, Format } from '../../protocols/llm/format.ts'

/** Embeddings of the Gemini API: of one text, or of several. */
export type GeminiEmbeddings = 'geminiEmbedding' | 'geminiEmbeddings'

/** What a path requests of the mock. */
export interface MockRoute {
  readonly format: Format | GeminiEmbeddings
  /** How errors are written. */
  readonly dialect: ChatFormat
  /** If the path has it. */
  readonly model?: string
  readonly streaming?: boolean
}

/** Matches the end of a path, whatever its prefix. */
export const mockRoute = (path: string): MockRoute | undefined => {
  const method = /\/([^/:]+):(\w+)$/.exec(path)
  const format = method && methods.get(method[2] ?? '')
  if (method && format) {
    const [, model = '', verb] = method
    return {
      format,
      dialect: 'generateContent',
      model: decoded(model),
      streaming: verb === 'streamGenerateContent',
    }
  }
  const end = path.endsWith('/') ? path.slice(0, -1) : path
  return routes.find(([suffix]) => end.endsWith(suffix))?.[1]
}

const methods: ReadonlyMap<string, MockRoute['format']> = new Map([
  ['generateContent', 'generateContent'],
  ['streamGenerateContent', 'generateContent'],
  ['countTokens', 'geminiCountTokens'],
  ['embedContent', 'geminiEmbedding'],
  ['batchEmbedContents', 'geminiEmbeddings'],
])

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
