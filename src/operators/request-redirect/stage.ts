import type { Phases } from '../phases.ts'
import { requestRedirect } from './request-redirect.ts'
import type { Redirect } from './schema.ts'

/** Compiles `requestRedirect`. */
export const requestRedirectStage = (policy: Redirect): Pick<Phases, 'request'> => ({
  request: requestRedirect(policy),
})
