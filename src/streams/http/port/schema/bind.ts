import { address } from './gateway.ts'
import {
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from '../../../../config/schema/builders.ts'

const name = { minLength: 1, maxLength: 253 }

const bindListener = record(
  'A listener: host names of a bind that share a certificate, policies and routes.',
  {
    name: text('Name. Default: `listener` and its position in the list.', name),
    namespace: { ...text('Namespace of the gateway.', name), default: 'default' },
    gatewayName: ours({
      ...text('Name of the gateway, to which policies and metrics refer.', name),
      default: 'default',
    }),
    listenerSet: ours(
      record(
        'The ListenerSet that adds the listener to the gateway, as a target of policies.',
        { namespace: text('Namespace.', name), name: text('Name.', name) },
        { required: ['namespace', 'name'] },
      ),
    ),
    hostname: formatted('hostnamePattern', 'Host name, as `name` or `*.suffix`. Default: all hosts.'),
    protocol: {
      ...words('Protocol.', ['HTTP', 'HTTPS', 'TLS', 'TCP', 'UDP', 'HBONE'], 'HTTP'),
      'x-notSupportedYet': ['HBONE'],
    },
    tls: ref('ServerTls'),
    routes: listOf(ref('Route'), 'HTTP routes.'),
    tcpRoutes: listOf(ref('TcpRoute'), 'TCP routes.'),
    udpRoutes: ours(listOf(ref('UdpRoute'), 'UDP routes.')),
    policies: ref('GatewayPolicies'),
  },
)

const bind = record(
  'A port with its listeners, in the older form. New configurations use `gateways` and `routes`.',
  {
    port: whole('Port. `0` selects a free port. Required unless `mode` is `internal`.', 0, 65535),
    address,
    listeners: listOf(ref('BindListener'), 'Listeners.'),
    tunnelProtocol: {
      ...words(
        'Protocol that precedes the traffic of a connection.',
        ['direct', 'hboneWaypoint', 'hboneGateway', 'proxy', 'connect'],
        'direct',
      ),
      'x-notSupportedYet': ['hboneWaypoint', 'hboneGateway'],
    },
    mode: words(
      '`internal` opens no socket; the bind is reachable only through CONNECT tunnels.',
      ['standard', 'internal'],
      'standard',
    ),
  },
  { required: ['listeners'] },
)

/** Definitions of binds. */
export const bindDefinitions: Properties = { BindListener: bindListener, Bind: bind }
