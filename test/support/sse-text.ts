/** Events of a stream with the name of their `type`, as Anthropic and the Responses API write them. */
export const named = (events: readonly Readonly<Record<string, unknown>>[]): string =>
  events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** Events without a name, as Chat Completions and Gemini write them; a text is unchanged. */
export const unnamed = (events: readonly (Readonly<Record<string, unknown>> | string)[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
