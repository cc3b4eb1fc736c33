import { hideBrowser, placeAnthropicKey, sayAnthropicVersion } from './anthropic-headers.ts'
import type { Provider } from './provider.ts'
import { usualBase, usualPath } from './usual-path.ts'

/** Anthropic. */
export const anthropic: Provider = {
  base: usualBase,
  address: () => ({ host: 'api.anthropic.com', port: 443, tls: true }),
  formats: () => ['messages', 'anthropicTokenCount'],
  path: ({ format }) => ({ base: usualBase, rest: usualPath(format) ?? '/messages' }),
  finishBody: () => undefined,
  finishHeaders: (headers) => {
    placeAnthropicKey(headers)
    sayAnthropicVersion(headers)
    hideBrowser(headers)
  },
}
