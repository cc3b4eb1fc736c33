import type { TraceEvent, TraceMessage } from '../../model/trace/trace-event.ts'

/**
 * Whether a value of a file is a trace event: what is read of its type has the right shape. Events of unknown types
 * count, because later versions may have more.
 *
 * @example
 * isTraceEvent({ message: { type: 'bodySnapshot', body: 5 } }) // false
 */
export const isTraceEvent = (value: unknown): value is TraceEvent => {
  if (!isObject(value) || !isObject(value.message)) return false
  const { message } = value
  if (typeof message.type !== 'string') return false
  return shapes[message.type as TraceMessage['type']]?.(message) ?? true
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const hasState = ({ requestState: state }: Fields): boolean =>
  isObject(state) &&
  [state.proxy, state.backend, state.source].every((one) => isAbsent(one) || isObject(one)) &&
  [state.request, state.response].every(
    (one) =>
      isAbsent(one) ||
      (isObject(one) &&
        (one.headers === undefined || isObject(one.headers)) &&
        [one.method, one.host, one.pathAndQuery].every((text) => isAbsent(text) || typeof text === 'string')),
  )

const shapes: Readonly<Partial<Record<TraceMessage['type'], (message: Fields) => boolean>>> = {
  requestSnapshot: hasState,
  responseSnapshot: hasState,
  bodySnapshot: ({ body }) => typeof body === 'string',
  policySelection: ({ effectivePolicy }) => isObject(effectivePolicy),
  routeSelection: ({ evaluatedRoutes }) => Array.isArray(evaluatedRoutes),
  authorizationResult: ({ rules }) => Array.isArray(rules),
}
