import { type Properties, record, ref, share } from '../../config/schema/builders.ts'
import type { SimpleBackend, TlsUpstream } from '../../model/resources/policies.ts'

/** Sends a copy of some requests elsewhere, and ignores the answers. */
export interface Mirror {
  readonly backend: SimpleBackend
  /** 0…1. */
  readonly fraction: number
  /** Of a host that is written as `https://`. */
  readonly backendTLS?: TlsUpstream
}

const mirror = record(
  'Mirrors requests to another destination. Its responses are ignored.',
  {
    backend: ref('BackendReference'),
    percentage: share('Fraction of requests to mirror, from 0 to 1.', 1),
  },
  { required: ['backend'] },
)

/** Definitions about `requestMirror`. */
export const requestMirrorDefinitions: Properties = { Mirror: mirror }
