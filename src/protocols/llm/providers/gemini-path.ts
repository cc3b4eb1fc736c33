import { pathPart } from '../path-segment.ts'
import type { ProviderCall, ProviderPath } from './provider.ts'

/** The path of a request in Gemini's own format, for any provider. */
export const geminiPath = (call: ProviderCall): ProviderPath => {
  const { method, query } = geminiMethod(call)
  return { base: '', rest: `/v1beta/${resourceName(call.model)}:${method}`, query }
}

/** The method at the end of a path. Streams are always requested as server-sent events. */
export const geminiMethod = ({
  format,
  streaming,
}: ProviderCall): { readonly method: string; readonly query: string | undefined } => {
  if (format === 'geminiCountTokens') return { method: 'countTokens', query: undefined }
  return streaming
    ? { method: 'streamGenerateContent', query: 'alt=sse' }
    : { method: 'generateContent', query: undefined }
}

/** The resource name of a model that is given with or without its collection. */
const resourceName = (model: string): string => {
  for (const collection of ['models/', 'tunedModels/'])
    if (model.startsWith(collection)) return collection + pathPart(model.slice(collection.length))
  return `models/${pathPart(model)}`
}
