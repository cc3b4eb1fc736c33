import { backendRefField } from './reference-fields.ts'
import { exactlyOneOf, type ValidationRule, validationRule } from './validation-rule.ts'
import { urlField } from './value-fields.ts'

/**
 * The fields `backendRef` and `url` of a policy that calls a service. They go with `endpointRule`.
 *
 * @example
 * objectField('…', { ...endpointFields('the service'), domain: … }, { rules: [endpointRule, urlWithoutPath] })
 */
export const endpointFields = (service: string) => ({
  backendRef: backendRefField(`The backend of ${service}.`),
  url: urlField(`The URL of ${service}, where it is no object of the cluster.`),
})

/** A service is named in one way. */
export const endpointRule: ValidationRule = exactlyOneOf('backendRef', 'url')

/** For protocols whose path is given. */
export const urlWithoutPath: ValidationRule = validationRule(
  'url must not have a path',
  "!has(self.url) || self.url.matches('^https?://[^/]+/?$')",
)
