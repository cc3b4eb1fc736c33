import { objectField } from '../schema/object-fields.ts'
import { fieldsOfForms } from '../schema/policy-form.ts'
import { backendForms } from './backend-policies.ts'
import { someFieldOf } from './proxy-policy-rules.ts'

const { ai, auth, health, http, tcp, tls, transformation, tunnel } = backendForms

/** The policies of a provider of language models. */
export const providerForms = { ai, auth, health, http, tcp, tls, transformation, tunnel } as const

const fields = fieldsOfForms(providerForms)

/** `policies` of a provider of language models. */
export const providerPoliciesField = objectField('Policies of calls to the provider.', fields, {
  rules: [someFieldOf(fields)],
})
