/** The control plane of a gateway. */
export interface XdsSettings {
  readonly address: { readonly host: string; readonly port: number; readonly tls: boolean }
  /** The CA bundle of the control plane; the system's authorities otherwise. */
  readonly rootFile?: string
  /** The file with the token, which is read for every stream. */
  readonly tokenFile?: string
  /** Additional metadata of streams. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** What the gateway says about itself. */
  readonly node: { readonly id: string; readonly metadata: Readonly<Record<string, string>> }
}
