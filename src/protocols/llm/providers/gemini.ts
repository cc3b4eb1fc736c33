import { bearerIn } from './anthropic-headers.ts'
import { finishGeminiBody } from './gemini-body.ts'
import { geminiPath } from './gemini-path.ts'
import type { Provider } from './provider.ts'

/** Google's Gemini, in its own format and OpenAI's. */
export const gemini: Provider = {
  base: '',
  address: () => ({ host: 'generativelanguage.googleapis.com', port: 443, tls: true }),
  formats: () => ['generateContent', 'completions', 'embeddings', 'geminiCountTokens'],
  path: (call) => {
    if (call.format === 'embeddings') return { base: '', rest: '/v1beta/openai/embeddings' }
    if (call.format === 'completions') return { base: '', rest: '/v1beta/openai/chat/completions' }
    return geminiPath(call)
  },
  finishBody: finishGeminiBody,
  finishHeaders: (headers, { format }) => {
    if (format !== 'generateContent' && format !== 'geminiCountTokens') return
    // In OpenAI's format, keys are bearer tokens; here, bearer tokens are OAuth tokens.
    const token = bearerIn(headers)
    if (token?.startsWith('AIza') !== true) return
    headers.delete('authorization')
    headers.set('x-goog-api-key', token)
  },
}
