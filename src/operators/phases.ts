import type { Operator } from '../pipeline/stage.ts'

/** The operators of a policy that acts on requests and on replies. `Partial<Phases>` acts on either or both. */
export interface Phases {
  /** A stage for requests. */
  readonly request: Operator
  /** A stage for replies, local ones included. */
  readonly reply: Operator
}
