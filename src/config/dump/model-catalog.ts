import type { ModelCatalog } from '../../model/model-catalog.ts'
import type { Shown } from './value.ts'

/** A catalog of prices as dumps show it: how many models of which providers, for the whole of it can be long. */
export function dumpCatalog(catalog: ModelCatalog | undefined): Shown {
  const providers = Object.entries(catalog?.providers ?? {}).map(
    ([name, { models }]) => [name, { models: Object.keys(models).length }] as const,
  )
  return { providers: Object.fromEntries(providers) }
}
