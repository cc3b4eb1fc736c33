import { fieldName } from '../../protocols/http/field-name.ts'

/**
 * Whether a policy may touch a header field. The length and the framing of a body follow from the body, and fields about
 * the connection from the connection: a policy that wrote them could make one message look like two.
 */
export const isEditable = (name: string): boolean => {
  const kind = fieldName(name)?.kind
  return kind === 'end-to-end' || kind === 'cookie'
}
