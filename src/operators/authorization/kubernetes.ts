import type * as File from '../../config/schema/file-types.gen.ts'
import { authorizationField, type AuthorizationForm } from '../../controller/schema/policy-fields.ts'

/** `authorization` of the traffic of a ProxyPolicy. */
export const trafficAuthorizationField = authorizationField('Which requests pass.')

/** `authorization` of a file: each expression is a rule of its own. */
export const authorizationOf = ({ action = 'Allow', policy }: AuthorizationForm): File.Authorization => ({
  rules: policy.matchExpressions.map((expression) => {
    switch (action) {
      case 'Allow':
        return { allow: expression }
      case 'Deny':
        return { deny: expression }
      case 'Require':
        return { require: expression }
    }
  }),
})
