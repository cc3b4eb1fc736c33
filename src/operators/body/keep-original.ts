import type { Exchange } from '../../model/exchange/exchange.ts'
import { isBuffered } from './buffer-body.ts'

/**
 * Comes before another body is put in the place of one that a policy has read: should the request be for another replica,
 * that one has the same policy, and makes the same of the body that came.
 */
export const keepAsCame = ({ request, hop }: Exchange): void => {
  if (hop && isBuffered(request.body)) hop.body ??= request.body
}
