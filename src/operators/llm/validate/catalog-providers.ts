import type { ModelCatalog } from '../../../model/resources/model-catalog.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { nearest, relatedNames } from '../../../config/schema-check/did-you-mean.ts'
import { servedModel } from '../normalize/model.ts'
import { llmPresets } from '../../../protocols/llm/providers/presets.ts'
import { telemetryNames } from '../normalize/provider.ts'
import { aiBackendLocations, llmModels, llmProviders } from './locations.ts'
import type { Item, ValidationContext } from '../../../config/validate/context.ts'

/**
 * Warns of catalog providers that do not occur in this configuration: their prices are never found. A file may list all
 * existing providers, and is reported only if none of them occurs here.
 */
export function checkCatalogProviders(
  view: ValidationContext,
  { value, pointer }: Item<File.ModelCatalogSource>,
  catalog: ModelCatalog,
): void {
  const known = providerNames(view)
  const names = Object.keys(catalog.providers)
  const lost = names.filter((name) => !known.has(name))
  if (lost.length === 0 || (value.file !== undefined && lost.length < names.length)) return
  const meant = lost.flatMap((name) => {
    const other = nearest(name, known) ?? relatedNames(name, [...known])[0]
    return other === undefined ? [] : [other]
  })
  view.warning(
    child(pointer, value.file === undefined ? 'inline' : 'file'),
    'unknown_catalog_provider',
    `no provider is called ${lost.slice(0, MOST).join(', ')}, so that these prices are never found: providers are called as metrics call them, such as ${[...new Set([...meant, 'openai'])].slice(0, MOST).join(', ')}`,
  )
}

const MOST = 5

/** The names of this file's providers, and of those that need no configuration. */
function providerNames(view: ValidationContext): ReadonlySet<string> {
  const written = llmProviders(view).map(({ value }) => value.name)
  const served = llmModels(view).flatMap(({ value }) => {
    const { provider } = value
    const isDangling =
      typeof provider === 'object' &&
      provider.reference !== undefined &&
      !written.includes(provider.reference)
    return isDangling ? [] : [servedModel(value, view.file.llm?.providers).telemetryName]
  })
  const ofRoutes = aiBackendLocations(view).flatMap(({ value }) => namesIn(value))
  return new Set([
    ...Object.values(telemetryNames),
    ...Object.keys(llmPresets),
    ...written,
    ...served,
    ...ofRoutes,
  ])
}

/** Custom providers of routes have their own names, at any depth. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, part]) =>
    (field === 'name' || field === 'providerOverride') && typeof part === 'string' ? [part] : namesIn(part),
  )
}
