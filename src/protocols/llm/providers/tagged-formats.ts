import type { ModelCatalog } from '../../../model/resources/model-catalog.ts'
import type { Format } from '../format.ts'
import type { Provider } from './provider.ts'

/**
 * A provider for models of several makers. The tags of a catalog replace the chat formats that are derived from a
 * model's name, in their order.
 *
 * @param name The provider's name in telemetry.
 */
export const taggedFormats = (
  service: Provider,
  catalog: ModelCatalog | undefined,
  name: string,
): Provider => {
  const models = Object.entries(catalog?.providers[name]?.models ?? {})
  const tagged = new Map(models.map(([model, { tags }]) => [model, tags.filter(isTag)]))
  if ([...tagged.values()].every(({ length }) => length === 0)) return service
  return {
    ...service,
    formats: (model, settings) => {
      const guessed = service.formats(model, settings)
      const chat = tagged.get(model) ?? []
      return chat.length === 0 ? guessed : [...chat, ...guessed.filter((format) => !isTag(format))]
    },
  }
}

const isTag = (tag: string): tag is Format => tags.has(tag)

const tags: ReadonlySet<string> = new Set<Format>(['completions', 'messages', 'responses'])
