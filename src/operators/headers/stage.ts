import type { Phases } from '../phases.ts'
import { modifyRequestHeaders } from './request-header-modifier.ts'
import { modifyResponseHeaders } from './response-header-modifier.ts'
import type { HeaderModifier } from './schema.ts'

/** Makes the stage of `requestHeaderModifier`. */
export const requestHeaderModifierStage = (policy: HeaderModifier): Pick<Phases, 'request'> => ({
  request: modifyRequestHeaders(policy),
})

/** Makes the stage of `responseHeaderModifier`. */
export const responseHeaderModifierStage = (policy: HeaderModifier): Pick<Phases, 'reply'> => ({
  reply: modifyResponseHeaders(policy),
})
