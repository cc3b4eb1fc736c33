import type { ChatFormat } from '../format.ts'
import { setAnthropicVersion } from './anthropic-headers.ts'
import { renameMaxTokens } from './max-tokens.ts'
import type { Provider } from './provider.ts'
import { usualBase, usualPath } from './default-path.ts'

/** GitHub Copilot: models of several makers, each in the format in which Copilot serves it. */
export const copilot: Provider = {
  base: usualBase,
  address: () => ({ host: 'api.githubcopilot.com', port: 443, tls: true }),
  formats: (model) => [...chatFormats(model.toLowerCase()), 'embeddings', 'rerank'],
  path: ({ format }) => ({
    base: '',
    rest: format === 'messages' ? '/v1/messages' : (usualPath(format) ?? '/chat/completions'),
  }),
  finishBody: renameMaxTokens,
  finishHeaders: (headers, { format }) => {
    if (format === 'messages') setAnthropicVersion(headers)
  },
}

const chatFormats = (model: string): readonly ChatFormat[] => {
  if (model === 'gpt-5.4' || model === 'gpt-5-mini') return ['completions', 'responses']
  return families.find(([beginning]) => model.startsWith(beginning))?.[1] ?? ['completions']
}

const families: readonly (readonly [beginning: string, formats: readonly ChatFormat[]])[] = [
  ['claude-', ['messages', 'completions']],
  ['grok-', ['responses']],
  ['mai-', ['responses']],
  ['gpt-3', ['completions']],
  ['gpt-4', ['completions']],
  ['gpt-', ['responses']],
]
