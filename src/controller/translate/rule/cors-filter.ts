import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteFilter } from '../../kinds/http-route.ts'
import { checkedFormat } from './route-match.ts'
import type { RuleContext } from './rule-context.ts'

/** CORS. Browsers keep the reply to a preflight request for 5 seconds by default. */
export const corsFilter = (filter: NonNullable<HTTPRouteFilter['cors']>, context: RuleContext): File.Cors => {
  const { allowOrigins, allowMethods, allowHeaders, exposeHeaders, allowCredentials, maxAge = 5 } = filter
  return {
    ...(allowOrigins?.length
      ? {
          allowOrigins: allowOrigins.map((origin) =>
            checkedFormat('originPattern', origin, 'origin', context),
          ),
        }
      : {}),
    ...(allowMethods?.length ? { allowMethods: [...allowMethods] } : {}),
    ...(allowHeaders?.length ? { allowHeaders: [...allowHeaders] } : {}),
    ...(exposeHeaders?.length ? { exposeHeaders: [...exposeHeaders] } : {}),
    ...(allowCredentials ? { allowCredentials } : {}),
    maxAge: `${maxAge}s`,
  }
}
