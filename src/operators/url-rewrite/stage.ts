import type { Phases } from '../phases.ts'
import { urlRewrite } from './url-rewrite.ts'
import type { Rewrite } from './schema.ts'

/** Compiles `urlRewrite`. */
export const urlRewriteStage = (policy: Rewrite): Pick<Phases, 'request'> => ({ request: urlRewrite(policy) })
