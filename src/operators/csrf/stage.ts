import type { Phases } from '../phases.ts'
import { csrf } from './csrf.ts'
import type { Csrf } from './schema.ts'

/** Compiles `csrf`. */
export const csrfStage = (policy: Csrf): Pick<Phases, 'request'> => ({ request: csrf(policy) })
