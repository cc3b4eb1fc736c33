import type { ModelCatalog } from '../../model/model-catalog.ts'
import { jsonObjectOr } from '../../protocols/json/json-object.ts'
import { hasPrice } from '../../protocols/llm/cost.ts'
import { child } from '../instance-path.ts'
import { modelServed } from '../normalize/llm-model.ts'
import { llmModels, llmProviders } from './llm-sites.ts'
import type { View } from './view.ts'

/** That there are prices where unknown ones are denied, and that models which are sure to be asked for have one. */
export function examineUnknownPrice(view: View, catalog: ModelCatalog | undefined): void {
  if (view.file.config?.unknownPrice !== 'deny') return
  if (!catalog) {
    // One with nothing right in it has been told of.
    if (!hasCatalog(view.document.value))
      view.problem(
        '/config/unknownPrice',
        'cannot be deny without config.modelCatalog: no model would have a price',
        'add config.modelCatalog with the prices of your models, or leave unknownPrice out',
      )
    return
  }
  const known = new Set(llmProviders(view).map(({ value }) => value.name))
  for (const { value, pointer } of llmModels(view)) {
    const { provider } = value
    const reference = typeof provider === 'string' ? undefined : provider.reference
    // A provider that is not there has been told of.
    if (reference !== undefined && !known.has(reference)) continue
    const { telemetryName, model } = modelServed(value, view.file.llm?.providers)
    if (model === undefined || hasPrice(catalog, telemetryName, model, true)) continue
    const [is, what] = hasPrice(catalog, telemetryName, model, false)
      ? ['is asked for embeddings and rankings only', 'rate for the output']
      : ['is never asked', 'price']
    view.warning(
      child(pointer, 'name'),
      'unknown_price',
      `${is}: config.modelCatalog has no ${what} of ${model} of ${telemetryName}, and config.unknownPrice is deny`,
    )
  }
}

function hasCatalog(document: unknown): boolean {
  const sources = jsonObjectOr(jsonObjectOr(document).config).modelCatalog
  return Array.isArray(sources) ? sources.length > 0 : sources !== undefined
}
