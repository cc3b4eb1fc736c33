import type { Operator } from '../pipeline/stage.ts'

/** A policy with something to do in both directions: each operator goes where its phase has its place. */
export interface Phases {
  /** A stage for requests. */
  readonly request: Operator
  /** A stage for replies, whoever gave them. */
  readonly reply: Operator
}
