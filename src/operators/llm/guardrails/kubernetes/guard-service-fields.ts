/**
 * Guards that are services.
 *
 * @module
 */
import { type FormOf, requiredField, type SchemaFields } from '../../../../controller/schema/field.ts'
import { listField, objectField } from '../../../../controller/schema/object-fields.ts'
import { expressionsField } from '../../../../controller/schema/policy-fields.ts'
import { backendRefField } from '../../../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf } from '../../../../controller/schema/validation-rule.ts'
import {
  failureModeField,
  httpHeaderNameField,
  shortStringField,
} from '../../../../controller/schema/value-fields.ts'
import { backendTlsForm } from '../../../../upstream/connect/kubernetes/tls.ts'
import { backendTcpForm } from '../../../../upstream/connect/kubernetes/tcp.ts'
import { tunnelForm } from '../../../../upstream/backend-tunnel/kubernetes.ts'
import { backendHttpForm } from '../../../../upstream/http/kubernetes.ts'
import { guardAuthField, guardKeyFields } from '../../../backend-auth/kubernetes/backend-auth-field.ts'
import { awsAuthField, gcpAuthField } from '../../../backend-auth/kubernetes/cloud-fields.ts'

const callFields = {
  http: backendHttpForm.field,
  tcp: backendTcpForm.field,
  tls: backendTlsForm.field,
  tunnel: tunnelForm.field,
}

const callPoliciesField = <F extends SchemaFields>(kinds: F) =>
  objectField(
    'Policies of calls to the service.',
    { ...callFields, auth: guardAuthField(kinds) },
    { rules: [atLeastOneOf('auth', ...Object.keys(callFields))] },
  )

/** `webhook` of a guard. */
export const webhookField = objectField('A service of your own: `POST /request` and `POST /response`.', {
  backendRef: requiredField(backendRefField('The service.')),
  headers: expressionsField(
    'Headers of the call, as expressions over the request of the client. `:path`, `:method` and `:authority` set its path, method and host. A header whose expression fails is left out.',
  ),
  forwardHeaderMatches: listField(
    'Headers that are passed on to the service. By default none.',
    objectField('A header.', {
      name: requiredField(httpHeaderNameField('Name of the header.')),
      type: enumField('How the value is compared.', ['Exact', 'RegularExpression'], { default: 'Exact' }),
      value: requiredField(stringField('Value, or pattern.', { minLength: 1, maxLength: 4096 })),
    }),
    { maxItems: 64 },
  ),
  failureMode: failureModeField('What happens if the service fails. By default FailClosed: 503.'),
})

/** `openAIModeration` of a guard. */
export const moderationField = objectField('Checks text by the moderation API of OpenAI.', {
  model: stringField('Moderation model.', { minLength: 1, maxLength: 256 }),
  policies: callPoliciesField(guardKeyFields),
})

/** `bedrockGuardrails` of a guard. */
export const bedrockGuardrailsField = objectField('Checks text by a guardrail of Amazon Bedrock.', {
  identifier: requiredField(shortStringField('Identifier or ARN of the guardrail.')),
  version: requiredField(shortStringField('Version: a number, or `DRAFT`.')),
  region: requiredField(shortStringField('Region.')),
  policies: callPoliciesField({ ...guardKeyFields, aws: awsAuthField }),
})

/** `googleModelArmor` of a guard. */
export const modelArmorField = objectField('Checks text by Google Model Armor.', {
  templateId: requiredField(shortStringField('Template.')),
  projectId: requiredField(shortStringField('Project.')),
  location: shortStringField('Location.', { default: 'us-central1' }),
  policies: callPoliciesField({ gcp: gcpAuthField }),
})

/** What `webhookField` holds. */
export type WebhookForm = FormOf<typeof webhookField>

/** What `moderationField` holds. */
export type ModerationForm = FormOf<typeof moderationField>

/** What `bedrockGuardrailsField` holds. */
export type BedrockGuardrailsForm = FormOf<typeof bedrockGuardrailsField>

/** What `modelArmorField` holds. */
export type ModelArmorForm = FormOf<typeof modelArmorField>

/** Policies of calls; which credentials there are depends on the service. */
export type CallPoliciesForm = NonNullable<
  ModerationForm['policies'] | BedrockGuardrailsForm['policies'] | ModelArmorForm['policies']
>
