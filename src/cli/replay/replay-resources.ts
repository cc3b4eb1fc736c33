import { mergePolicies } from '../../config/merge-policies.ts'
import type { Bind, Resources } from '../../model/resources/resources.ts'
import { offlineResources, type OfflineResources } from '../offline/offline-resources.ts'
import type { Assumptions } from '../offline/undecided-policies.ts'

/**
 * The resources of a configuration that is replayed to: on free loopback ports, behind a PROXY header that has the
 * recorded addresses, without what depends on the outside.
 */
export const replayResources = (resources: Resources, assumptions: Assumptions): OfflineResources => {
  const { resources: offline, undecided } = offlineResources(mergePolicies(resources), assumptions)
  const binds = offline.binds.filter(({ protocol }) => protocol !== 'udp')
  const frontend = { ...offline.frontend, proxyProtocol: recordedAddresses }
  return { resources: { ...offline, frontend, binds: binds.map(onLoopback) }, undecided }
}

const recordedAddresses = { version: 'v1', mode: 'strict' } as const

const onLoopback = ({ frontend, ...bind }: Bind): Bind => ({
  ...bind,
  // Attached ones would replace the PROXY header that the recorded addresses come with.
  ...(frontend && { frontend: { ...frontend, proxyProtocol: recordedAddresses } }),
  address: '127.0.0.1',
  port: 0,
  listeners: bind.listeners.map((listener) => ({ ...listener, tcpRoutes: [] })),
})
