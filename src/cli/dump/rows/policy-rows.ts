import { inlinePolicyNames, listenerRows } from './listener-rows.ts'
import { routeRows } from './route-rows.ts'
import {
  dumpItems,
  type DumpMembers,
  dumpMembers,
  dumpNumber,
  dumpText,
  dumpVariant,
} from '../json-access.ts'

/** Policies with one target. */
export interface ConfigPolicyRow {
  /** The name of a policy with a target; empty for those that a listener, a route or a backend has itself. */
  readonly name: string
  /** `gateway default/web`, `route shop`, `backend /models`. */
  readonly target: string
  readonly phase: string
  readonly policies: readonly string[]
}

/** Policies with targets, followed by those that listeners, routes and backends have themselves. */
export const configPolicyRows = (dump: DumpMembers): readonly ConfigPolicyRow[] => [
  ...dumpItems(dump.policies).map((value) => targetedRow(dumpMembers(value))),
  ...ownRows(
    'listener',
    listenerRows(dump).map(({ name, policies }) => [name, policies]),
  ),
  ...ownRows(
    'route',
    routeRows(dump).map(({ route, policies }) => [route, policies]),
  ),
  ...ownRows('backend', dumpItems(dump.backends).map(backendPolicies)),
]

const backendPolicies = (value: unknown): readonly [string, readonly string[]] => {
  const item = dumpMembers(value)
  const { name, namespace } = dumpMembers(dumpVariant(item.backend)[1])
  return [`${dumpText(namespace)}/${dumpText(name)}`, inlinePolicyNames(item)]
}

const ownRows = (kind: string, list: readonly (readonly [string, readonly string[]])[]): ConfigPolicyRow[] =>
  list
    .filter(([, policies]) => policies.length > 0)
    .map(([name, policies]) => ({ name: '', target: `${kind} ${name}`, phase: '', policies }))

const targetedRow = (item: DumpMembers): ConfigPolicyRow => {
  const { name, namespace } = dumpMembers(item.name)
  const fullName = [namespace, name]
    .map(dumpText)
    .filter((part) => part !== '')
    .join('/')
  return {
    name: fullName || dumpText(item.name) || dumpText(item.key),
    target: policyTarget(item.target),
    phase: dumpText(item.phase),
    policies: Object.keys(dumpMembers(item.policy)),
  }
}

const policyTarget = (value: unknown): string => {
  const [kind, target] = dumpVariant(value)
  if (typeof target === 'string') return `${kind} ${target}`
  const { gatewayNamespace, gatewayName, listenerName, port, namespace, name, ...rest } = dumpMembers(target)
  const parts = [gatewayNamespace ?? namespace, gatewayName ?? name, listenerName, ...Object.values(rest)]
  const path = parts.filter((part) => typeof part === 'string' && part !== '').join('/')
  const number = dumpNumber(port)
  return `${kind} ${path}${number === undefined ? '' : `:${String(number)}`}`
}
