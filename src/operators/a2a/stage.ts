import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import { a2a } from './a2a.ts'
import type { Phases } from '../phases.ts'

/** Makes the stages in front of an A2A agent. */
export const a2aStages = ({ http: { forwarded, maxBufferBytes } }: FrontendPolicies): Phases =>
  a2a({
    bufferLimitBytes: maxBufferBytes,
    forwarded: forwarded !== undefined,
    proxied: (forwarded?.trustedHops ?? 0) > 0,
  })
