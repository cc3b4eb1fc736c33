import type { ErrorObject } from 'ajv/dist/2020.js'
import type { ConfigWarning } from '../../model/resources/resources.ts'
import type { ConfigDocument } from '../document/document.ts'
import { type ConfigProblem, problemAt } from '../errors.ts'
import { type Expectation, expected } from './error-message.ts'
import { allFields, fieldHint, meantField, providerHint, sectionHint } from './field-hint.ts'
import { child } from '../document/json-pointer.ts'
import { isSecret, printable } from './printable.ts'

/** Validation errors as messages. */
export interface Explained {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigWarning[]
}

/** Converts validation errors into problems and warnings with locations. */
export function explainErrors(document: ConfigDocument, errors: readonly ErrorObject[]): Explained {
  const refused = errors.filter(isRefusal).map((error) => error.instancePath)
  const misspelt = misspeltFields(errors)
  const misplaced = misplacedFields(errors)
  const problems = new Map<string, ConfigProblem>()
  const warnings = new Map<string, ConfigWarning>()
  for (const error of errors) {
    if (SILENT.has(error.keyword)) continue
    if (isWarning(error)) {
      // One warning per field, however often it is used: the schema path identifies the field.
      const key = `${error.keyword} ${error.schemaPath}`
      if (!warnings.has(key) && !isWithin(error.instancePath, refused))
        warnings.set(key, warn(document, error))
      continue
    }
    if (!isRefusal(error) && isWithin(error.instancePath, refused)) continue
    if (isExplainedBy(misspelt, error)) continue
    if (error.keyword === 'additionalProperties' && misplaced.has(pointerOf(error))) continue
    const problem = describe(document, error)
    const key = error.keyword === 'type' ? `type ${problem.path}` : `${problem.path} ${problem.expectation}`
    if (!problems.has(key)) problems.set(key, problem)
  }
  return { problems: [...problems.values()], warnings: [...warnings.values()] }
}

/** Keywords whose errors only repeat more detailed ones. */
export const SILENT: ReadonlySet<string> = new Set(['if', 'propertyNames'])

/** Whether an error is about a known feature that is not supported yet. */
function isRefusal(error: ErrorObject): boolean {
  return (
    error.keyword === 'x-notSupportedYet' ||
    (error.keyword === 'x-status' && error.params.status === 'notSupportedYet')
  )
}

/** Whether an error is only a warning. */
export function isWarning(error: ErrorObject): boolean {
  return (
    error.keyword === 'deprecated' || (error.keyword === 'x-status' && error.params.status === 'noEffect')
  )
}

function isWithin(pointer: string, roots: readonly string[]): boolean {
  return roots.some((root) => pointer === root || pointer.startsWith(`${root}/`))
}

function warn(document: ConfigDocument, { keyword, instancePath, params }: ErrorObject): ConfigWarning {
  const path = document.display(instancePath)
  const location = { path, ...document.keyAt(instancePath) }
  return keyword === 'deprecated'
    ? {
        code: 'deprecated_field',
        ...location,
        message: `${path} is deprecated: ${String(params.description)}`,
      }
    : { code: 'no_effect', ...location, message: `${path} has no effect in this gateway` }
}

/** Pointer of an object → names that its unknown fields were probably meant to be. */
function misspeltFields(errors: readonly ErrorObject[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const error of errors) {
    if (error.keyword !== 'additionalProperties') continue
    const meant = meantField(unknownField(error), knownFields(error))
    if (meant === undefined) continue
    found.set(error.instancePath, (found.get(error.instancePath) ?? new Set()).add(meant))
  }
  return found
}

/** Whether a field is missing only because its name is misspelt. */
function isExplainedBy(misspelt: ReadonlyMap<string, ReadonlySet<string>>, error: ErrorObject): boolean {
  const meant = misspelt.get(error.instancePath)
  if (meant === undefined) return false
  if (error.keyword === 'required') return meant.has(String(error.params.missingProperty))
  if (error.keyword !== 'x-exactlyOne' || (error.params.present as readonly string[]).length > 0) return false
  return (error.params.names as readonly string[]).some((name) => meant.has(name))
}

/** Pointers of unknown fields whose correct location another problem describes. */
function misplacedFields(errors: readonly ErrorObject[]): ReadonlySet<string> {
  return new Set(
    errors.flatMap(({ keyword, instancePath, params }) =>
      keyword === 'x-within'
        ? (params.present as readonly string[]).map((name) => child(instancePath, name))
        : [],
    ),
  )
}

function pointerOf(error: ErrorObject): string {
  return child(error.instancePath, unknownField(error))
}

function describe(document: ConfigDocument, error: ErrorObject): ConfigProblem {
  const { keyword, data } = error
  if (keyword === 'additionalProperties') {
    const pointer = child(error.instancePath, unknownField(error))
    const [name, known] = [unknownField(error), knownFields(error)]
    return problemAt(document, pointer, document.keyAt(pointer), {
      expectation: 'unknown field',
      hint: (error.instancePath === '' ? sectionHint(name) : undefined) ?? fieldHint(name, known),
      fullHint: known.length > 0 ? allFields(name, known) : undefined,
    })
  }
  if (keyword === 'required') {
    const pointer = child(error.instancePath, String(error.params.missingProperty))
    const expectation = `${document.display(pointer)} is required`
    return problemAt(document, pointer, document.keyAt(error.instancePath), { expectation })
  }
  if (error.propertyName !== undefined) {
    const pointer = child(error.instancePath, error.propertyName)
    const { expectation, hint } = expected(error, error.propertyName)
    return problemAt(document, pointer, document.keyAt(pointer), { value: 'its name', expectation, hint })
  }
  const pointer = error.instancePath
  if (isRefusal(error)) {
    const word = keyword === 'x-notSupportedYet' ? `: ${String(data)}` : ''
    const expectation = `not supported yet: ${document.display(pointer)}${word}`
    return { ...problemAt(document, pointer, document.keyAt(pointer), { expectation }), path: '' }
  }
  const { aboutValue, ...words } = redactedExpectation(document, pointer, expected(error, data))
  const location = aboutValue ? document.valueAt(pointer) : document.keyAt(pointer)
  if (pointer === '')
    return problemAt(document, '', location, { expectation: `the configuration ${words.expectation}` })
  const value = aboutValue ? printable(document, pointer, data) : undefined
  const hint = words.hint ?? providerHint(pointer, data, document.value)
  return problemAt(document, pointer, location, { ...words, value, hint })
}

/** Messages about a value with substituted variables must not quote it. */
function redactedExpectation(document: ConfigDocument, pointer: string, words: Expectation): Expectation {
  if (document.writtenAs(pointer) === undefined && !isSecret(pointer)) return words
  const { hint: _, ...rest } = words
  return { ...rest, expectation: words.expectation.replace(/^(is not a valid [a-z ]+): [^]*/, '$1') }
}

function unknownField(error: ErrorObject): string {
  return String(error.params.additionalProperty)
}

function knownFields(error: ErrorObject): readonly string[] {
  return Object.keys((error.parentSchema?.properties ?? {}) as object)
}
