import { Ajv2020, type ErrorObject, type ValidateFunction, _, type KeywordCxt } from 'ajv/dist/2020.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'
import type { ConfigDocument } from '../document/document.ts'
import { explainErrors, type Explained } from './explain-errors.ts'
import { withFunctions } from '../format/cel-functions.ts'
import { formats } from '../format/formats.ts'
import { segments } from '../document/json-pointer.ts'
import { prune, type Pruned } from '../document/prune-invalid.ts'
import { addKeywords } from './ajv-keywords.ts'
import { schema } from '../schema/root.ts'

/** The result of validating a document against the schema. */
export interface SchemaResult extends Explained {
  /** The valid part of the document: all of it, if there are no problems. */
  readonly sound: Pruned
}

/** Validates a document against the schema. `broken` are pointers known to be invalid already. */
export type CheckShape = (document: ConfigDocument, broken: readonly string[]) => SchemaResult

/** Checks a document with the schema, which is compiled on first use: it is large. */
export const checkShape: CheckShape = (document, broken) =>
  (compiledShape ??= compileShape())(document, broken)

let compiledShape: CheckShape | undefined

/** Compiles the schema, which covers all checks that concern one location of the file at a time. */
export function compileShape(): CheckShape {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // A test validates the schema, so no start needs to. Together these options cut the compile time to a
    // quarter.
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
    formats: Object.fromEntries(
      Object.entries(formats).map(([name, check]) => [name, (text: string) => check(text) === undefined]),
    ),
  })
  addKeywords(ajv)
  compileRefsWhenUsed(ajv)
  const compiled = ajv.compile(schema)
  const validate = (value: unknown): readonly ErrorObject[] => run(compiled, value)
  const check: CheckShape = (document, broken) => {
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
  return (document, broken) => withFunctions(definitionsIn(document.value), () => check(document, broken))
}

/** The value of `config.customFunctions` in a document that is not validated yet. */
function definitionsIn(root: unknown): unknown {
  const { config } = (root ?? {}) as { readonly config?: { readonly customFunctions?: unknown } | null }
  return config?.customFunctions
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
  const owner = at as Record<string, unknown>
  if (owner[last] === text) return false
  owner[last] = text
  return true
}

/**
 * Compiles a definition of the schema when a document first uses it. A file uses few of the definitions, and
 * compiling the others is a third of the time of a start.
 */
function compileRefsWhenUsed(ajv: Ajv2020): void {
  ajv.removeKeyword('$ref')
  // Errors of the value itself come before errors about its location.
  ajv.addKeyword({ keyword: '$ref', schemaType: 'string', before: '$comment', code: callWhenUsed })
  // The schema does not use unevaluatedProperties; tracking evaluated ones would require a look into every
  // definition.
  ajv.opts.unevaluated = false
}

function callWhenUsed(cxt: KeywordCxt): void {
  const { self, baseId, schemaEnv } = cxt.it
  const { root } = schemaEnv
  const ref = cxt.schema as string
  const definition = {
    get validate() {
      const found = resolveRef.call(self, root, baseId, ref)
      if (!(found instanceof SchemaEnv)) throw new Error(`the schema has no definition ${ref}`)
      return found.validate
    },
  }
  callRef(cxt, _`${cxt.gen.scopeValue('wrapper', { ref: definition })}.validate`, undefined)
}
