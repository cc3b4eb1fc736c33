import { backendForm } from '../../../controller/schema/backend-form.ts'
import { requiredField } from '../../../controller/schema/field.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { stringField } from '../../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../../controller/schema/validation-rule.ts'

const agentCoreField = objectField('An agent runtime of Amazon Bedrock AgentCore.', {
  agentRuntimeArn: requiredField(stringField('ARN of the runtime.', { minLength: 1, maxLength: 2048 })),
  qualifier: stringField('Version or endpoint of the runtime.', { minLength: 1, maxLength: 256 }),
})

/** `aws` of a ProxyBackend. */
export const awsBackendForm = backendForm({
  field: objectField(
    'A service of AWS. Requests are signed with credentials of the environment, unless `policies.auth` has others.',
    { agentCore: agentCoreField },
    { rules: [exactlyOneOf('agentCore')] },
  ),
  translate: ({ agentCore }, context) => {
    if (agentCore) return { aws: { agentCore: { ...agentCore } } }
    context.report('agentCore must be set')
    return undefined
  },
})
