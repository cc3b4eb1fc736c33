/**
 * Responses of a provider to the same request, complete and streamed, written by hand: it thinks `Two cities.`, writes
 * `Let me look.`, and calls the weather of Bern and of Rome. The usage is 1200 tokens of input, 1000 of them from a
 * cache, and 60 of output.
 */
export interface Transcript {
  readonly whole: string
  readonly stream: string | Buffer
  readonly streamType: string
}

/** Events with names, as OpenAI's Responses and Anthropic send them. */
export const namedEvents = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
