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

const protocol = words('What is spoken. Default: HTTPS with `tls`, otherwise HTTP.', [
  'HTTP',
  'HTTPS',
  'TCP',
  'TLS',
])

/** A field of gateways and binds that the reference does not have. */
export const address = ours(
  formatted('listenAddress', 'The one IP address to listen on, or `unix:/path`. Default: all addresses.'),
)

const gatewayListener = record('Host names of a gateway that share a certificate, policies and routes.', {
  name: text('Its name. Default: `listener` and its place in the list.', { minLength: 1, maxLength: 253 }),
  hostname: formatted('hostnamePattern', 'The host, or `*.suffix`. Default: every host.'),
  protocol,
  tls: ref('ServerTls'),
  ...gatewayPolicyFields,
})

const gateway = record('A port and what is spoken on it.', {
  port: whole('The port. 0 opens any free one.', 0, 65535),
  address,
  protocol,
  tls: ref('ServerTls'),
  ...gatewayPolicyFields,
  listeners: listOf(
    ref('GatewayListener'),
    'Several listeners on one port. Protocol, TLS and policies are then set on them.',
    { minItems: 1 },
  ),
})

/** Schema definitions of gateways. */
export const gatewayDefinitions: Properties = { GatewayListener: gatewayListener, Gateway: gateway }
