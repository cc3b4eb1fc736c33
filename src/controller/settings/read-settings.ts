import { hostname } from 'node:os'
import { levelNamed, type LogLevel } from '../../model/log/log-level.ts'
import type { ControllerSettings, XdsMode } from './controller-settings.ts'
import { parseSelectors } from './parse-selectors.ts'

/** An environment that the control plane cannot run with: one line for each problem. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * Reads the settings of the control plane. Empty variables count as not set.
 *
 * @param version Of the image of the proxies, unless a tag is set.
 * @throws SettingsError with every problem.
 */
export const readSettings = (
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): ControllerSettings => {
  const variables = new Variables(env)
  const registry = variables.text('AGW_PROXY_IMAGE_REGISTRY', 'cr.agentgateway.dev')
  const repository = variables.text('AGW_PROXY_IMAGE_REPOSITORY', 'agentgateway')
  const tag = variables.text('AGW_PROXY_IMAGE_TAG', `v${version}`)
  const settings: ControllerSettings = {
    logLevel: variables.read('AGW_LOG_LEVEL', 'info', logLevel),
    translation: {
      controllerName: variables.text('AGW_CONTROLLER_NAME', 'agentgateway.dev/agentgateway'),
      gatewayClassName: variables.text('AGW_AGENTGATEWAY_CLASS_NAME', 'agentgateway'),
      clusterDomain: variables.text('CLUSTER_DOMAIN', 'cluster.local'),
    },
    discoveryNamespaces: variables.read('AGW_DISCOVERY_NAMESPACE_SELECTORS', '[]', parseSelectors),
    xds: {
      mode: variables.read('AGW_XDS_MODE', 'plaintext', xdsMode),
      isAuthenticated: variables.read('AGW_XDS_AUTH', 'true', flag),
      port: variables.read('AGW_AGENTGATEWAY_XDS_SERVICE_PORT', '9978', port),
      serviceName: variables.text('AGW_XDS_SERVICE_NAME', 'agentgateway'),
      host: variables.optional('AGW_XDS_SERVICE_HOST'),
      additionalHosts: variables.read('AGW_ADDITIONAL_XDS_TLS_HOSTS', '', list),
    },
    proxy: {
      image: registry === '' ? `${repository}:${tag}` : `${registry}/${repository}:${tag}`,
      pullPolicy: variables.optional('AGW_PROXY_IMAGE_PULL_POLICY'),
    },
    noListenersPort: variables.read('AGW_NO_LISTENERS_DUMMY_PORT', '443', port),
    isLeaderElected: !variables.read('AGW_DISABLE_LEADER_ELECTION', 'false', flag),
    pod: {
      name: variables.text('POD_NAME', hostname()),
      namespace: variables.text('POD_NAMESPACE', 'agentgateway-system'),
    },
    ports: {
      health: variables.read('AGW_HEALTH_PORT', '9093', port),
      metrics: variables.read('AGW_METRICS_PORT', '9092', port),
      admin: variables.read('AGW_ADMIN_PORT', '9095', port),
    },
  }
  variables.refuseUnknown()
  return settings
}

const PREFIX = 'AGW_'

/** What a text of a variable means, or a problem. */
type Parse<T> = (text: string) => { readonly value: T } | { readonly expected: string }

class Variables {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #known = new Set<string>()
  readonly #problems: string[] = []

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  optional(name: string): string | undefined {
    this.#known.add(name)
    const text = this.#env[name]?.trim()
    return text === '' ? undefined : text
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback
  }

  read<T>(name: string, fallback: string, parse: Parse<T>): T {
    const written = this.optional(name)
    const parsed = parse(written ?? fallback)
    if ('value' in parsed) return parsed.value
    this.#problems.push(`${name}: ${JSON.stringify(written)} must be ${parsed.expected}`)
    return this.read(name, fallback, () => parse(fallback))
  }

  /** A variable with a misspelt name would otherwise be without effect, silently. */
  refuseUnknown(): void {
    for (const name of Object.keys(this.#env))
      if (name.startsWith(PREFIX) && !this.#known.has(name)) this.#problems.push(`${name}: no such variable`)
    if (this.#problems.length > 0) throw new SettingsError(this.#problems.join('\n'))
  }
}

const flag: Parse<boolean> = (text) => {
  const value = { true: true, '1': true, false: false, '0': false }[text.toLowerCase()]
  return value === undefined ? { expected: 'true or false' } : { value }
}

const port: Parse<number> = (text) => {
  const value = Number(text)
  return /^\d{1,5}$/.test(text) && value <= 65_535 ? { value } : { expected: 'a port' }
}

const list: Parse<readonly string[]> = (text) => ({
  value: text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
})

const logLevel: Parse<LogLevel> = (text) => {
  const value = levelNamed(text.toLowerCase())
  return value === undefined ? { expected: 'trace, debug, info, warn or error' } : { value }
}

const modes: Readonly<Record<string, XdsMode>> = {
  plaintext: 'plaintext',
  false: 'plaintext',
  tls: 'tls',
  true: 'tls',
  either: 'either',
}

const xdsMode: Parse<XdsMode> = (text) => {
  const name = text.toLowerCase()
  const value = Object.hasOwn(modes, name) ? modes[name] : undefined
  return value === undefined ? { expected: 'plaintext, tls or either' } : { value }
}
