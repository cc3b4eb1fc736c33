import type { AuthorizationRule, RoutePolicies } from '../../../config/schema/file-types.gen.ts'
import { celString, denyEverything } from '../config-text.ts'
import type { Directive } from './directive.ts'
import type { NginxScope } from './nginx-scope.ts'
import { nginxVariable } from './nginx-text.ts'

/** `allow`, `deny`, `auth_basic` and conditions that refuse; what cannot be carried over refuses every request. */
export const nginxAccess = (scope: NginxScope): Pick<RoutePolicies, 'authorization' | 'basicAuth'> => {
  const addresses = scope.inherited('allow', 'deny')
  const basic = basicAuth(scope)
  const rules: AuthorizationRule[] = []
  let isClosed = closeUnsupported(scope)
  if (addresses.length > 0) {
    const [first] = scope.inherited('set_real_ip_from')
    const expression = addressExpression(addresses)
    if (first !== undefined || expression === undefined) {
      const { at, name, args } = addresses[0] ?? UNKNOWN
      const why = first
        ? 'with set_real_ip_from it is about addresses of X-Forwarded-For'
        : 'an address is not known here'
      scope.report.closed(
        at,
        [name, ...args].join(' '),
        why,
        'write the rule with source.address, after frontendPolicies.http.forwarded.trustedHops is set',
      )
      isClosed = true
    } else if (expression !== 'true') rules.push({ require: expression })
  }
  const satisfy = scope.inherited('satisfy').at(-1)
  if (satisfy?.args[0] === 'any' && addresses.length > 0 && basic) {
    scope.report.closed(
      satisfy.at,
      'satisfy any',
      'here every policy has to allow a request',
      'write one rule of authorization, with basicAuth in the mode optional',
    )
    isClosed = true
  }
  for (const condition of scope.everywhere('if')) {
    for (const inner of condition.block ?? []) scope.use(inner)
    const rule = refusingCondition(condition, scope)
    if (rule === CLOSED) isClosed = true
    else if (rule) rules.push(rule)
  }
  const authorization = isClosed ? denyEverything() : rules.length > 0 ? { rules } : undefined
  if (isClosed && authorization)
    scope.report.comment(authorization, 'Denies everything, in place of a rule that was not carried over.')
  return { ...(basic ? { basicAuth: basic } : {}), ...(authorization ? { authorization } : {}) }
}

const UNKNOWN = { at: { line: 1, column: 1 }, name: 'deny', args: [] }

const basicAuth = (scope: NginxScope): RoutePolicies['basicAuth'] => {
  const realm = scope.inherited('auth_basic').at(-1)
  const file = scope.inherited('auth_basic_user_file').at(-1)
  if (!realm || realm.args[0] === 'off') return undefined
  scope.report.changed(
    realm.at,
    `auth_basic ${realm.args[0] ?? ''}`,
    'the backend does not get the password: basicAuth removes it from the request',
  )
  // The default of basicAuth lets requests without a password pass.
  return {
    realm: realm.args[0] ?? '',
    mode: 'strict',
    htpasswd: { file: file?.args[0] ?? 'htpasswd' },
  }
}

/** The first rule that fits decides, as in nginx. */
const addressExpression = (rules: readonly Directive[]): string | undefined => {
  let expression = 'true'
  for (const { name, args } of rules.toReversed()) {
    const address = args[0] ?? ''
    if (address === 'all') expression = name === 'allow' ? 'true' : 'false'
    else if (!/^[0-9a-fA-F:.]+(?:\/\d+)?$/.test(address)) return undefined
    else {
      const range = address.includes('/') ? address : `${address}/${address.includes(':') ? '128' : '32'}`
      const fits = `cidr(${celString(range)}).containsIP(source.address)`
      if (name === 'allow')
        expression =
          expression === 'true' ? 'true' : expression === 'false' ? fits : `${fits} || ${expression}`
      else
        expression =
          expression === 'true'
            ? `!${fits}`
            : expression === 'false'
              ? 'false'
              : `!${fits} && (${expression})`
    }
  }
  return expression
}

const CLOSING: Readonly<Record<string, string>> = {
  auth_request: 'use extAuthz with protocol http',
  auth_jwt: 'use jwtAuth',
  auth_jwt_require: 'use a rule of authorization on jwt claims',
  secure_link: 'verify the link behind the gateway, or with a rule',
  limit_except: 'use a rule on request.method',
  auth_delay: '',
  access_by_lua_block: 'use extAuthz, or a custom operator',
  access_by_lua_file: 'use extAuthz, or a custom operator',
}

const closeUnsupported = (scope: NginxScope): boolean => {
  const found = Object.entries(CLOSING).flatMap(([name, hint]) =>
    scope
      .inherited(name)
      .filter(({ args }) => args[0] !== 'off')
      .map((directive) => ({ directive, hint })),
  )
  for (const { directive, hint } of found)
    scope.report.closed(
      directive.at,
      directive.name,
      'restricts access, and cannot be translated',
      hint === '' ? undefined : hint,
    )
  return found.length > 0
}

/** In place of a condition that cannot be translated. */
const CLOSED = Symbol('closed')

interface RefusalRule {
  readonly deny: string
}

/** `if (…) { return 403; }` as a rule; `CLOSED` if it refuses in a way that cannot be translated. */
const refusingCondition = (
  directive: Directive,
  { report }: NginxScope,
): RefusalRule | typeof CLOSED | undefined => {
  const { args, block = [], at } = directive
  const refuses = block.some(
    ({ name, args: [status = ''] }) => name === 'deny' || (name === 'return' && /^4\d\d$/.test(status)),
  )
  const subject = `if ${args.join(' ')}`
  if (!refuses) {
    report.dropped(
      at,
      subject,
      'conditions in locations have no counterpart',
      'use matches of a route, or conditional policies',
    )
    return undefined
  }
  const condition = conditionExpression(args.join(' '))
  if (condition === undefined) {
    report.closed(
      at,
      subject,
      'refuses requests by a condition that cannot be translated',
      'write a deny rule of authorization',
    )
    return CLOSED
  }
  report.changed(at, subject, 'is a deny rule of authorization: the status is 403')
  return { deny: condition }
}

const conditionExpression = (text: string): string | undefined => {
  const match = /^\(\s*\$(\w+)\s*(?:(=|!=|~\*?|!~\*?)\s*(.*?))?\s*\)$/.exec(text)
  if (!match) return undefined
  const [, name = '', operator, value = ''] = match
  const variable = nginxVariable(name)
  if (variable === undefined || value.includes('$')) return undefined
  if (operator === undefined) return `${variable} != "" && ${variable} != "0"`
  const plain = value.replace(/^(["'])(.*)\1$/, '$2')
  if (operator === '=') return `${variable} == ${celString(plain)}`
  if (operator === '!=') return `${variable} != ${celString(plain)}`
  const matches = `${variable}.matches(${celString(operator.endsWith('*') ? `(?i)${plain}` : plain)})`
  return operator.startsWith('!') ? `!${matches}` : matches
}
