import assert from 'node:assert/strict'
import { type ReceivedResponse, sendRequest, type RequestParts } from '../send-request.ts'

/** A format of clients: its path, its requests, and its errors. */
export interface ClientFormat {
  readonly name: string
  readonly path: (model: string) => string
  readonly body: (model: string) => Readonly<Record<string, unknown>>
  /** The whole body of an error. */
  readonly error: (status: number, message: string, code: string) => unknown
}

const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'hi' }] })

const openAiError = (_: number, message: string, code: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
})

const words: Readonly<Record<number, string>> = { 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' }
const anthropicTypes: Readonly<Record<number, string>> = {
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
}
const awsTypes: Readonly<Record<number, string>> = {
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
}

export const completions: ClientFormat = {
  name: 'completions',
  path: () => '/v1/chat/completions',
  body: chat,
  error: openAiError,
}

export const responses: ClientFormat = {
  name: 'responses',
  path: () => '/v1/responses',
  body: (model) => ({ model, input: 'hi' }),
  error: openAiError,
}

export const embeddings: ClientFormat = {
  name: 'embeddings',
  path: () => '/v1/embeddings',
  body: (model) => ({ model, input: 'hi' }),
  error: openAiError,
}

export const messages: ClientFormat = {
  name: 'messages',
  path: () => '/v1/messages',
  body: (model) => ({ ...chat(model), max_tokens: 9 }),
  error: (status, message) => ({
    type: 'error',
    error: { type: anthropicTypes[status] ?? 'invalid_request_error', message },
  }),
}

export const generateContent: ClientFormat = {
  name: 'generateContent',
  path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  body: () => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  error: (status, message) => ({
    error: { code: status, message, status: words[status] ?? 'INVALID_ARGUMENT' },
  }),
}

export const converse: ClientFormat = {
  name: 'converse',
  path: (model) => `/model/${encodeURIComponent(model)}/converse`,
  body: () => ({ messages: [{ role: 'user', content: [{ text: 'hi' }] }] }),
  error: (status, message) => ({ __type: awsTypes[status] ?? 'ValidationException', message }),
}

/** Each of them, with the errors that its own SDK reads. */
export const clientFormats: readonly ClientFormat[] = [
  completions,
  responses,
  embeddings,
  messages,
  generateContent,
  converse,
]

/** Additional members of the request. */
export type ModelRequestParts = RequestParts & { readonly fields?: object; readonly query?: string }

/** Sends a model a request in one of the formats. */
export const callModel = (
  origin: string,
  { path, body }: Pick<ClientFormat, 'path' | 'body'>,
  model: string,
  { fields, query = '', ...asked }: ModelRequestParts = {},
): Promise<ReceivedResponse> =>
  sendRequest(origin, path(model) + query, {
    method: 'POST',
    ...asked,
    headers: { 'content-type': 'application/json', ...asked.headers },
    body: asked.body ?? JSON.stringify({ ...body(model), ...fields }),
  })

/** Requests a completion. */
export const complete = (
  origin: string,
  model: string,
  more?: ModelRequestParts,
): Promise<ReceivedResponse> => callModel(origin, completions, model, more)

/** Asserts the complete error that a client of a format gets. */
export const assertRefused = (
  { status, headers, text }: ReceivedResponse,
  { name, error }: Pick<ClientFormat, 'name' | 'error'>,
  said: { readonly status: number; readonly message: string; readonly code: string },
): void => {
  assert.equal(status, said.status, `${name}: ${text}`)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(text), error(said.status, said.message, said.code), name)
}
