import { hostname } from 'node:os'
import type { MeshSettings } from '../kinds/inputs.ts'
import type { Feature } from '../kinds/kinds.ts'
import { searchedClusterDomain } from './cluster-domain.ts'
import type { ControllerSettings } from './controller-settings.ts'
import { parseClassParameters } from './parse-class-parameters.ts'
import { parseSelectors } from './parse-selectors.ts'
import {
  controllerNameSetting,
  flagSetting,
  grantModeSetting,
  hostSetting,
  hostsSetting,
  logLevelSetting,
  nameSetting,
  type ParseSetting,
  portSetting,
  pullPolicySetting,
  xdsModeSetting,
} from './parse-settings.ts'

/** An environment that the control plane cannot run with: one line for each problem. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * Reads the settings of the control plane. Empty variables count as not set.
 *
 * @param version Of the image of the proxies, unless a tag is set.
 * @param resolvConf The contents of `/etc/resolv.conf`, which tell the domain of the cluster.
 * @throws SettingsError with every problem.
 */
export const readSettings = (
  env: Readonly<Record<string, string | undefined>>,
  version: string,
  resolvConf = '',
): ControllerSettings => {
  const variables = new Variables(env)
  const settings: ControllerSettings = {
    logLevel: variables.read('AGW_LOG_LEVEL', 'info', logLevelSetting),
    translation: {
      controllerName: variables.read(
        'AGW_CONTROLLER_NAME',
        'agentgateway.dev/agentgateway',
        controllerNameSetting,
      ),
      gatewayClassName: variables.read('AGW_AGENTGATEWAY_CLASS_NAME', 'agentgateway', nameSetting),
      clusterDomain: variables.read(
        'CLUSTER_DOMAIN',
        searchedClusterDomain(resolvConf) ?? 'cluster.local',
        nameSetting,
      ),
      backendGrants: variables.read('AGW_BACKEND_REF_GRANT_MODE', 'route', grantModeSetting),
      systemNamespace: variables.read('POD_NAMESPACE', 'agentgateway-system', nameSetting),
      classParameters: variables.read('AGW_GATEWAY_CLASS_PARAMETERS_REFS', '{}', parseClassParameters),
      mesh: meshSettings(variables),
      features: enabledFeatures(variables),
    },
    discoveryNamespaces: variables.read('AGW_DISCOVERY_NAMESPACE_SELECTORS', '[]', parseSelectors),
    xds: {
      mode: variables.read('AGW_XDS_MODE', 'plaintext', xdsModeSetting),
      isAuthenticated: variables.read('AGW_XDS_AUTH', 'true', flagSetting),
      port: variables.read('AGW_AGENTGATEWAY_XDS_SERVICE_PORT', '9978', portSetting),
      serviceName: variables.read('AGW_XDS_SERVICE_NAME', 'agentgateway', nameSetting),
      host: variables.read('AGW_XDS_SERVICE_HOST', '', hostSetting),
      additionalHosts: variables.read('AGW_ADDITIONAL_XDS_TLS_HOSTS', '', hostsSetting),
    },
    proxy: {
      image: {
        registry: variables.text('AGW_PROXY_IMAGE_REGISTRY', 'cr.agentgateway.dev'),
        repository: variables.text('AGW_PROXY_IMAGE_REPOSITORY', 'agentgateway'),
        tag: variables.text('AGW_PROXY_IMAGE_TAG', `v${version}`),
      },
      pullPolicy: variables.read('AGW_PROXY_IMAGE_PULL_POLICY', '', pullPolicySetting),
    },
    hasProcessMetrics: variables.read('AGW_ENABLE_BUILTIN_DEFAULT_METRICS', 'false', flagSetting),
    noListenersPort: variables.read('AGW_NO_LISTENERS_DUMMY_PORT', '443', portSetting),
    isLeaderElected: !variables.read('AGW_DISABLE_LEADER_ELECTION', 'false', flagSetting),
    pod: {
      name: variables.text('POD_NAME', hostname()),
      namespace: variables.read('POD_NAMESPACE', 'agentgateway-system', nameSetting),
    },
    ports: {
      health: variables.read('AGW_HEALTH_PORT', '9093', portSetting),
      metrics: variables.read('AGW_METRICS_PORT', '9092', portSetting),
      admin: variables.read('AGW_ADMIN_PORT', '9095', portSetting),
    },
  }
  variables.refuseUnknown()
  return settings
}

const enabledFeatures = (variables: Variables): readonly Feature[] => [
  ...(variables.read('AGW_ENABLE_INFER_EXT', 'false', flagSetting) ? (['inferenceExtension'] as const) : []),
  ...(variables.read('AGW_ENABLE_AGENTGATEWAY_MODELS', 'false', flagSetting) ? (['models'] as const) : []),
]

const meshSettings = (variables: Variables): MeshSettings => {
  const caAddress = variables.optional('AGW_ISTIO_CA_ADDRESS')
  const clusterId = variables.optional('AGW_ISTIO_CLUSTER_ID')
  const network = variables.optional('AGW_ISTIO_NETWORK')
  return {
    isAutomatic: variables.read('AGW_ISTIO_AUTO_ENABLED', 'false', flagSetting),
    namespace: variables.read('AGW_ISTIO_NAMESPACE', 'istio-system', nameSetting),
    revision: variables.read('AGW_ISTIO_REVISION', 'default', nameSetting),
    ...(caAddress !== undefined && { caAddress }),
    ...(clusterId !== undefined && { clusterId }),
    ...(network !== undefined && { network }),
  }
}

const PREFIX = 'AGW_'

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

  read<T>(name: string, fallback: string, parse: ParseSetting<T>): T {
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
