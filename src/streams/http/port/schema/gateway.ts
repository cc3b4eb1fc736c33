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
import { gatewayPolicyFields } from '../../../../config/schema/policies.ts'

const protocol = words('Protocol. Default: HTTPS with `tls`, otherwise HTTP.', [
  'HTTP',
  'HTTPS',
  'TCP',
  'TLS',
  'UDP',
])

/** Field of gateways and binds. */
export const address = ours(
  formatted('listenAddress', 'IP address to listen on, or `unix:/path`. Default: all addresses.'),
)

const gatewayListener = record(
  'A listener: host names of a gateway that share a certificate, policies and routes.',
  {
    name: text('Name. Default: `listener` and its position in the list.', { minLength: 1, maxLength: 253 }),
    hostname: formatted('hostnamePattern', 'Host name, as `name` or `*.suffix`. Default: all hosts.'),
    protocol,
    tls: ref('ServerTls'),
    ...gatewayPolicyFields,
  },
)

const gateway = record('A listening port and its protocol, policies and listeners.', {
  port: whole('Port. `0` selects a free port.', 0, 65535),
  address,
  protocol,
  tls: ref('ServerTls'),
  ...gatewayPolicyFields,
  listeners: listOf(
    ref('GatewayListener'),
    'Listeners that share the port. Protocol, TLS and policies are then set per listener.',
    { minItems: 1 },
  ),
})

/** Definitions of gateways. */
export const gatewayDefinitions: Properties = { GatewayListener: gatewayListener, Gateway: gateway }
