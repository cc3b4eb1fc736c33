/** Settings of the control plane for the proxies that it deploys. */
export interface DeploymentSettings {
  /** The image of proxies; without a registry if that is empty. */
  readonly image: { readonly registry: string; readonly repository: string; readonly tag: string }
  readonly imagePullPolicy?: string
  /** The address of xDS for proxies. */
  readonly xds: {
    readonly host: string
    readonly port: number
    /** The key of the Secret with the certificate authority; absent without TLS. */
    readonly certificateSecret?: string
  }
  /** The Service port of a Gateway without any listeners, since a Service needs one; 0 for no Service then. */
  readonly noListenersPort: number
  /** Version of the control plane, as a label. */
  readonly version: string
}
