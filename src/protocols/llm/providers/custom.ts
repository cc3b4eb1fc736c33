import { setAnthropicVersion } from './anthropic-headers.ts'
import { declaredFormat, declaredFormats } from './declared-formats.ts'
import { finishGeminiBody } from './gemini-body.ts'
import { geminiPath } from './gemini-path.ts'
import type { Provider } from './provider.ts'
import { usualBase, usualPath } from './default-path.ts'

/** Any service with a supported format, as its configuration describes it. */
export const custom: Provider = {
  base: usualBase,
  address: () => undefined,
  formats: (_, settings) => declaredFormats(settings),
  path: (call, settings) => {
    const { format } = call
    const path = declaredFormat(settings, format)?.path
    if (path !== undefined) {
      const [rest = '', query] = path.split(/\?(.*)/s)
      return { base: '', rest, query, isFixed: true }
    }
    const usual = usualPath(format)
    return usual === undefined ? geminiPath(call) : { base: usualBase, rest: usual }
  },
  finishBody: finishGeminiBody,
  finishHeaders: (headers, { format }) => {
    if (format === 'messages' || format === 'anthropicTokenCount') setAnthropicVersion(headers)
  },
}
