import { encodeMessage, type EventStreamMessage } from './message.ts'

/** What a message says, in the terms of any other stream of events. */
export interface AwsEvent {
  /** Of the event or the exception, such as `contentBlockDelta` or `throttlingException`. */
  readonly name: string | undefined
  /** JSON. */
  readonly data: string
}

/**
 * What a message says. One of the type `error`, with which a service gives up outside of its own vocabulary, becomes an
 * exception by the name of its code.
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

/** The message for an event with a JSON payload. */
export const encodeEvent = (name: string, data: string): Buffer =>
  encodeMessage({
    headers: { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' },
    payload: Buffer.from(data),
  })

/** The message for an exception, which ends a stream. */
export const encodeException = (name: string, data: string): Buffer =>
  encodeMessage({
    headers: { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' },
    payload: Buffer.from(data),
  })

const exceptionName = (code: string): string => (code.endsWith('Exception') ? code : `${code}Exception`)
