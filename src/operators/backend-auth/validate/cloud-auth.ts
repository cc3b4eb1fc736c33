import { readJsonObject } from '../../../protocols/json/read-json.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { secretOf } from '../../../config/validate/secret-text.ts'
import type { ValidationContext } from '../../../config/validate/context.ts'

/** Checks combinations of cloud credentials. */
export function checkCloudAuth(
  view: ValidationContext,
  { gcp, aws }: File.BackendAuthFields,
  pointer: string,
): void {
  if (gcp !== undefined) examineGcp(view, gcp, child(pointer, 'gcp'))
  if (aws !== undefined) examineAws(view, aws, child(pointer, 'aws'))
}

function examineGcp(
  view: ValidationContext,
  { type, audience, credential }: File.GcpAuth,
  pointer: string,
): void {
  if (audience !== undefined && type !== 'idToken')
    view.problem(child(pointer, 'audience'), 'goes with the type idToken only')
  if (credential === undefined) return
  const at = child(pointer, 'credential')
  const json = secretOf(view, credential, at)
  if (json !== undefined && !isCredential(json))
    view.problem(at, 'must be credentials as JSON, an object with a type')
}

function examineAws(view: ValidationContext, aws: File.AwsAuth, pointer: string): void {
  for (const name of ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const) {
    const source = aws[name]
    if (source !== undefined) secretOf(view, source, child(pointer, name))
  }
  const isExplicit = aws.accessKeyId !== undefined
  if (isExplicit !== (aws.secretAccessKey !== undefined))
    view.problem(pointer, 'must have both of accessKeyId, secretAccessKey, or neither')
  if (!isExplicit && aws.sessionToken !== undefined)
    view.problem(child(pointer, 'sessionToken'), 'needs accessKeyId and secretAccessKey')
  if (isExplicit && aws.assumeRole !== undefined)
    view.problem(
      child(pointer, 'assumeRole'),
      'goes with the credentials of the surroundings only',
      'leave out accessKeyId and secretAccessKey',
    )
  const seen = new Set<string>()
  const tags = child(child(pointer, 'assumeRole'), 'tags')
  for (const { value, pointer: at } of view.items(aws.assumeRole?.tags, tags)) {
    if (seen.has(value.key)) view.wrongValue(child(at, 'key'), 'is there already', { value: value.key })
    seen.add(value.key)
  }
}

function isCredential(json: string): boolean {
  return typeof readJsonObject(json)?.type === 'string'
}
