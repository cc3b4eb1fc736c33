import { completions, Losses, messages, mergeUsage, type Usage } from 'agentgateway/protocols/llm'

/** A request of OpenAI's Chat Completions, as Anthropic wants it, and what there is no place for. */
export const asMessages = (body: Record<string, unknown>): { body: object; dropped: readonly string[] } => {
  const losses = new Losses()
  const request = completions.decodeRequest(body, {}, losses)
  return { body: messages.encodeRequest(request, losses), dropped: losses.fields }
}

/** A stream of Anthropic's, event by event, as a client of OpenAI reads it. */
export const asChunks = (model: string) => {
  const decoder = messages.decodeStream()
  const encoder = completions.encodeStream({ model, wantsUsage: true })
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
