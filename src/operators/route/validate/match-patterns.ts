import { formats } from '../../../config/format/formats.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { httpRoutes } from '../../../config/validate/route-locations.ts'
import type { Check } from '../../../config/validate/context.ts'
import { patternLimits, patternShare } from '../../../protocols/pattern/pattern-size.ts'

/** Checks that the regular expressions of a route are not too large together; each alone is a format. */
export const checkMatchPatterns: Check = (view) => {
  for (const route of httpRoutes(view)) {
    let sum = 0
    for (const { value, pointer } of view.items(route.value.matches, child(route.pointer, 'matches'))) {
      sum += patternsOf(value)
        .filter((text) => formats.matchRegex?.(text) === undefined)
        .reduce((shares, text) => shares + patternShare(text), 0)
      if (sum <= patternLimits.sum) continue
      view.problem(
        pointer,
        `has too large regular expressions, with those of the matches before: the limit is ${patternLimits.sum} characters or instructions`,
        'split the route into several',
      )
      break
    }
  }
}

/** The regular expressions of a match. */
export const patternsOf = ({ path, headers = [], query = [] }: File.Match): readonly string[] => [
  ...(path?.regex === undefined ? [] : [path.regex]),
  ...[...headers, ...query].flatMap(({ value }) => value.regex ?? []),
]
