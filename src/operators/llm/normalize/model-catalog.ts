import type { ModelCatalog } from '../../../model/resources/model-catalog.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { readJsonOrYaml } from '../../../protocols/yaml/json-or-yaml.ts'
import { mergeCatalogs, readCatalog } from '../../../config/format/model-catalog.ts'
import { type Context, fileText } from '../../../config/normalize/context.ts'

/** The prices of language models from all sources; undefined if there are none. */
export function modelCatalog(
  section: File.ProcessSection | undefined,
  context: Pick<Context, 'files'>,
): ModelCatalog | undefined {
  const sources = section?.modelCatalog ?? []
  return sources.length === 0 ? undefined : mergeCatalogs(sources.map((source) => catalogOf(source, context)))
}

function catalogOf({ file, inline }: File.ModelCatalogSource, context: Pick<Context, 'files'>): ModelCatalog {
  const text = file === undefined ? inline : fileText(context, file)
  return readCatalog(typeof text === 'string' ? parsed(text) : text, (path, expectation) => {
    throw new TypeError(`a catalog whose ${path.join('.')} ${expectation}; the checks should have refused it`)
  })
}

function parsed(text: string): unknown {
  const read = readJsonOrYaml(text)
  if ('value' in read) return read.value
  throw new TypeError(`a catalog with ${read.problem}; the checks should have refused it`)
}
