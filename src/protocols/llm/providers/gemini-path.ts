import { pathPart } from '../path-segment.ts'
import type { ProviderCall, ProviderPath } from './provider.ts'

/** The path of a request in Gemini's own format, whoever serves it. */
export const geminiPath = (call: ProviderCall): ProviderPath => {
  const { method, query } = geminiMethod(call)
  return { base: '', rest: `/v1beta/${resourceName(call.model)}:${method}`, query }
}

/** What is done with a model, as the end of its path. Streams are always asked for as server-sent events. */
export const geminiMethod = ({
  format,
  streaming,
}: ProviderCall): { readonly method: string; readonly query: string | undefined } => {
  if (format === 'geminiCountTokens') return { method: 'countTokens', query: undefined }
  return streaming
    ? { method: 'streamGenerateContent', query: 'alt=sse' }
    : { method: 'generateContent', query: undefined }
}

/** A model by its bare name, or with the collection that it is in. */
const resourceName = (model: string): string => {
  for (const collection of ['models/', 'tunedModels/'])
    if (model.startsWith(collection)) return collection + pathPart(model.slice(collection.length))
  return `models/${pathPart(model)}`
}
