import { defaults } from '../../config/defaults.ts'
import { duration, flag, type Properties, record, ref, whole } from '../../config/schema/builders.ts'

const keepalives = record('Probes on idle TCP connections.', {
  enabled: flag('Whether probes are sent.', defaults.keepalives.enabled),
  time: duration('Idle time before the first probe.', defaults.keepalives.time),
  interval: duration('Time between probes.', defaults.keepalives.interval),
  retries: whole('Unanswered probes before the connection is given up.', 1, 255, defaults.keepalives.retries),
})

const tcp = record('How connections to the backend are made.', {
  keepalives: ref('Keepalives'),
  connectTimeout: duration('How long connecting may take.', defaults.policyConnectTimeout),
})

/** Definitions about keepalive probes, of upstreams and of clients. */
export const keepaliveDefinitions: Properties = { Keepalives: keepalives }

/** Definitions about `tcp`. */
export const upstreamTcpDefinitions: Properties = { UpstreamTcp: tcp }
