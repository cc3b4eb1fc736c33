import type { Exchange } from '../../model/exchange/exchange.ts'
import { isBuffered } from './buffer-body.ts'

/**
 * Keeps the original body before a policy replaces it. If the request is forwarded to another replica, that replica
 * has the same policy and changes the original body in the same way.
 */
export const keepAsCame = ({ request, hop }: Exchange): void => {
  if (hop && isBuffered(request.body)) hop.body ??= request.body
}
