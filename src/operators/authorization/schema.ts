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

/** Rules about who may pass; see `model/rules.ts` for what they mean together. */
export interface Authorization {
  readonly rules: readonly AuthorizationRule[]
}

/** One rule: may pass if it holds, may not if it holds, or must hold. */
export type AuthorizationRule = { readonly allow: Cel } | { readonly deny: Cel } | { readonly require: Cel }

/** One rule, whose expression is checked by one of our formats. */
const rule = (format: string): SchemaNode => {
  const condition = (description: string): SchemaNode => formatted(format, description)
  return either(
    'One rule. A text by itself is an allow rule.',
    condition('Who may pass.'),
    record(
      'A rule of another kind.',
      {
        allow: condition('Who may pass. Where there are such rules, one of them must hold.'),
        deny: condition('Who may not pass, whatever other rules say.'),
        require: condition('What must hold for anybody to pass.'),
      },
      exactlyOne('allow', 'deny', 'require'),
    ),
  )
}

const authorization = record(
  'Answers 403 `authorization failed` where its rules say so. A rule that cannot be evaluated counts against the caller. Rules of several levels add up.',
  { rules: listOf(ref('AuthorizationRule'), 'The rules. Without any, everything passes.') },
  { required: ['rules'] },
)

const mcpAuthorization = record(
  'Hides tools, prompts, resources and tasks of MCP servers from those who may not use them: they are missing in lists, and unknown when they are asked for. Rules read `mcp`, where names are those of the server, without prefix. For an entry of a list there are no arguments of a call. A rule that reads `mcp.tool`, `mcp.prompt`, `mcp.resource` or `mcp.task` concerns items of that kind only; `has(mcp.tool)` by itself is about all. Rules of several levels add up.',
  { rules: listOf(ref('AuthorizationRule'), 'The rules. Without any, everything may be used.') },
  { required: ['rules'] },
)

const networkAuthorization = record(
  'Closes connections where its rules say so, before a byte of what is said over them is looked at. Rules read `source` and `destination`.',
  { rules: listOf(ref('NetworkRule'), 'The rules. Without any, every connection is taken.') },
  { required: ['rules'] },
)

/** Definitions about who may pass. */
export const authorizationDefinitions: Properties = {
  AuthorizationRule: rule('celRule'),
  Authorization: authorization,
  McpAuthorization: mcpAuthorization,
  NetworkRule: rule('celConnectionRule'),
  NetworkAuthorization: networkAuthorization,
}
