import type { ErrorObject } from 'ajv/dist/2020.js'
import type { ConfigDocument } from '../document/document.ts'
import { explainErrors, type Explained } from './explain-errors.ts'
import { withFunctions } from '../format/cel-functions.ts'
import { segments } from '../document/json-pointer.ts'
import { prune, type Pruned } from '../document/prune-invalid.ts'
import { schemaValidator } from './schema-validator.ts'

/** The result of validating a document against the schema. */
export interface SchemaResult extends Explained {
  /** The valid part of the document: all of it, if there are no problems. */
  readonly sound: Pruned
}

/**
 * Checks a document with the schema, which covers all checks that concern one location of the file at a time.
 *
 * @param broken Pointers of values that are known to be invalid already.
 */
export function checkShape(document: ConfigDocument, broken: readonly string[]): SchemaResult {
  return withFunctions(definitionsIn(document.value), () => check(document, broken))
}

function check(document: ConfigDocument, broken: readonly string[]): SchemaResult {
  let errors = validate(document.value)
  // `x: ${KEY}` with KEY=123 is a number by the rules of YAML, but a string was intended.
  if (retypeSubstituted(document, errors)) errors = validate(document.value)
  const { problems: found, warnings } = explainErrors(document, errors)
  const problems = found.filter(({ pointer }) => !broken.includes(pointer))
  const sound =
    problems.length + broken.length === 0
      ? { value: document.value, originalIndex: (_: readonly unknown[], index: number) => index }
      : prune(document.value, validate, broken)
  return { problems, warnings, sound }
}

function validate(value: unknown): readonly ErrorObject[] {
  const validator = schemaValidator()
  return validator(value) ? [] : (validator.errors ?? [])
}

/** The value of `config.customFunctions` in a document that is not validated yet. */
function definitionsIn(root: unknown): unknown {
  const { config } = (root ?? {}) as { readonly config?: { readonly customFunctions?: unknown } | null }
  return config?.customFunctions
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
  const owner = at as Record<string, unknown>
  if (owner[last] === text) return false
  owner[last] = text
  return true
}
