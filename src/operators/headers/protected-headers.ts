import { fieldName } from '../../protocols/http/field-name.ts'

/**
 * Whether a policy may change a header field. Length and framing of a body follow from the body, and connection
 * fields from the connection: a policy that set them could make one message look like two.
 */
export const isEditable = (name: string): boolean => {
  const kind = fieldName(name)?.kind
  return kind === 'end-to-end' || kind === 'cookie'
}
