import { compile, type Expression } from '../../cel/compile.ts'
import { ConnectionContext } from '../../cel/context/connection-context.ts'
import type { CustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { Authorization } from '../../operators/authorization/schema.ts'
import { type Rule, rulesAbout } from '../../model/policies/rule-evaluation.ts'
import type { ConnectionRules } from '../../model/resources/snapshot.ts'
import { ruleParts } from '../../operators/authorization/stage.ts'

/** Compiles the rules for connections; undefined if there are none. */
export const connectionRules = (
  policy: Authorization | undefined,
  functions: CustomFunctions,
): ConnectionRules | undefined => {
  if (!policy || policy.rules.length === 0) return undefined
  const expressions = policy.rules.map((rule) => {
    const [mode, text] = ruleParts(rule)
    return { mode, text, expression: compile(text, { functions }) }
  })
  const decide = rulesAbout(
    expressions.map(({ mode, text, expression }, index): Rule<ConnectionContext> => ({
      mode,
      index,
      text,
      test: (context) => expression.decide(context),
    })),
  )
  return {
    beforeTls: expressions.every(({ expression }) => readsAddressesOnly(expression)),
    admit: (connection, serverName) => decide(new ConnectionContext(connection, serverName)).allowed,
  }
}

const readsAddressesOnly = ({ references }: Expression): boolean =>
  [...references.fields].every((field) => addresses.has(field))

/** Attributes that are known before a handshake. */
const addresses: ReadonlySet<string> = new Set([
  'source.address',
  'source.port',
  'source.rawAddress',
  'source.rawPort',
  'source.connectHeaders',
  'destination.address',
  'destination.port',
])
