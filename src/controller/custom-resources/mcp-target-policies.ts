import { objectField } from '../schema/object-fields.ts'
import { fieldsOfForms } from '../schema/policy-form.ts'
import { backendForms } from './backend-policies.ts'

const { auth, http, tcp, tls, tunnel } = backendForms

/** The policies of an MCP server. */
export const mcpTargetForms = { auth, http, tcp, tls, tunnel } as const

/** `policies` of an MCP server. */
export const mcpTargetPoliciesField = objectField(
  'Policies of calls to the server.',
  fieldsOfForms(mcpTargetForms),
)
