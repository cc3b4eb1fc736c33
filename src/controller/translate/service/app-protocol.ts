import type { ServicePort } from '../../kinds/core.ts'

/** Protocols as in the file. */
export type AppProtocol = 'HTTP11' | 'HTTP2' | 'GRPC'

/** The protocol that a port announces; undefined if it has to be found out, or does not matter. */
export const appProtocol = ({
  appProtocol: announced,
}: Pick<ServicePort, 'appProtocol'>): AppProtocol | undefined =>
  announced === undefined ? undefined : PROTOCOLS.get(announced.toLowerCase())

const PROTOCOLS: ReadonlyMap<string, AppProtocol> = new Map([
  ['kubernetes.io/h2c', 'HTTP2'],
  ['http2', 'HTTP2'],
  ['h2c', 'HTTP2'],
  ['grpc', 'GRPC'],
  // Connections that are upgraded to WebSocket speak HTTP/1.1.
  ['kubernetes.io/ws', 'HTTP11'],
  ['kubernetes.io/wss', 'HTTP11'],
])
