import { isJsonObject } from '../../protocols/json/json-object.ts'
import { child } from '../document/json-pointer.ts'
import { policyRows } from '../policies.ts'
import { policyContainers } from './policy-locations.ts'
import type { Check, ValidationContext } from './context.ts'
import { stripStringLiterals } from './strip-string-literals.ts'

/** Checks for expressions that are evaluated before there is a response but read it: they always fail. */
export const checkResponseAttributes: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view))
    for (const [policy = '', ...path] of paths) {
      const value = (policies as Fields)[policy]
      const at = child(pointer, policy)
      for (const one of alternatives(view, value, at)) examine(view, one.value, one.pointer, path)
    }
}

/** The paths of such expressions, each to an expression or to a list or object of them. */
const paths: readonly (readonly string[])[] = policyRows.flatMap(([name, { beforeResponse = [] }]) =>
  beforeResponse.map((path) => [name, ...path.split('.')]),
)

type Fields = Readonly<Record<string, unknown>>
interface Found {
  readonly value: unknown
  readonly pointer: string
}

/** The policy itself, or each of its alternatives. */
function alternatives(view: ValidationContext, value: unknown, pointer: string): readonly Found[] {
  const { conditional } = isJsonObject(value) ? value : {}
  return Array.isArray(conditional)
    ? view.items<unknown>(conditional, child(pointer, 'conditional'))
    : [{ value, pointer }]
}

function examine(
  view: ValidationContext,
  value: unknown,
  pointer: string,
  [name, ...rest]: readonly string[],
): void {
  if (name !== undefined) {
    if (isJsonObject(value)) examine(view, value[name], child(pointer, name), rest)
    else if (Array.isArray(value))
      for (const one of view.items<unknown>(value, pointer))
        examine(view, one.value, one.pointer, [name, ...rest])
  } else if (typeof value === 'string') {
    const text = stripStringLiterals(value)
    if (READS_RESPONSE.test(text) && !GUARDED.test(text))
      view.warning(pointer, 'expression_reads_response', UNKNOWN)
  } else if (Array.isArray(value)) {
    for (const item of view.items<unknown>(value, pointer)) examine(view, item.value, item.pointer, [])
  } else if (isJsonObject(value)) {
    for (const [key, one] of Object.entries(value))
      if (!texts.has(key)) examine(view, one, child(pointer, key), [])
  }
}

/** Fields without expressions. */
const texts = new Set(['key', 'remove', 'type', 'cost'])

const UNKNOWN = 'there is no response yet when this is asked: it always fails'
const READS_RESPONSE = /(?<![\w.])response\s*[.[]/
/** With these, an expression handles a missing response. */
const GUARDED = /(?<![\w.])(?:has|default|coalesce)\s*\(/
