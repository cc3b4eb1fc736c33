import { type Properties, record, ref, share } from '../../config/schema/builders.ts'
import type { SimpleBackend, TlsUpstream } from '../../model/resources/policies.ts'

/** Sends a copy of some requests to another destination and ignores its responses. */
export interface Mirror {
  readonly backend: SimpleBackend
  /** 0…1. */
  readonly fraction: number
  /** For a host with `https://`. */
  readonly backendTLS?: TlsUpstream
}

const mirror = record(
  'Mirrors requests to another destination. Its responses are ignored. A request whose body is longer than `frontendPolicies.http.maxBufferSize`, or does not arrive whole within 30 seconds, is not mirrored. On a backend, the copy is made before the other policies of the backend change the request, and retries are not copied again.',
  {
    backend: ref('BackendReference'),
    percentage: share('Fraction of requests to mirror, from 0 to 1.', 1),
  },
  { required: ['backend'] },
)

/** Definitions of `requestMirror`. */
export const requestMirrorDefinitions: Properties = { Mirror: mirror }
