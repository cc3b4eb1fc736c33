import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'

/** Whether runs of slashes in the paths of requests are taken for one. */
export function mergesSlashes(file: File.ConfigFile): boolean {
  return file.frontendPolicies?.http?.path?.mergeSlashes ?? defaults.http.mergeSlashes
}

/** Whether requests with an encoded slash or backslash are refused. */
export function refusesEncodedSlashes(file: File.ConfigFile): boolean {
  const setting = file.frontendPolicies?.http?.path?.encodedSlashes ?? defaults.http.encodedSlashes
  return setting === 'refuse'
}
