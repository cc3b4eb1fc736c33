import type { Format } from '../format.ts'
import { declaredFormats } from './declared-formats.ts'
import { geminiPath } from './gemini-path.ts'
import type { Provider } from './provider.ts'
import { usualBase, usualPath } from './default-path.ts'

/** Replies in the gateway's process: it has paths, since its replies depend on them, but no address. */
export const mock: Provider = {
  base: usualBase,
  address: () => undefined,
  formats: (_, settings) => (settings.formats ? declaredFormats(settings) : formats),
  path: (call) => {
    const usual = usualPath(call.format)
    return usual === undefined ? geminiPath(call) : { base: usualBase, rest: usual }
  },
  finishBody: () => undefined,
}

const formats: readonly Format[] = [
  'completions',
  'messages',
  'responses',
  'generateContent',
  'embeddings',
  'rerank',
  'anthropicTokenCount',
  'geminiCountTokens',
]
