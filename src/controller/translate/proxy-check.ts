import { ConfigError } from '../../config/errors.ts'
import { checkResource } from '../../config/xds/check-resource.ts'
import type { XdsResource } from '../../config/xds/xds-resource.ts'

/**
 * Why proxies would refuse a resource, by their own check; undefined if they take it. The translation checks values where
 * it knows the field of the object that they come from; this is for what it does not foresee, since a resource that
 * proxies refuse leaves the one before in force.
 */
export const proxyRefusal = ({ kind, key, model }: XdsResource): string | undefined => {
  try {
    checkResource(kind, key, model)
    return undefined
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
      .slice(0, MAX_PROBLEMS)
      .map(({ path, value, expectation }) =>
        [path, value, expectation].filter((part) => part !== undefined && part !== '').join(' '),
      )
      .join('; ')
  }
}

/** Status messages are limited by the API server. */
const MAX_PROBLEMS = 4
