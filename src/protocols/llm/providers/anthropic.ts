import { hideBrowser, setAnthropicKey, setAnthropicVersion } from './anthropic-headers.ts'
import type { Provider } from './provider.ts'
import { usualBase, usualPath } from './default-path.ts'

/** Anthropic. */
export const anthropic: Provider = {
  base: usualBase,
  address: () => ({ host: 'api.anthropic.com', port: 443, tls: true }),
  formats: () => ['messages', 'anthropicTokenCount'],
  path: ({ format }) => ({ base: usualBase, rest: usualPath(format) ?? '/messages' }),
  finishBody: () => undefined,
  finishHeaders: (headers) => {
    setAnthropicKey(headers)
    setAnthropicVersion(headers)
    hideBrowser(headers)
  },
}
