import { encodeEventMessage, type EventStreamMessage } from './message.ts'

/** The content of a message, in the form of other event streams. */
export interface AwsEvent {
  /** The name of the event or the exception, such as `contentBlockDelta` or `throttlingException`. */
  readonly name: string | undefined
  /** JSON. */
  readonly data: string
}

/**
 * The event of a message. A message of type `error`, for failures outside of the service's model, becomes an
 * exception with the name of its code.
 */
export const eventOf = ({ headers, payload }: EventStreamMessage): AwsEvent => {
  const type = headers[':message-type']
  if (type === 'exception')
    return { name: headers[':exception-type'] ?? 'exception', data: payload.toString() }
  if (type !== 'error') return { name: headers[':event-type'], data: payload.toString() }
  return {
    name: exceptionName(headers[':error-code'] ?? 'internalServer'),
    data: JSON.stringify({ message: headers[':error-message'] ?? 'the stream broke' }),
  }
}

/** Encodes an event with a JSON payload. */
export const encodeEvent = (name: string, data: string): Buffer =>
  encodeEventMessage({
    headers: { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' },
    payload: Buffer.from(data),
  })

/** Encodes an exception, which ends a stream. */
export const encodeException = (name: string, data: string): Buffer =>
  encodeEventMessage({
    headers: { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' },
    payload: Buffer.from(data),
  })

const exceptionName = (code: string): string => (code.endsWith('Exception') ? code : `${code}Exception`)
