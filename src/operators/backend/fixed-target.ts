import { onRequest, type Operator } from '../../pipeline/stage.ts'

/**
 * Gives every request the same path and query. The client's own are dropped: they would select something else.
 *
 * Belongs between the routes, which match the path, and the stage that signs the request.
 */
export const setTarget = ({ path, query }: { readonly path: string; readonly query: string }): Operator =>
  onRequest('rewrite', ({ request }) => {
    request.path = path
    request.query = query
  })
