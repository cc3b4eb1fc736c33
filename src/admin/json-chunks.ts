import { LateParts } from '../model/trace/lazy-json.ts'
import { redacted, type Redaction } from '../model/trace/redact.ts'
import { isNamedSecret, redactValue } from '../model/trace/redact-value.ts'

/** Maximum depth of the walk; values below are small enough to be encoded in one go. */
const walkedDepth = 6

/**
 * JSON of plain data in small parts, indented by two, credentials redacted. Joined, the parts are
 * `JSON.stringify(redactValue(value), null, 2)`.
 */
export const jsonParts = (value: unknown, redaction: Redaction): Generator<string, void, undefined> =>
  walk(value, redaction, '', 0)

function* walk(
  value: unknown,
  redaction: Redaction,
  indent: string,
  depth: number,
): Generator<string, void, undefined> {
  if (depth >= walkedDepth || !isLarge(value)) {
    const json = JSON.stringify(redactValue(value, redaction), null, 2) as string | undefined
    yield (json ?? 'null').replaceAll('\n', `\n${indent}`)
    return
  }
  const isList = value instanceof LateParts ? value.isList : Array.isArray(value)
  const inner = `${indent}  `
  let before = isList ? '[' : '{'
  for (const [key, one] of partsOf(value)) {
    if (!isList && one === undefined) continue
    yield `${before}\n${inner}${isList ? '' : `${JSON.stringify(key)}: `}`
    const shown = !isList && isNamedSecret(key, one, redaction) ? redacted : one
    yield* walk(shown, redaction, inner, depth + 1)
    before = ','
  }
  yield before === ',' ? `\n${indent}${isList ? ']' : '}'}` : isList ? '[]' : '{}'
}

const partsOf = (value: Large): Iterable<readonly [key: string, part: unknown]> =>
  value instanceof LateParts ? value : Object.entries(value)

type Large = LateParts | readonly unknown[] | Readonly<Record<string, unknown>>

/**
 * Only values that contain lists or objects are walked; the rest is a few lines, and its fields belong together. So do
 * a name and its value, because the name decides about redaction.
 */
const isLarge = (value: unknown): value is Large =>
  value instanceof LateParts ||
  (typeof value === 'object' &&
    value !== null &&
    !(value instanceof Map) &&
    !('name' in value && 'value' in value) &&
    Object.values(value).some((one) => typeof one === 'object' && one !== null))
