import { deny } from '../../../model/exchange/reply.ts'
import type { Request } from '../../../model/exchange/request.ts'
import type { FrontendPolicies } from '../../../model/resources/frontend-policies.ts'
import type { Pipeline } from '../../../model/resources/snapshot.ts'
import { onRequest } from '../../../pipeline/stage.ts'
import { appendHop, countHops } from '../../../protocols/http/cdn-loop.ts'

/** Where a request is served. */
interface Served {
  readonly pipeline: Pipeline
  readonly frontend: FrontendPolicies
}

/** Counts this gateway among those that a request has passed. */
export const countThisHop = (request: Request, { http }: FrontendPolicies): void => {
  if (http.maxHops > 0) request.cdnLoop = appendHop(request.headers.get('cdn-loop'))
}

/** The pipeline for a request: one that has passed too many gateways is refused. */
export const pipelineWithinHops = ({ cdnLoop }: Request, { pipeline, frontend }: Served): Pipeline =>
  cdnLoop !== undefined && countHops(cdnLoop) > frontend.http.maxHops ? requestLoop : pipeline

const requestLoop = onRequest('admission', () =>
  deny(508, 'request_loop', { message: 'request loop detected', reason: 'InvalidRequest' }),
)
