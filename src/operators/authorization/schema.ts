import {
  either,
  exactlyOne,
  formatted,
  listOf,
  type Properties,
  record,
  ref,
  type SchemaNode,
} from '../../config/schema/builders.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** Authorization rules; see `model/rules.ts` for how they combine. */
export interface Authorization {
  readonly rules: readonly AuthorizationRule[]
}

/** One rule: allows if it matches, denies if it matches, or denies unless it matches. */
export type AuthorizationRule = { readonly allow: Cel } | { readonly deny: Cel } | { readonly require: Cel }

/** One rule; its expression has this format. */
const rule = (format: string): SchemaNode => {
  const condition = (description: string): SchemaNode => formatted(format, description)
  return either(
    'An authorization rule. A plain string is an `allow` rule.',
    condition('Expression of an `allow` rule.'),
    record(
      'A rule with its action; set exactly one field.',
      {
        allow: condition(
          'Allows the request if true. If there are `allow` rules, at least one of them must be true.',
        ),
        deny: condition('Denies the request if true, regardless of other rules.'),
        require: condition('Denies the request unless true.'),
      },
      exactlyOne('allow', 'deny', 'require'),
    ),
  )
}

const authorization = record(
  'Replies 403 `authorization failed` to requests that the rules do not allow. A rule that fails to evaluate denies the request. Rules of several levels are combined.',
  { rules: listOf(ref('AuthorizationRule'), 'Authorization rules. Without rules all requests are allowed.') },
  { required: ['rules'] },
)

const mcpAuthorization = record(
  'Hides tools, prompts, resources and tasks of MCP servers that the caller is not allowed to use: they are omitted from lists and reported as unknown in calls. Rules read `mcp`, where names are those of the server without prefix; list entries have no call arguments. A rule that reads `mcp.tool`, `mcp.prompt`, `mcp.resource` or `mcp.task` applies to items of that kind only; `has(mcp.tool)` alone applies to all. Rules of several levels are combined.',
  { rules: listOf(ref('AuthorizationRule'), 'Authorization rules. Without rules everything is allowed.') },
  { required: ['rules'] },
)

const networkAuthorization = record(
  'Closes connections that the rules do not allow, before any data is read. Rules read `source` and `destination`.',
  { rules: listOf(ref('NetworkRule'), 'Authorization rules. Without rules all connections are accepted.') },
  { required: ['rules'] },
)

/** Definitions of authorization. */
export const authorizationDefinitions: Properties = {
  AuthorizationRule: rule('celRule'),
  Authorization: authorization,
  McpAuthorization: mcpAuthorization,
  NetworkRule: rule('celConnectionRule'),
  NetworkAuthorization: networkAuthorization,
}
