import type { Members } from '../members/members.ts'

/**
 * Puts the model and streaming, which clients of Vertex and Bedrock send in the path, into the body for other providers.
 * These have the version in a header and refuse the field `anthropic_version`.
 */
export const nameInBody = (
  body: Members,
  { model, streaming }: { readonly model: string; readonly streaming: boolean },
): void => {
  body.set('model', model)
  if (streaming) body.set('stream', true)
  body.delete('anthropic_version')
}
