import type { Environment } from './document/interpolate.ts'
import type { CheckedVariable, FormatCheck } from './format/format-check.ts'

/** Settings of the control plane from environment variables. */
export interface XdsVariables {
  readonly address?: string
  readonly tokenFile?: string
  readonly rootCa?: string
  readonly namespace?: string
  readonly gateway?: string
  readonly podName?: string
  readonly nodeName?: string
  readonly instanceIp?: string
  readonly clusterId?: string
  /** Additional metadata of streams, from `XDS_HEADER_*`. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** The variables of the control plane. */
export function xdsVariables(
  valid: (variable: CheckedVariable) => string | undefined,
  env: Environment,
): XdsVariables {
  const variables: Record<string, unknown> = {}
  for (const [name, field, check] of VARIABLES) {
    const value = valid({ name, check })
    if (value !== undefined) variables[field] = value
  }
  const headers = Object.keys(env)
    .filter((name) => HEADER.test(name))
    .flatMap((name): [string, string][] => {
      const value = valid({ name, check: headerValue, isSecret: true })
      return value === undefined ? [] : [[name.slice('XDS_HEADER_'.length).toLowerCase(), value]]
    })
  if (headers.length > 0) variables.headers = headers
  return variables
}

/** The address of a control plane: a scheme, a host and perhaps a port; the scheme may be missing. */
export const xdsAddressFormat: FormatCheck = (text) => {
  const url = URL.parse(withScheme(text))
  const isOrigin =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.hostname !== '' &&
    url.username + url.password + url.search + url.hash === '' &&
    url.pathname === '/'
  return isOrigin
    ? undefined
    : { expectation: 'must be an address such as https://controller.system.svc:9978' }
}

/** Without a scheme it is `https`. */
export const withScheme = (text: string): string => (text.includes('://') ? text : `https://${text}`)

const HEADER = /^XDS_HEADER_[A-Za-z0-9_.-]+$/
const anyText: FormatCheck = () => undefined
const headerValue: FormatCheck = (text) =>
  /^[\x20-\x7e]*$/.test(text) ? undefined : { expectation: 'must be printable ASCII' }
const label: FormatCheck = (text) =>
  /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text) && text.length <= 253
    ? undefined
    : { expectation: 'must be a name of Kubernetes: lower-case letters, digits, "-" and "."' }

const VARIABLES: readonly (readonly [name: string, field: keyof XdsVariables, check: FormatCheck])[] = [
  ['XDS_ADDRESS', 'address', xdsAddressFormat],
  ['XDS_AUTH_TOKEN', 'tokenFile', anyText],
  ['XDS_ROOT_CA', 'rootCa', anyText],
  ['NAMESPACE', 'namespace', label],
  ['GATEWAY', 'gateway', label],
  ['POD_NAME', 'podName', anyText],
  ['NODE_NAME', 'nodeName', anyText],
  ['INSTANCE_IP', 'instanceIp', anyText],
  ['CLUSTER_ID', 'clusterId', anyText],
]
