import { defaults } from '../../config/defaults.ts'
import { duration, flag, type Properties, record, ref, whole } from '../../config/schema/builders.ts'

const keepalives = record('TCP keepalive probes.', {
  enabled: flag('Whether probes are sent.', defaults.keepalives.enabled),
  time: duration('Idle time before the first probe.', defaults.keepalives.time),
  interval: duration('Time between probes.', defaults.keepalives.interval),
  retries: whole(
    'Number of unanswered probes after which the connection is closed.',
    1,
    255,
    defaults.keepalives.retries,
  ),
})

const tcp = record('TCP settings of connections to the backend.', {
  keepalives: ref('Keepalives'),
  connectTimeout: duration('Timeout for establishing a connection.', defaults.policyConnectTimeout),
})

/** Definitions of keepalive probes, for upstreams and clients. */
export const keepaliveDefinitions: Properties = { Keepalives: keepalives }

/** Definitions of `tcp`. */
export const upstreamTcpDefinitions: Properties = { UpstreamTcp: tcp }
