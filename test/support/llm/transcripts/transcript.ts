/**
 * What a provider says about one and the same question, whole and streamed, written by hand: it thinks `Two cities.`, says
 * `Let me look.`, and asks for the weather of Bern and of Rome. That took 1200 tokens of input, 1000 of them from a cache,
 * and 60 of output.
 */
export interface Transcript {
  readonly whole: string
  readonly stream: string | Buffer
  readonly streamType: string
}

/** Events with names, as OpenAI's Responses and Anthropic send them. */
export const namedEvents = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
