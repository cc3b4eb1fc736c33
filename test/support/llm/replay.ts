import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'
import { type RecordingProvider, startProvider } from './recording-provider.ts'
import { anthropic } from './transcripts/anthropic.ts'
import { bedrock } from './transcripts/bedrock.ts'
import { gemini } from './transcripts/gemini.ts'
import { openaiChat } from './transcripts/openai-chat.ts'
import { openaiResponses } from './transcripts/openai-responses.ts'
import type { Transcript } from './transcripts/transcript.ts'

/** A gateway in front of a server that plays all providers: whatever they are asked, they say what stands in a transcript. */
export interface Replay extends AsyncDisposable {
  readonly daemon: Daemon
  readonly origin: string
  readonly server: RecordingProvider
}

export type ReplayModel = 'openai' | 'responses' | 'anthropic' | 'gemini' | 'bedrock'

/** Starts both. Streams come a few bytes at a time, cut anywhere. */
export const startReplay = async (): Promise<Replay> => {
  const server = await startProvider(({ path, bytes }, res) => {
    const transcript = transcripts.find(([pattern]) => pattern.test(path))?.[1]
    if (!transcript) {
      res.writeHead(404).end()
      return
    }
    const { stream } = JSON.parse(bytes.toString()) as { stream?: boolean }
    if (stream !== true && !/stream/i.test(path)) {
      res.writeHead(200, { 'content-type': 'application/json' }).end(transcript.whole)
      return
    }
    res.writeHead(200, { 'content-type': transcript.streamType })
    const all = Buffer.from(transcript.stream)
    const next = (from: number): void => {
      if (from >= all.length) res.end()
      else res.write(all.subarray(from, from + STEP_BYTES), () => setImmediate(next, from + STEP_BYTES))
    }
    next(0)
  })
  const at = { baseUrl: `http://${server.host}` }
  const models: ({ name: ReplayModel } & Readonly<Record<string, unknown>>)[] = [
    { name: 'openai', provider: 'openai', params: { baseUrl: `${at.baseUrl}/v1`, apiKey: 'sk-o' } },
    {
      name: 'responses',
      provider: { custom: { formats: [{ type: 'responses' }] } },
      params: { baseUrl: `${at.baseUrl}/v1`, apiKey: 'sk-o' },
    },
    { name: 'anthropic', provider: 'anthropic', params: { baseUrl: `${at.baseUrl}/v1`, apiKey: 'sk-a' } },
    { name: 'gemini', provider: 'gemini', params: { baseUrl: `${at.baseUrl}/gemini`, apiKey: 'AIzaX' } },
    {
      name: 'bedrock',
      provider: 'bedrock',
      params: { baseUrl: `${at.baseUrl}/bedrock`, awsRegion: 'eu-west-1' },
      auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
    },
  ]
  const daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ gateways: ['default'], models })}
`)
  return {
    daemon,
    origin: daemon.url('default'),
    server,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const STEP_BYTES = 61

const transcripts: readonly (readonly [RegExp, Transcript])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropic],
  [/:(generateContent|streamGenerateContent\?alt=sse)$/, gemini],
  [/\/converse(-stream)?$/, bedrock],
]
