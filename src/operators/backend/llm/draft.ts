import { MemberText } from '../../../protocols/json/member-text.ts'
import type { HeardBody } from './hear-body.ts'

/** The client's body for one attempt: changed field by field, the rest as it came. */
export const draftOf = (body: HeardBody): MemberText => {
  if (!body.text.changed) return body.text
  const text = MemberText.of(body.bytes)
  if ('problem' in text) throw new TypeError('a body that was read once can be read again')
  return text
}
