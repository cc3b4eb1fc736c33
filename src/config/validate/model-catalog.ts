import type { ModelCatalog } from '../../model/model-catalog.ts'
import { readJsonOrYaml } from '../../protocols/yaml/json-or-yaml.ts'
import { mergeCatalogs, readCatalog } from '../format/model-catalog.ts'
import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { examineUnknownPrice } from './unknown-price.ts'
import type { Examine, Item, View } from './view.ts'

/** Prices of language models: that every source can be read, and says what it means. */
export const examineModelCatalog: Examine = (view) => {
  const sources = view.items(view.file.config?.modelCatalog, '/config/modelCatalog')
  const catalogs = sources.map((source) => examineSource(view, source))
  examineUnknownPrice(view, sources.length === 0 ? undefined : mergeCatalogs(catalogs))
}

function examineSource(view: View, { value, pointer }: Item<File.ModelCatalogSource>): ModelCatalog {
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

/** What is wrong inside of a text has no place of its own in the configuration: it is told by its path. */
function examineText(view: View, text: string, pointer: string, where: string): ModelCatalog {
  const read = readJsonOrYaml(text)
  if (!('value' in read)) {
    view.problem(pointer, `${where}line ${String(read.line)}, column ${String(read.column)}: ${read.problem}`)
    return nothing
  }
  let told = 0
  const catalog = readCatalog(read.value, (path, expectation) => {
    told += 1
    if (told <= MOST) view.problem(pointer, `${where}${path.join('.') || 'the document'}: ${expectation}`)
  })
  if (told > MOST) view.problem(pointer, `${where}${String(told - MOST)} more problems`)
  return catalog
}

const nothing: ModelCatalog = { providers: {} }

/** Catalogs are long, and what is wrong with one entry is often wrong with all. */
const MOST = 20
