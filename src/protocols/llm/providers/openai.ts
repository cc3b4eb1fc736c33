import { renameMaxTokens } from './max-tokens.ts'
import type { Provider } from './provider.ts'
import { usualBase, usualPath } from './default-path.ts'

/** OpenAI. */
export const openai: Provider = {
  base: usualBase,
  address: () => ({ host: 'api.openai.com', port: 443, tls: true }),
  formats: () => ['responses', 'completions', 'embeddings', 'rerank'],
  path: ({ format }) => ({ base: usualBase, rest: usualPath(format) ?? '/chat/completions' }),
  finishBody: (body, call, { moderation }) => {
    renameMaxTokens(body, call)
    // Overrides the client's: a client must not configure its own moderation.
    if (moderation && (call.format === 'completions' || call.format === 'responses'))
      body.set('moderation', moderation)
  },
}
