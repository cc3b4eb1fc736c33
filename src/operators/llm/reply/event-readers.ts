import { AwsEventDecoder } from '../../../protocols/aws-event-stream/decoder.ts'
import { EventParser } from '../../../protocols/sse/event-parser.ts'
import type { EventSource, EventHandler } from './translated-stream.ts'

/** The content type of AWS frames. */
export const AWS_STREAM_TYPE = 'application/vnd.amazon.eventstream'

/** Creates a reader for the events of a stream. */
export const eventsOf = (form: 'sse' | 'aws', limitBytes: number): ((taker: EventHandler) => EventSource) =>
  (form === 'aws' ? awsEvents : sseEvents)(limitBytes)

/** Server-sent events. */
const sseEvents =
  (limitBytes: number) =>
  (taker: EventHandler): EventSource => {
    const parser = new EventParser(
      {
        event: ({ event, data }) => {
          taker.event(event, data)
        },
        overflow: () => {
          taker.broken(`an event of the stream exceeds the limit of ${String(limitBytes)} bytes`)
        },
      },
      limitBytes,
    )
    return {
      push: (chunk) => {
        parser.push(chunk)
      },
      end: () => {
        // Some servers omit the blank line after the last event.
        parser.push(blankLine)
        parser.end()
      },
    }
  }

/** AWS frames with JSON payloads. */
export const awsEvents =
  (limitBytes: number) =>
  (taker: EventHandler): EventSource => {
    const decoder = new AwsEventDecoder(limitBytes, taker)
    return {
      push: (chunk) => {
        decoder.push(chunk)
      },
      end: () => {
        decoder.end()
      },
    }
  }

const blankLine = Buffer.from('\n\n')
