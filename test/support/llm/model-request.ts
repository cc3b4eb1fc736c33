import type { RequestParts } from '../send-request.ts'

/** The conversation formats of clients. */
export const dialects = ['completions', 'messages', 'responses', 'generateContent'] as const

export type Dialect = (typeof dialects)[number]

/** A request as a client of a format would send it. */
export interface DialectRequest {
  readonly path: string
  readonly request: RequestParts
}

/** Sends a model one message. */
export const userMessage = (
  dialect: Dialect,
  model: string,
  content: string,
  stream = false,
): DialectRequest => {
  const [path, body] = written[dialect](model, content, stream)
  const headers = { 'content-type': 'application/json' }
  return { path, request: { method: 'POST', headers, body: JSON.stringify(body) } }
}

type Write = (model: string, content: string, stream: boolean) => [path: string, body: object]

const written: Readonly<Record<Dialect, Write>> = {
  completions: (model, content, stream) => [
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content }], stream },
  ],
  messages: (model, content, stream) => [
    '/v1/messages',
    { model, max_tokens: 1000, messages: [{ role: 'user', content }], stream },
  ],
  responses: (model, content, stream) => ['/v1/responses', { model, input: content, stream }],
  generateContent: (model, content, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: content }] }] },
  ],
}
