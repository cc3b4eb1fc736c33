import assert from 'node:assert/strict'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'
import type { BackendTarget, Resources } from '../../src/model/resources/resources.ts'
import { Registry, type RegistryOptions } from '../../src/upstream/registry.ts'
import { backendsAt, snapshotOf } from './resources.ts'
import type { UpstreamRecorder } from './upstream-recorder.ts'

export const encrypted: BackendPolicies = {
  backendTLS: { insecure: true, insecureHost: true, subjectAltNames: [], hostname: 'up.test' },
}

export const http2: BackendPolicies = { ...encrypted, http: { version: '2' } }

/** Connection attempts last longer than any test. */
export const longConnects = {
  keepalives: { enabled: true, timeMs: 1_000, intervalMs: 1_000, retries: 3 },
  connectTimeoutMs: 600_000,
  poolIdleTimeoutMs: 10_000,
}

/** Calls `act` with a registry whose connection attempts last longer than any test. */
export const withLongConnects = async (
  options: RegistryOptions,
  act: (registry: Registry) => Promise<void>,
): Promise<void> => {
  const registry = new Registry({ upstream: longConnects, random: () => 0, ...options })
  try {
    await act(registry)
  } finally {
    await registry.close()
  }
}

interface AtPort {
  readonly port: number
}

/** A service whose ports 80 and 81 have one endpoint for each of the servers. */
export const serviceAt = (servers: readonly AtPort[], others: readonly AtPort[] = []): Resources => ({
  ...backendsAt({}),
  services: [{ name: 'api', namespace: 'shop', hostname: 'api.shop', ports: {}, vips: [] }],
  workloads: [...workloads(80, servers), ...workloads(81, others)],
})

const workloads = (servicePort: number, servers: readonly AtPort[]) =>
  servers.map(({ port }) => ({
    uid: `${String(servicePort)} ${String(port)}`,
    name: 'api',
    namespace: 'shop',
    addresses: ['127.0.0.1'],
    services: { 'shop/api.shop': { [servicePort]: port } },
    status: 'healthy' as const,
  }))

export const service = { kind: 'service', name: 'shop/api.shop', port: 80 } as const

export const sessionOf = (registry: Registry, resources: Resources) =>
  registry.session(resourceIndex(resources), () => assert.fail())

/** Puts resources in force, with requests that will be under way when the next ones are. */
export const commitService = (
  registry: Registry,
  resources: Resources,
  policies: BackendPolicies = encrypted,
  target: BackendTarget = service,
) => {
  const session = sessionOf(registry, resources)
  const found = session.upstream(target, policies)!
  session.upstream({ ...service, port: 81 }, policies)
  session.commit({ ...snapshotOf(resources), exchanges: 1 })
  return found
}

/** The text of a response, or its fault. */
export const textOf = async (response: UpstreamRecorder): Promise<string> => {
  const { body, fault } = await response.responded
  return body ? String(await body.read(1_000_000)) : `${String(fault?.status)} ${String(fault?.code)}`
}
