import type { Phases } from '../phases.ts'
import { cors } from './cors.ts'
import type { Cors } from './schema.ts'

/** Compiles `cors`. */
export const corsStages = (policy: Cors): Phases => cors(policy)
