/** An event of a stream of Chat Completions with a text. */
export const chunk = (content: string): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })}\n\n`

/** The end of the stream. */
export const ending = (promptTokens = 3, completionTokens = 2): string =>
  [
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    {
      ...head,
      choices: [],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
    },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join('') + 'data: [DONE]\n\n'

/** A complete response. */
export const completion = (content: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'served',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', logprobs: null }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'served' }
