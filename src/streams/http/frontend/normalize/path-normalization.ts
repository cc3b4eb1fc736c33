import type { EncodedSlashes } from '../../../../model/resources/frontend-policies.ts'
import { defaults } from '../../../../config/defaults.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'

/** Whether repeated slashes in request paths are merged. */
export function mergesSlashes(file: File.ConfigFile): boolean {
  return file.frontendPolicies?.http?.path?.mergeSlashes ?? defaults.http.mergeSlashes
}

/** Normalises the setting: `reject` is another name of `refuse`. */
export function encodedSlashes(written: 'refuse' | 'keep' | 'reject'): EncodedSlashes {
  return written === 'keep' ? 'keep' : 'refuse'
}

/** The default for paths with an encoded slash or backslash. */
export function usualEncodedSlashes(file: File.ConfigFile): EncodedSlashes {
  return encodedSlashes(file.frontendPolicies?.http?.path?.encodedSlashes ?? defaults.http.encodedSlashes)
}
