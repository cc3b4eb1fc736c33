import type {
  Response,
  ResponseCreateParams,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'

// Everything in this folder was written by hand from the types and their comments in the package `openai` 7.57.0,
// `resources/responses/responses.d.ts`, and is checked against them by the compiler.

/** A request as it is on the wire. */
export type WireRequest = ResponseCreateParams

/** A response as it is on the wire: the SDK adds `output_text`, and few services send the programs of an account. */
export type WireResponse = Omit<Response, 'output_text' | 'access_programs'>

/** An event as it is on the wire. */
export type WireEvent =
  | Exclude<ResponseStreamEvent, { readonly response: Response }>
  | {
      readonly type: Extract<ResponseStreamEvent, { readonly response: Response }>['type']
      readonly sequence_number: number
      readonly response: WireResponse
    }

/** The text of a stream of events. */
export const sse = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
