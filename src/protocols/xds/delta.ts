/** A resource as it comes from a control plane: its model is text, and nothing is checked. */
export interface ReceivedResource {
  /** Its name in the subscription. */
  readonly name: string
  readonly version: string
  readonly kind: string
  readonly key: string
  readonly parents: readonly string[]
  readonly model: string
}

/** Changes of the resources, complete in themselves. */
export interface XdsDelta {
  readonly resources: readonly ReceivedResource[]
  /** Names. */
  readonly removed: readonly string[]
}

/** What became of a delta, once it is compiled. */
export interface AppliedDelta {
  readonly refused: readonly RefusedResource[]
  /** Resolves when its ports are open, with the resources whose ports are not. */
  readonly opened: Promise<readonly RefusedResource[]>
}

/** A resource that is not accepted: the version before stays in force, if there was one. */
export interface RefusedResource {
  readonly name: string
  readonly problem: string
}
