import { isJsonObject } from '../../protocols/json/json-object.ts'
import { child } from '../instance-path.ts'
import { policyContainers } from './policy-containers.ts'
import type { Examine, View } from './view.ts'
import { withoutTexts } from './without-texts.ts'

/** Expressions that are asked before there is a response, and read it all the same: they always fail. */
export const examineResponseReads: Examine = (view) => {
  for (const { policies, pointer } of policyContainers(view))
    for (const [policy = '', ...path] of places) {
      const value = (policies as Fields)[policy]
      const at = child(pointer, policy)
      for (const one of alternatives(view, value, at)) examine(view, one.value, one.pointer, path)
    }
}

/** Where such expressions are; what follows the path are expressions, and lists and objects of them. */
const places: readonly (readonly string[])[] = [
  ['apiKey', 'location', 'expression'],
  ['basicAuth', 'authorizationLocation', 'expression'],
  ['delay', 'duration'],
  ['directResponse', 'condition'],
  ['directResponse', 'bodyExpression'],
  ['directResponse', 'headers'],
  ['extAuthz', 'condition'],
  ['extAuthz', 'protocol', 'http', 'path'],
  ['extAuthz', 'protocol', 'http', 'body'],
  ['extAuthz', 'protocol', 'http', 'addRequestHeaders'],
  ['extProc', 'condition'],
  ['extProc', 'requestAttributes'],
  ['jwtAuth', 'location', 'expression'],
  ['localRateLimit', 'condition'],
  ['remoteRateLimit', 'condition'],
  ['remoteRateLimit', 'descriptors'],
  ['retry', 'precondition'],
  ['transformations', 'request'],
]

type Fields = Readonly<Record<string, unknown>>
interface Place {
  readonly value: unknown
  readonly pointer: string
}

/** The policy itself, or each one of which the first is chosen whose condition holds. */
function alternatives(view: View, value: unknown, pointer: string): readonly Place[] {
  const { conditional } = isJsonObject(value) ? value : {}
  return Array.isArray(conditional)
    ? view.items<unknown>(conditional, child(pointer, 'conditional'))
    : [{ value, pointer }]
}

function examine(view: View, value: unknown, pointer: string, [name, ...rest]: readonly string[]): void {
  if (name !== undefined) {
    if (isJsonObject(value)) examine(view, value[name], child(pointer, name), rest)
  } else if (typeof value === 'string') {
    const text = withoutTexts(value)
    if (READS_RESPONSE.test(text) && !GUARDED.test(text))
      view.warning(pointer, 'expression_reads_response', UNKNOWN)
  } else if (Array.isArray(value)) {
    for (const item of view.items<unknown>(value, pointer)) examine(view, item.value, item.pointer, [])
  } else if (isJsonObject(value)) {
    for (const [key, one] of Object.entries(value))
      if (!texts.has(key)) examine(view, one, child(pointer, key), [])
  }
}

/** Fields that are no expressions, nor hold any. */
const texts = new Set(['key', 'remove', 'type', 'cost'])

const UNKNOWN = 'there is no response yet when this is asked: it always fails'
const READS_RESPONSE = /(?<![\w.])response\s*[.[]/
/** Whoever writes these knows that there may be none. */
const GUARDED = /(?<![\w.])(?:has|default|coalesce)\s*\(/
