import { parseDuration } from '../../config/format/duration.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Delay } from './schema.ts'

/** `delay`: a duration if the text is one, else an expression. */
export function normalizeDelay({ duration }: File.Delay): Delay {
  const ms = parseDuration(duration)
  return { duration: ms === undefined ? { expression: duration } : { ms } }
}
