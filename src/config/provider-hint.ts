import { isJsonObject } from '../protocols/json/json-object.ts'

/** What helps somebody who wrote the wrong thing as the `provider` of a model, or as one of its fields. */
export const providerHint = (pointer: string, written: unknown, whole: unknown): string | undefined => {
  if (!/^\/llm\/(?:models|providers)\/\d+\/provider$/.test(pointer)) return undefined
  if (written === 'custom') return 'say what it understands: { custom: { formats: [{ type: completions }] } }'
  return typeof written === 'string' && namesOf(whole).includes(written)
    ? `one of \`providers\` is meant by { reference: ${written} }`
    : undefined
}

const namesOf = (whole: unknown): readonly unknown[] => {
  const llm = isJsonObject(whole) ? whole.llm : undefined
  const providers = isJsonObject(llm) && Array.isArray(llm.providers) ? (llm.providers as unknown[]) : []
  return providers.map((one) => (isJsonObject(one) ? one.name : undefined))
}
