import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import type { BackendTarget } from '../../model/resources/resources.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'

/** What stands in for the world outside of the process. */
export interface OfflineDestinations {
  /** The upstream that is called in place of a destination of the configuration. */
  readonly upstream: (
    real: HttpUpstream,
    target: BackendTarget | SimpleBackend,
    policies: BackendPolicies,
  ) => HttpUpstream
  /** Called whenever a policy would have called a service: with its kind, such as `key set`. */
  readonly onCallout: (kind: string) => void
}
