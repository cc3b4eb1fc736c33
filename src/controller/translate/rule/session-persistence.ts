import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteRule } from '../../kinds/http-route.ts'
import type { RuleContext } from './rule-context.ts'

/** PLACEHOLDER */
export const sessionPolicies = (
  _persistence: HTTPRouteRule['sessionPersistence'],
  _context: RuleContext,
): Pick<File.RoutePolicies, 'transformations' | 'loadBalancing'> => ({})
