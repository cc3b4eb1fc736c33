/** The caller's trace context. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly sampled: boolean
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
  const [, version = '', traceId = '', spanId = '', flags = '', more = ''] = match
  if (version === 'ff' || (version === '00' && more !== '')) return undefined
  if (isZero.test(traceId) || isZero.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}

const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const isZero = /^0+$/
const SAMPLED = 1
