import type { CustomResource } from '../schema/custom-resource.ts'
import { proxyBackendResource } from './proxy-backend.ts'
import { proxyModelResource } from './proxy-model.ts'
import { proxyParametersResource } from './proxy-parameters.ts'
import { proxyPolicyResource } from './proxy-policy.ts'

/** The kinds of ours. Their CustomResourceDefinitions are generated. */
export const customResources: readonly CustomResource[] = [
  proxyBackendResource,
  proxyModelResource,
  proxyParametersResource,
  proxyPolicyResource,
]
