import type { Format } from '../format.ts'

/** What paths of OpenAI and Anthropic begin with, and of those who speak their formats. */
export const usualBase = '/v1'

/** The path of a format behind that; undefined for those that have no such path. */
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
