import type { Phases } from '../phases.ts'
import { modifyRequestHeaders } from './request-header-modifier.ts'
import { modifyResponseHeaders } from './response-header-modifier.ts'
import type { HeaderModifier } from './schema.ts'

/** Compiles `requestHeaderModifier`. */
export const requestHeaderModifierStage = (policy: HeaderModifier): Pick<Phases, 'request'> => ({
  request: modifyRequestHeaders(policy),
})

/** Compiles `responseHeaderModifier`. */
export const responseHeaderModifierStage = (policy: HeaderModifier): Pick<Phases, 'reply'> => ({
  reply: modifyResponseHeaders(policy),
})
