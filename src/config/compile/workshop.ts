import type { Evaluate } from '../../model/evaluate.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../../model/policies.ts'
import type { BackendTarget } from '../../model/resources.ts'
import type { Rescuer } from '../../gateway.ts'
import type { HttpUpstream } from '../../operators/backend/http.ts'
import type { MirrorOptions } from '../../operators/mirror.ts'

/** What compiling needs besides the resources: makers of things that have a life of their own. */
export interface Workshop {
  /** The destination behind a reference, with the policies that hold for it there. */
  upstream(target: BackendTarget, policies: BackendPolicies): HttpUpstream | undefined
  /** Sends copies to a destination and forgets the answers. */
  mirror(target: SimpleBackend): MirrorOptions['send']
  /** An expression, parsed once; the resources have been checked, so that it does parse. */
  expression(text: Cel): Evaluate
  /** Turns faults into replies. */
  readonly rescuer: Rescuer
  /** 0 ≤ number < 1, for weights, mirrors and balancing. */
  random(): number
}
