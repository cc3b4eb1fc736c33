import type { Members } from '../members/members.ts'

/**
 * Says in the body what clients of Vertex and Bedrock say by the path, for a provider whose path says nothing of it. Its
 * version is in a header there, and a field that is none of its own would be refused.
 */
export const nameInBody = (
  body: Members,
  { model, streaming }: { readonly model: string; readonly streaming: boolean },
): void => {
  body.set('model', model)
  if (streaming) body.set('stream', true)
  body.delete('anthropic_version')
}
