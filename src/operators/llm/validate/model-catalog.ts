import { child } from '../../../config/document/json-pointer.ts'
import { mergeCatalogs, readCatalog } from '../../../config/format/model-catalog.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Check, Item, ValidationContext } from '../../../config/validate/context.ts'
import type { ModelCatalog } from '../../../model/resources/model-catalog.ts'
import { servedModel } from '../normalize/model.ts'
import { checkCatalogProviders } from './catalog-providers.ts'
import { llmModels, llmProviders } from './locations.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import { hasPrice } from '../../../protocols/llm/cost.ts'
import { readJsonOrYaml } from '../../../protocols/yaml/json-or-yaml.ts'

/** Checks that there are prices where unknown ones are denied, and that models which are sure to be called have one. */
export function checkUnknownPrice(view: ValidationContext, catalog: ModelCatalog | undefined): void {
  if (view.file.config?.unknownPrice !== 'deny') return
  if (!catalog) {
    // A catalog without any valid entry has been reported already.
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
    // A missing provider has been reported already.
    if (reference !== undefined && !known.has(reference)) continue
    const { telemetryName, model } = servedModel(value, view.file.llm?.providers)
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

/** Checks prices of language models: every source can be read, and its entries are valid. */
export const checkModelCatalog: Check = (view) => {
  const sources = view.items(view.file.config?.modelCatalog, '/config/modelCatalog')
  const catalogs = sources.map((source) => {
    const catalog = examineSource(view, source)
    checkCatalogProviders(view, source, catalog)
    return catalog
  })
  checkUnknownPrice(view, sources.length === 0 ? undefined : mergeCatalogs(catalogs))
}

function examineSource(
  view: ValidationContext,
  { value, pointer }: Item<File.ModelCatalogSource>,
): ModelCatalog {
  const { file, inline } = value
  if (file !== undefined) {
    const at = child(pointer, 'file')
    const text = view.fileText(at, file)
    return text === undefined ? nothing : examineText(view, text, at, `${file}, `)
  }
  const at = child(pointer, 'inline')
  if (typeof inline === 'string') return examineText(view, inline, at, '')
  return readCatalog(inline, (path, expectation) => {
    view.problem(path.reduce<string>(child, at), expectation)
  })
}

/** Positions inside a text have no pointer of their own: the message contains their path. */
function examineText(view: ValidationContext, text: string, pointer: string, where: string): ModelCatalog {
  const read = readJsonOrYaml(text)
  if (!('value' in read)) {
    view.problem(pointer, `${where}line ${String(read.line)}, column ${String(read.column)}: ${read.problem}`)
    return nothing
  }
  let reported = 0
  const catalog = readCatalog(read.value, (path, expectation) => {
    reported += 1
    if (reported <= MOST) view.problem(pointer, `${where}${path.join('.') || 'the document'}: ${expectation}`)
  })
  if (reported > MOST) view.problem(pointer, `${where}${String(reported - MOST)} more problems`)
  return catalog
}

const nothing: ModelCatalog = { providers: {} }

/** Catalogs are long, and a mistake in one entry is often in all. */
const MOST = 20
