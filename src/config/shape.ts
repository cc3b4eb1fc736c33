import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { ConfigDocument } from './document.ts'
import { explain } from './explain.ts'
import type { Explained } from './explain.ts'
import type { Formats } from './formats.ts'
import { segments } from './instance-path.ts'
import { addKeywords } from './shape-keywords.ts'
import { schema } from './schema/root.ts'

/** Compares a document with the schema. */
export type CheckShape = (document: ConfigDocument) => Explained

/**
 * Compiles the schema once: everything that does not need to know two places of the file at a time is checked by it.
 *
 * @example
 * const checkShape = shapeWith(formatsWith(checkCel))
 */
export function shapeWith(formats: Formats): CheckShape {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    formats: Object.fromEntries(
      Object.entries(formats).map(([name, check]) => [name, (text: string) => check(text) === undefined]),
    ),
  })
  addKeywords(ajv)
  const validate = ajv.compile(schema)
  return (document) => {
    let errors = run(validate, document.value)
    // `x: ${KEY}` with KEY=123 is a number by the rules of YAML, but whoever wrote it meant a text.
    if (retypeSubstituted(document, errors)) errors = run(validate, document.value)
    return explain(document, errors, formats)
  }
}

function run(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? [])
}

function retypeSubstituted(document: ConfigDocument, errors: readonly ErrorObject[]): boolean {
  let changed = false
  for (const { keyword, params, instancePath } of errors) {
    const text = document.substitutedText(instancePath)
    if (keyword !== 'type' || text === undefined || !String(params.type).includes('string')) continue
    changed = put(document.value, segments(instancePath), text) || changed
  }
  return changed
}

function put(root: unknown, path: readonly string[], text: string): boolean {
  let at = root
  for (const segment of path.slice(0, -1)) at = (at as Record<string, unknown> | undefined)?.[segment]
  const last = path.at(-1)
  if (typeof at !== 'object' || at === null || last === undefined) return false
  const holder = at as Record<string, unknown>
  if (holder[last] === text) return false
  holder[last] = text
  return true
}
