import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listening, type UpstreamServer } from '../upstream-servers.ts'

/** A request to a provider, byte for byte. */
export interface ProviderCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Name, value … as received. */
  readonly rawHeaders: readonly string[]
  readonly bytes: Buffer
}

/** A response. */
export interface ProviderResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A provider that records its requests, with responses from the test. */
export interface RecordingProvider extends UpstreamServer {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly calls: ProviderCall[]
  /** The response to the next calls. */
  answer: ProviderResponse | ((call: ProviderCall, res: ServerResponse) => void)
}

/** Starts one that responds with a short chat completion. */
export const startProvider = async (
  answer: RecordingProvider['answer'] = jsonResponse(completion),
): Promise<RecordingProvider> => {
  const provider = { calls: [] as ProviderCall[], answer }
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    const { method = '', url = '', headers, rawHeaders } = req
    buffer(req).then(
      (bytes) => {
        const call = { method, path: url, headers, rawHeaders, bytes }
        provider.calls.push(call)
        const { answer: said } = provider
        if (typeof said === 'function') {
          said(call, res)
          return
        }
        res.writeHead(said.status ?? 200, said.headers)
        res.end(said.body)
      },
      () => res.destroy(),
    )
  })
  const upstream = await listening(server)
  return Object.assign(provider, upstream, { host: `127.0.0.1:${upstream.port}` })
}

/** A response of JSON. */
export const jsonResponse = (body: unknown, status = 200): ProviderResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** A response of server-sent events. */
export const streamResponse = (body: string): ProviderResponse => ({
  headers: { 'content-type': 'text/event-stream' },
  body,
})

/** The body of a call, parsed. */
export const jsonOf = ({ bytes }: ProviderCall): Record<string, unknown> =>
  JSON.parse(bytes.toString('utf8')) as Record<string, unknown>

/** A complete response of OpenAI Chat Completions (openai@6, `ChatCompletion`). */
export const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'served',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello.', refusal: null }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
}

/** A complete response of Anthropic Messages (@anthropic-ai/sdk, `Message`). */
export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'served',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 2 },
}

/** A complete response of Gemini (@google/genai, `GenerateContentResponse`). */
export const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
  modelVersion: 'served',
  responseId: 'r1',
}

/** A complete response of Bedrock Converse (@aws-sdk/client-bedrock-runtime, `ConverseResponse`). */
export const conversed = {
  output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11 },
  metrics: { latencyMs: 1 },
}

/** A complete response of OpenAI Responses (openai@6, `Response`). */
export const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  model: 'served',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
}
