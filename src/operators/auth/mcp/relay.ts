import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Reply } from '../../../model/reply.ts'
import type { Relayed } from '../../../upstream/form-relay.ts'
import { openHeaders } from './answer.ts'
import type { ProtectedResource } from './protected-resource.ts'

/** Hands a request on to the issuer, with the credentials of whoever asked, and its answer back. */
export const relay = async (
  { post }: ProtectedResource,
  x: Exchange,
  form: Omit<Relayed, 'authorization'>,
): Promise<Reply> => {
  const answer = await post({ ...form, authorization: x.request.headers.get('authorization') })
  const headers = openHeaders(answer.contentType ?? 'application/json')
  headers.set('cache-control', 'no-store')
  return new Reply(answer.status, headers, new BufferBody(answer.body), 'Upstream')
}
