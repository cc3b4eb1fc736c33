import { jsonObjectIn } from '../../json/json-object.ts'
import type { Members } from '../members/members.ts'
import type { ProviderCall } from './provider.ts'

/**
 * Removes the model from a body in Gemini's own format, since it is in the path. A request that counts tokens may
 * contain a whole request, whose model must be the same.
 */
export const finishGeminiBody = (body: Members, { format, model }: ProviderCall): void => {
  if (format !== 'generateContent' && format !== 'geminiCountTokens') return
  body.delete('model')
  const inner = format === 'geminiCountTokens' ? jsonObjectIn(body.get('generateContentRequest')) : undefined
  if (typeof inner?.model !== 'string' || inner.model.endsWith(`/${model}`)) return
  const folder = inner.model.slice(0, inner.model.lastIndexOf('/') + 1)
  body.set('generateContentRequest', { ...inner, model: model.includes('/') ? model : folder + model })
}
