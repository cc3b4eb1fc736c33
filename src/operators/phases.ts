import type { Operator } from '../pipeline/stage.ts'

/** A policy that acts in both directions: each operator goes to the position of its phase. */
export interface Phases {
  /** A stage for requests. */
  readonly request: Operator
  /** A stage for replies, local ones included. */
  readonly reply: Operator
}
