import type { Format } from '../format.ts'

/** The path prefix of OpenAI, Anthropic and compatible providers. */
export const usualBase = '/v1'

/** The path of a format after the prefix; undefined for formats without one. */
export const usualPath = (format: Format | 'realtime'): string | undefined => paths[format]

const paths: Readonly<Partial<Record<Format | 'realtime', string>>> = {
  completions: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
  embeddings: '/embeddings',
  rerank: '/rerank',
  anthropicTokenCount: '/messages/count_tokens',
  realtime: '/realtime',
}
