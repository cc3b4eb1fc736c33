/** The process that owns state which cannot be serialised. */
export interface Owner {
  /** Its name among the replicas; a new one after each start. */
  readonly replica: string
  /** The origin at which the others reach it. */
  readonly address?: string | undefined
}
