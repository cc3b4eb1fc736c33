/** Where exchanges, configurations and signals come from. */
export type { RawSession } from '../model/raw-session.ts'
export { fileChanges } from './config/file-changes.ts'
export { snapshots, type SnapshotSteps } from './config/snapshots.ts'
export type {
  ConnectionEvents,
  ConnectionLabels,
  ConnectionProtocol,
  Gate,
  Responder,
  Responders,
} from './http/gate.ts'
export { listen, type Listening, type ListenOptions } from './http/listen.ts'
export type { PortAddress } from './http/port-address.ts'
export { openPorts, type PortFailure, type PortOptions, type Ports } from './http/ports.ts'
export { signals } from './signals.ts'
