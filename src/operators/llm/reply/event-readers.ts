import { AwsEventDecoder } from '../../../protocols/aws-event-stream/decoder.ts'
import { EventParser } from '../../../protocols/sse/event-parser.ts'
import type { EventSource, EventTaker } from './translated-stream.ts'

/** The content type of frames of AWS. */
export const AWS_STREAM = 'application/vnd.amazon.eventstream'

/** Reads the events of a stream in this form. */
export const eventsOf = (form: 'sse' | 'aws', limitBytes: number): ((taker: EventTaker) => EventSource) =>
  (form === 'aws' ? awsEvents : sseEvents)(limitBytes)

/** Server-sent events. */
const sseEvents =
  (limitBytes: number) =>
  (taker: EventTaker): EventSource => {
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
        // Some leave out the blank line behind the last event.
        parser.push(blankLine)
        parser.end()
      },
    }
  }

/** The frames of AWS, whose payloads are JSON. */
export const awsEvents =
  (limitBytes: number) =>
  (taker: EventTaker): EventSource => {
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
