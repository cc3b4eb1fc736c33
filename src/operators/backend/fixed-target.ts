import { onRequest, type Operator } from '../../pipeline/stage.ts'

/**
 * Gives every request the same path and query. What clients say there is dropped: it would choose something else.
 *
 * Belongs between the routes, which match the path, and whatever signs the request.
 */
export const setTarget = ({ path, query }: { readonly path: string; readonly query: string }): Operator =>
  onRequest('rewrite', ({ request }) => {
    request.path = path
    request.query = query
  })
