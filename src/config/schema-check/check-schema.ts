import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { ConfigDocument } from './document.ts'
import { explain } from './explain.ts'
import type { Explained } from './explain.ts'
import { withFunctions } from './format/custom-functions.ts'
import { formats } from './formats.ts'
import { segments } from './instance-path.ts'
import { prune } from './prune.ts'
import type { Pruned } from './prune.ts'
import { addKeywords } from './shape-keywords.ts'
import { compileRefsWhenUsed } from './shape-refs.ts'
import { schema } from './schema/root.ts'

/** How a document compares with the schema. */
export interface Shape extends Explained {
  /** What is right about the document: all of it, if there are no problems. */
  readonly sound: Pruned
}

/** Compares a document with the schema. `broken` are places known to be wrong already. */
export type CheckShape = (document: ConfigDocument, broken: readonly string[]) => Shape

/** Compiles the schema: everything that does not need to know two places of the file at a time is checked by it. */
export function compileShape(): CheckShape {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // A test checks the schema, so that no start has to. Together these make it ready in a quarter of the time.
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
    // `x: ${KEY}` with KEY=123 is a number by the rules of YAML, but whoever wrote it meant a text.
    if (retypeSubstituted(document, errors)) errors = validate(document.value)
    const { problems: found, warnings } = explain(document, errors)
    const problems = found.filter(({ pointer }) => !broken.includes(pointer))
    const sound =
      problems.length + broken.length === 0
        ? { value: document.value, originalIndex: (_: readonly unknown[], index: number) => index }
        : prune(document.value, validate, broken)
    return { problems, warnings, sound }
  }
  return (document, broken) => withFunctions(definitionsIn(document.value), () => check(document, broken))
}

/** What stands at `config.customFunctions`, in a document of which nothing is known yet. */
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
  const holder = at as Record<string, unknown>
  if (holder[last] === text) return false
  holder[last] = text
  return true
}
