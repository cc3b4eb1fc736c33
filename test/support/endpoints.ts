import { Endpoint, type EndpointOptions } from '../../src/upstream/load-balancing/endpoint.ts'
import { defaultUpstreamSettings } from '../../src/upstream/registry.ts'
import type { UpstreamServer } from './upstream-servers.ts'

/** An endpoint for a server on 127.0.0.1, with the defaults of the process. */
export const endpointAt = (port: number, options: Partial<EndpointOptions> = {}): Endpoint =>
  new Endpoint(
    { ip: '127.0.0.1', port },
    { ...defaultUpstreamSettings, poolMaxSize: undefined, tls: undefined, protocol: 'auto', ...options },
  )

/** Calls `act` with a connected endpoint of a server, and closes both. */
export const withEndpoint = async (
  server: UpstreamServer | Promise<UpstreamServer>,
  act: (endpoint: Endpoint, server: UpstreamServer) => Promise<void>,
  options: Partial<EndpointOptions> = {},
): Promise<void> => {
  await using up = await server
  const endpoint = endpointAt(up.port, options)
  try {
    await act(endpoint, up)
  } finally {
    await endpoint.destroy()
  }
}
