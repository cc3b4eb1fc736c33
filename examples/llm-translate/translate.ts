import { completions, Losses, messages, mergeUsage, type Usage } from 'agentgateway/protocols/llm'

/** Translates a Chat Completions request into Anthropic's format, with the fields that are dropped. */
export const asMessages = (body: Record<string, unknown>): { body: object; dropped: readonly string[] } => {
  const losses = new Losses()
  const request = completions.decodeRequest(body, {}, losses)
  return { body: messages.encodeRequest(request, losses), dropped: losses.fields }
}

/** Translates an Anthropic stream, event by event, into OpenAI's format. */
export const asChunks = (model: string) => {
  const decoder = messages.decodeStream()
  const encoder = completions.encodeStream({ model, includeUsage: true })
  let usage: Usage | undefined
  return {
    push(name: string, data: string): string {
      let text = ''
      decoder.push(name, data, (event) => {
        if (event.type === 'usage') usage = mergeUsage(usage, event.usage)
        text += encoder.encode(event)
      })
      return text
    },
    usage: () => usage,
  }
}
