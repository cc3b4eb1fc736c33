/** What a gateway has of its control plane. */
export interface ControlPlaneStatus {
  /** Whether a stream is open that the control plane has answered. */
  readonly connected: boolean
  /** Since when it is connected, or is not; RFC 3339. */
  readonly since: string
  /** Why the last stream ended, or did not open; absent while connected. */
  readonly error?: string
  /** What it has sent and the gateway has accepted. */
  readonly resources: readonly { readonly name: string; readonly version: string }[]
  /** What the gateway has refused, with the reason: of these, the version before is in force, if there was one. */
  readonly refused: readonly { readonly name: string; readonly problem: string }[]
}
