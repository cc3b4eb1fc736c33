import { ConfigError } from '../../config/errors.ts'
import type { ConfigWarning } from '../../model/resources/resources.ts'
import { checkResource } from '../../config/xds/check-resource.ts'
import type { XdsResource } from '../../config/xds/xds-resource.ts'

/** What proxies say of a resource, by their own check. */
export interface ProxyCheckResult {
  /** Why they would refuse it; absent if they take it. */
  readonly refusal?: string
  /** What they take, and is hardly meant: the warnings that a file gets. */
  readonly warnings: readonly Pick<ConfigWarning, 'code' | 'message'>[]
}

/**
 * Checks a resource as proxies do. The translation checks values where it knows the field of the object that they come
 * from; this is for what it does not foresee, since a resource that proxies refuse leaves the one before in force.
 */
export const checkByProxy = ({ kind, key, model }: XdsResource): ProxyCheckResult => {
  try {
    return { warnings: checkResource(kind, key, model).warnings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const refusal = error.problems
      .slice(0, MAX_PROBLEMS)
      .map(({ path, value, expectation }) =>
        [path, value, expectation].filter((part) => part !== undefined && part !== '').join(' '),
      )
      .join('; ')
    return { refusal, warnings: [] }
  }
}

/** Why proxies would refuse a resource; undefined if they take it. */
export const proxyRefusal = (resource: XdsResource): string | undefined => checkByProxy(resource).refusal

/** Status messages are limited by the API server. */
const MAX_PROBLEMS = 4
