/** The caller's trace context. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly sampled: boolean
  /** Whether the caller drew the trace id at random (level 2 of the specification). */
  readonly isRandom: boolean
}

/**
 * Parses the field `traceparent` (W3C Trace Context section 3.2); undefined for invalid values. Of later
 * versions, the fields of version 00 are read.
 *
 * @example
 * parseTraceParent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')?.sampled // true
 */
export const parseTraceParent = (value: string): TraceParent | undefined => {
  const match = pattern.exec(value)
  if (!match) return undefined
  const [, version = '', traceId = '', spanId = '', flagDigits = '', more = ''] = match
  if (version === 'ff' || (version === '00' && more !== '')) return undefined
  if (isZero.test(traceId) || isZero.test(spanId)) return undefined
  const flags = Number.parseInt(flagDigits, 16)
  return { traceId, spanId, sampled: (flags & SAMPLED) !== 0, isRandom: (flags & RANDOM) !== 0 }
}

const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const isZero = /^0+$/
const SAMPLED = 1
/** The flag that the trace id is random. */
export const RANDOM = 2

/**
 * Combines the fields `tracestate` of a request (section 3.3) to the value that is sent on. Undefined if there are no
 * members, or if one is invalid or there are more than 32: then the whole is discarded. A value that is too long loses
 * members of more than 128 characters first, then those at its end.
 *
 * @example
 * combineTraceState(['rojo=1 , congo=2', '', 'x=3']) // 'rojo=1,congo=2,x=3'
 */
export const combineTraceState = (values: readonly string[]): string | undefined => {
  let members = values
    .join(',')
    .split(',')
    .map((member) => member.replaceAll(outerBlanks, ''))
    .filter((member) => member !== '')
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined
  if (!members.every((member) => isMember.test(member))) return undefined
  if (lengthOf(members) > MAX_LENGTH) members = members.filter(({ length }) => length <= LONG_MEMBER)
  while (lengthOf(members) > MAX_LENGTH) members.pop()
  return members.length > 0 ? members.join(',') : undefined
}

const lengthOf = (members: readonly string[]): number =>
  members.reduce((sum, { length }) => sum + length + 1, -1)

const outerBlanks = /^[ \t]+|[ \t]+$/g
/** A key, perhaps of a tenant, and a value that neither contains `,` and `=` nor ends with a blank. */
const isMember =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/
const MAX_MEMBERS = 32
const LONG_MEMBER = 128
/** Twice the length that every implementation must pass on. */
const MAX_LENGTH = 1_024
