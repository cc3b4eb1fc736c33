import type { Bind } from '../../../model/resources/resources.ts'
import type { CompiledBind, Snapshot } from '../../../model/resources/snapshot.ts'
import type { ClientConnection } from '../connection/client-connection.ts'
import type { ConnectionActivity } from '../connection/connection-activity.ts'
import type { PortAddress, SocketOptions } from './port-address.ts'

/** Why a port stops accepting: the configuration has it no more, or the gateway ends. */
export type Retirement = 'removed' | 'draining'

/** One bind while it is open, for connections or for datagrams. */
export interface OpenPort {
  readonly key: string
  readonly transport: 'tcp' | 'udp'
  /** Undefined before it listens. */
  readonly address: PortAddress | undefined
  readonly isRetired: boolean
  /** The clients' connections, oldest first. The set changes while it is iterated. */
  readonly connections: ReadonlySet<ClientConnection>
  /** What passes as it is: connections, of which the client's side of some may have closed, or sessions of datagrams. */
  readonly raw: ReadonlySet<{ activity(): ConnectionActivity }>
  /** Applies a configuration, and returns its problems. */
  configure(snapshot: Snapshot, bind: CompiledBind): string[]
  /** Opens the socket; rejects if it cannot. */
  open(options: SocketOptions): Promise<void>
  /** Whether a bind has the address of the open socket. */
  listensAs(bind: Bind): boolean
  /** Stops accepting; resolves when nothing is left. */
  retire(why: Retirement): Promise<unknown>
  /** Resolves when another port may have the address. */
  stopAccepting(): Promise<void>
  /** Cuts what is left. */
  destroy(): void
}
