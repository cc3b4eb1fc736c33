/** The process that holds what cannot be written down. */
export interface Owner {
  /** Its name among its replicas: another one after each start. */
  readonly replica: string
  /** Where the others reach it: an origin. */
  readonly address?: string | undefined
}
