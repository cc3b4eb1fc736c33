import { after, before } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'

/** A gateway, and the service behind it. Both exist once the first test of the suite runs. */
export interface GatewayBeside<Service> {
  readonly daemon: Daemon
  /** The address for clients, without a path. */
  readonly origin: string
  readonly service: Service
}

/**
 * Starts both before the tests of a suite, and ends them after the last.
 *
 * @param configuration All but the admin servers of the process, for the address of the service. It has a gateway
 * `default`.
 */
export const gatewayBeside = <Service extends AsyncDisposable & { readonly host: string }>(
  start: () => Promise<Service>,
  configuration: (host: string) => string,
): GatewayBeside<Service> => {
  let service: Service
  let daemon: Daemon
  before(async () => {
    service = await start()
    daemon = await startDaemon(`${anyPorts}${configuration(service.host)}`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  return {
    get daemon() {
      return daemon
    },
    get origin() {
      return daemon.url('default')
    },
    get service() {
      return service
    },
  }
}
