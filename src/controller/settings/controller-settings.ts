import type { LogLevel } from '../../model/log/log-level.ts'
import type { LabelSelector } from '../kinds/object.ts'
import type { DeploymentSettings } from '../translate/deployment/deployment-settings.ts'
import type { TranslationSettings } from '../kinds/inputs.ts'

/** How proxies reach the control plane. */
export type XdsMode = 'plaintext' | 'tls' | 'either'

/** Settings of the control plane, which it reads from its environment. */
export interface ControllerSettings {
  readonly logLevel: LogLevel
  readonly translation: TranslationSettings
  /** Namespaces whose objects are read: those that any selector matches; all if there is none. */
  readonly discoveryNamespaces: readonly LabelSelector[]
  readonly xds: {
    readonly mode: XdsMode
    /** Whether proxies must present a token of their service account. */
    readonly isAuthenticated: boolean
    readonly port: number
    /** The name of the Service, in the namespace of the pod. */
    readonly serviceName: string
    /** The host that proxies connect to, in place of that of the Service. */
    readonly host: string | undefined
    /** Additional names or addresses of the certificate. */
    readonly additionalHosts: readonly string[]
  }
  readonly proxy: {
    readonly image: DeploymentSettings['image']
    readonly pullPolicy: string | undefined
  }
  /** Whether the metrics have those of the process as well. */
  readonly hasProcessMetrics: boolean
  /** The Service port of a Gateway without listeners. */
  readonly noListenersPort: number
  readonly isLeaderElected: boolean
  readonly pod: { readonly name: string; readonly namespace: string }
  readonly ports: { readonly health: number; readonly metrics: number; readonly admin: number }
}
