/** Sources of exchanges, configurations and signals. */
export type { RawSession } from '../model/exchange/raw-session.ts'
export type { TcpSession } from '../model/exchange/tcp-connection.ts'
export type { UdpSession } from '../model/exchange/udp-session.ts'
export { fileChanges } from './config/file-changes.ts'
export { snapshots, type SnapshotSteps } from './config/snapshots.ts'
export type {
  ConnectionEvents,
  ConnectionLabels,
  ConnectionProtocol,
  PortHooks,
  Responder,
  Responders,
} from './http/port/port-hooks.ts'
export { listen, type Listening, type ListenOptions } from './http/port/listen.ts'
export type { PortAddress } from './http/port/port-address.ts'
export { openPorts, type PortFailure, type PortOptions, type Ports } from './http/port/ports.ts'
export { signals } from './signals.ts'
