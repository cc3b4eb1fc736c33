import type { Daemon } from '../daemon.ts'
import { gatewayBeside } from './gateway-beside.ts'
import { type RecordingProvider, startProvider } from './recording-provider.ts'

/** A gateway before a provider that records its requests. Both exist once the first test of the suite runs. */
export interface RecordedGateway {
  readonly daemon: Daemon
  /** The address for clients, without a path. */
  readonly origin: string
  readonly provider: RecordingProvider
}

/**
 * Starts both before the tests of a suite, and ends them after the last.
 *
 * @param configuration All but the admin servers of the process and the gateway, for the address of the provider.
 */
export const recordedGateway = (
  configuration: (host: string) => string,
  answer?: RecordingProvider['answer'],
): RecordedGateway => {
  const beside = gatewayBeside(
    () => startProvider(answer),
    (host) => `gateways:
  default: { address: 127.0.0.1, port: 0 }
${configuration(host)}`,
  )
  return {
    get daemon() {
      return beside.daemon
    },
    get origin() {
      return beside.origin
    },
    get provider() {
      return beside.service
    },
  }
}
