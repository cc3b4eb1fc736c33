import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'

/** The signature that Google's endpoints of this format attach to a call of a tool, and want back with it. */
export const callSignatureIn = (call: JsonObject): string | undefined => {
  const signature = jsonObjectOr(jsonObjectOr(call.extra_content).google).thought_signature
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

/** The member that holds it; none if there is none. */
export const callSignature = (signature: string | undefined): JsonObject =>
  signature ? { extra_content: { google: { thought_signature: signature } } } : {}
