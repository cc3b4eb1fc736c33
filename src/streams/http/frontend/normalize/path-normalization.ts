import type { EncodedSlashes } from '../../../../model/resources/frontend-policies.ts'
import { defaults } from '../../../../config/defaults.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'

/** Whether runs of slashes in the paths of requests are taken for one. */
export function mergesSlashes(file: File.ConfigFile): boolean {
  return file.frontendPolicies?.http?.path?.mergeSlashes ?? defaults.http.mergeSlashes
}

/** The two choices, by whichever of their names. */
export function encodedSlashes(written: 'refuse' | 'keep' | 'reject'): EncodedSlashes {
  return written === 'keep' ? 'keep' : 'refuse'
}

/** What holds for paths with an encoded slash or backslash, where a route says nothing. */
export function usualEncodedSlashes(file: File.ConfigFile): EncodedSlashes {
  return encodedSlashes(file.frontendPolicies?.http?.path?.encodedSlashes ?? defaults.http.encodedSlashes)
}
