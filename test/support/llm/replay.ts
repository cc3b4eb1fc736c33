import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'
import { type RecordingProvider, startProvider } from './recording-provider.ts'
import { sendTranscript } from './send-transcript.ts'

/** A gateway in front of a server that plays all providers from transcripts. */
export interface Replay extends AsyncDisposable {
  readonly daemon: Daemon
  readonly origin: string
  readonly server: RecordingProvider
}

export type ReplayModel = 'openai' | 'responses' | 'anthropic' | 'gemini' | 'bedrock'

/** Starts both. Streams are sent a few bytes at a time, split anywhere. */
export const startReplay = async (): Promise<Replay> => {
  const server = await startProvider((call, res) => {
    if (!sendTranscript(call, res)) res.writeHead(404).end()
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
