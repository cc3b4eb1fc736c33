import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'

/** A daemon with mock models of several formats. */
export interface Mocks extends AsyncDisposable {
  readonly daemon: Daemon
  /** The address for clients, without a path. */
  readonly origin: string
}

/**
 * The models: `plain` supports every format, so that nothing is translated; each of the others supports one, so that
 * other formats are translated.
 */
const models = {
  plain: 'mock',
  'by-completions': { mock: { formats: ['completions', 'embeddings'] } },
  'by-messages': { mock: { formats: ['messages', 'anthropicTokenCount'] } },
  'by-responses': { mock: { formats: ['responses'] } },
  'by-gemini': { mock: { formats: ['generateContent', 'geminiCountTokens'] } },
} as const

export type MockModel = keyof typeof models

/** Starts it. */
export const startMocks = async (): Promise<Mocks> => {
  const daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  gateways: [default]
  models: ${JSON.stringify(Object.entries(models).map(([name, provider]) => ({ name, provider })))}
`)
  return {
    daemon,
    origin: daemon.url('default'),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
