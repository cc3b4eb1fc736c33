/** What a caller says of the trace that its request belongs to. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly sampled: boolean
}

/**
 * Reads the field `traceparent` (W3C Trace Context section 3.2); undefined for what it forbids. Versions to come are
 * read as far as they are known to begin alike.
 *
 * @example
 * parseTraceParent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')?.sampled // true
 */
export const parseTraceParent = (value: string): TraceParent | undefined => {
  const match = form.exec(value)
  if (!match) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', more = ''] = match
  if (version === 'ff' || (version === '00' && more !== '')) return undefined
  if (isZero.test(traceId) || isZero.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const isZero = /^0+$/
const SAMPLED = 1
