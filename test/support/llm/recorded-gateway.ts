import { after, before } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'
import { type RecordingProvider, startProvider } from './recording-provider.ts'

/** A gateway before a provider that remembers what it was asked. Both are there once the first test of the suite runs. */
export interface RecordedGateway {
  readonly daemon: Daemon
  /** Where clients connect to, without a path. */
  readonly origin: string
  readonly provider: RecordingProvider
}

/**
 * Starts both before the tests of a suite, and ends them after the last.
 *
 * @param configuration All but the servers of the process and the gateway, by the address of the provider.
 */
export const recordedGateway = (
  configuration: (host: string) => string,
  answer?: RecordingProvider['answer'],
): RecordedGateway => {
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    provider = await startProvider(answer)
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
${configuration(provider.host)}`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })
  return {
    get daemon() {
      return daemon
    },
    get origin() {
      return daemon.url('default')
    },
    get provider() {
      return provider
    },
  }
}
