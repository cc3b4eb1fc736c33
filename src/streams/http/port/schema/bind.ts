import { address } from './gateway.ts'
import {
  formatted,
  listOf,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from '../../../../config/schema/builders.ts'

const name = { minLength: 1, maxLength: 253 }

const bindListener = record('Host names of a bind that share a certificate, policies and routes.', {
  name: text('Its name. Default: `listener` and its place in the list.', name),
  namespace: { ...text('The namespace of the gateway it belongs to.', name), default: 'default' },
  hostname: formatted('hostnamePattern', 'The host, or `*.suffix`. Default: every host.'),
  protocol: {
    ...words('What is spoken.', ['HTTP', 'HTTPS', 'TLS', 'TCP', 'HBONE'], 'HTTP'),
    'x-notSupportedYet': ['HBONE'],
  },
  tls: ref('ServerTls'),
  routes: listOf(ref('Route'), 'HTTP routes.'),
  tcpRoutes: listOf(ref('TcpRoute'), 'TCP routes.'),
  policies: ref('GatewayPolicies'),
})

const bind = record(
  'A port with its listeners, in the older form. New configurations use `gateways` and `routes`.',
  {
    port: whole(
      'The port. 0 opens any free one. Only a bind with `mode: internal` may do without.',
      0,
      65535,
    ),
    address,
    listeners: listOf(ref('BindListener'), 'Its listeners.'),
    tunnelProtocol: {
      ...words(
        'What connections begin with.',
        ['direct', 'hboneWaypoint', 'hboneGateway', 'proxy', 'connect'],
        'direct',
      ),
      'x-notSupportedYet': ['hboneWaypoint', 'hboneGateway'],
    },
    mode: words(
      '`internal` opens no socket: only CONNECT tunnels lead to it.',
      ['standard', 'internal'],
      'standard',
    ),
  },
  { required: ['listeners'] },
)

/** Schema definitions of binds. */
export const bindDefinitions: Properties = { BindListener: bindListener, Bind: bind }
