import type * as File from '../../config/schema/file-types.gen.ts'
import { authorizationField, type AuthorizationForm } from '../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'

/** `traffic.authorization` of a ProxyPolicy. */
export const authorizationForm = policyForm({
  field: authorizationField('Which requests pass.'),
  translate: (form) => ({ authorization: authorizationOf(form) }),
  whenBroken: refuseRequests,
})

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
