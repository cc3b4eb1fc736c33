import { readJsonOrYaml } from '../../protocols/yaml/json-or-yaml.ts'
import { readCatalog } from '../format/model-catalog.ts'
import { child } from '../instance-path.ts'
import type { Examine, View } from './view.ts'

/** Prices of language models: that every source can be read, and says what it means. */
export const examineModelCatalog: Examine = (view) => {
  for (const { value, pointer } of view.items(view.file.config?.modelCatalog, '/config/modelCatalog')) {
    const { file, inline } = value
    if (file !== undefined) {
      const at = child(pointer, 'file')
      const text = view.fileText(at, file)
      if (text !== undefined) examineText(view, text, at, `${file}, `)
    } else if (typeof inline === 'string') examineText(view, inline, child(pointer, 'inline'), '')
    else
      readCatalog(inline, (path, expectation) => {
        view.problem(path.reduce<string>(child, child(pointer, 'inline')), expectation)
      })
  }
}

/** What is wrong inside of a text has no place of its own in the configuration: it is told by its path. */
function examineText(view: View, text: string, pointer: string, where: string): void {
  const read = readJsonOrYaml(text)
  if (!('value' in read)) {
    view.problem(pointer, `${where}line ${String(read.line)}, column ${String(read.column)}: ${read.problem}`)
    return
  }
  let told = 0
  readCatalog(read.value, (path, expectation) => {
    told += 1
    if (told <= MOST) view.problem(pointer, `${where}${path.join('.') || 'the document'}: ${expectation}`)
  })
  if (told > MOST) view.problem(pointer, `${where}${String(told - MOST)} more problems`)
}

/** Catalogs are long, and what is wrong with one entry is often wrong with all. */
const MOST = 20
