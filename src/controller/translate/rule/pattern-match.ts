import { formats } from '../../../config/format/formats.ts'
import { patternLimits, patternShare } from '../../../protocols/pattern/pattern-size.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

/**
 * A regular expression of a match, checked as in a configuration file. All rules of a route share one limit: a route
 * should not cost what none of its rules may.
 */
export const patternMatch = (text: string, what: string, context: RuleContext): string => {
  const { patterns, reads } = context
  // Not compiled at all: compiling is what the limit is about.
  if (text.length > patterns.left) {
    addUnsupported(context, TOO_LARGE)
    return text
  }
  const { complaint, share } = reads.query(measuredPattern, text)
  patterns.left -= share
  if (complaint !== undefined) addUnsupported(context, `${what} ${JSON.stringify(shown(text))} ${complaint}`)
  else if (patterns.left < 0) addUnsupported(context, TOO_LARGE)
  return text
}

interface MeasuredPattern {
  readonly complaint: string | undefined
  readonly share: number
}

/** Key: the pattern. So a change of a route or of one of its Services does not compile its patterns again. */
const measuredPattern: Query<MeasuredPattern> = defineQuery('measuredPattern', (_reads, text) => {
  const complaint = formats.matchRegex?.(text)?.expectation
  // To find out that a pattern is too large may have cost as much as the largest one does.
  return { complaint, share: complaint === undefined ? patternShare(text) : patternLimits.size }
})

const TOO_LARGE = `the regular expressions of the route are too large together: the limit is ${patternLimits.sum} characters or instructions`

const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

const MAX_SHOWN = 80
