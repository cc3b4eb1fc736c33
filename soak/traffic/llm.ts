import { expectOneOf, type Traffic, type TrafficTarget, withTimeout } from './traffic.ts'

const send = (
  { url }: TrafficTarget,
  path: string,
  text: string,
  options: { readonly stream?: boolean; readonly model?: string; readonly signal: AbortSignal },
): Promise<Response> => {
  const { stream = false, model = 'mock', signal } = options
  const body = { model, max_tokens: 200, stream, messages: [{ role: 'user', content: text }] }
  // Lost in the translation to the format of the provider.
  const fields = model === 'translated' ? { seed: 7 } : {}
  const headers = { 'content-type': 'application/json' }
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers,
    signal,
    body: JSON.stringify({ ...body, ...fields }),
  })
}

const texts = ['mock:say write to someone@example.com please', 'mock:usage 100 20 cached=50 mock:words 20']

/** Complete answers in two client formats; each tenth request is rejected by a guard. */
const chat: Traffic = {
  name: 'chat',
  clients: 2,
  pauseMs: 60,
  call: (target, count) =>
    withTimeout('chat', async (signal) => {
      const path = count % 2 === 0 ? '/v1/chat/completions' : '/v1/messages'
      const isRejected = count % 10 === 3
      const text = isRejected ? 'forbidden-word' : (texts[count % texts.length] ?? '')
      const model = count % 6 === 4 ? 'translated' : 'mock'
      const response = await send(target, path, text, { signal, model })
      const answer = await response.text()
      expectOneOf('the status', response.status, isRejected ? 403 : 200)
      expectOneOf('an address in the answer', answer.includes('someone@example.com'), false)
    }),
}

/** Streams, a third of which is left in the middle, and some of which the provider breaks off. */
const streams: Traffic = {
  name: 'chat streams',
  clients: 2,
  pauseMs: 60,
  call: (target, count) =>
    withTimeout('chat streams', async (signal) => {
      const leaving = new AbortController()
      const text = count % 7 === 0 ? 'mock:words 50 mock:cut 5' : 'mock:words 60 mock:chunk-delay 2ms'
      const either = AbortSignal.any([signal, leaving.signal])
      const response = await send(target, '/v1/chat/completions', text, { stream: true, signal: either })
      expectOneOf('the status', response.status, 200)
      if (count % 3 === 0) {
        await response.body?.getReader().read()
        leaving.abort()
        return
      }
      const answer = await response.text().catch(() => 'broken off')
      signal.throwIfAborted()
      if (count % 7 !== 0) expectOneOf('the end of the stream', answer.trimEnd().endsWith('[DONE]'), true)
    }),
}

/** Traffic for language models. */
export const llmTraffic: readonly Traffic[] = [chat, streams]
