import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteFilter } from '../../kinds/http-route.ts'
import { backendReference } from '../backend/backend-reference.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

type RequestMirror = NonNullable<HTTPRouteFilter['requestMirror']>

/** Mirrors. One whose reference leads nowhere is left out, as is one of no requests. */
export const requestMirrors = (
  filters: readonly RequestMirror[],
  context: RuleContext,
): readonly File.Mirror[] =>
  filters.flatMap((filter) => {
    const backend = backendReference(filter.backendRef, context)
    const share = mirroredShare(filter)
    if (!Number.isFinite(share) || share < 0 || share > 1)
      addUnsupported(context, 'the fraction of mirrored requests is not between 0 and 1')
    if (!backend || share === 0) return []
    return [{ backend, ...(share === 1 ? {} : { percentage: share }) }]
  })

const mirroredShare = ({ fraction, percent = 100 }: RequestMirror): number =>
  fraction ? fraction.numerator / (fraction.denominator ?? 100) : percent / 100
