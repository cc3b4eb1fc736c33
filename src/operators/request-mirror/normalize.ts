import { simpleBackend, tlsOfHost } from '../../config/normalize/references.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Mirror } from './schema.ts'

/** `requestMirror`, as a list. */
export function normalizeRequestMirror(policy: File.Mirror | readonly File.Mirror[]): readonly Mirror[] {
  const list = 'backend' in policy ? [policy] : policy
  return list.map(({ backend, percentage }) => ({
    backend: simpleBackend(backend),
    fraction: percentage ?? 1,
    ...tlsOfHost(backend.host),
  }))
}
