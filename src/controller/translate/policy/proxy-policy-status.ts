import { defineQuery, type Query } from '../../graph/query.ts'
import type { PolicyStatus } from '../backend-tls/backend-tls-policy-status.ts'
import { observedConditions, type StatusCondition } from '../status/status-condition.ts'
import { warningConditions } from '../status/warning-conditions.ts'
import { policyAttachments } from './policy-attachments.ts'
import { policyLimit } from './policy-limit.ts'
import { policyTargets } from './policy-targets.ts'
import { type ShadowedFields, shadowedFields } from './shadowed-fields.ts'
import { type TranslatedPolicy, translatedPolicy } from './translated-policy.ts'
import { unusedFields } from './unused-fields.ts'

/**
 * Our part of the status of a ProxyPolicy, by its key: each Gateway whose proxies get it is an ancestor, and what it is
 * not attached to has an entry of its own. Undefined if there are none. The sink leaves out what is beyond the limit.
 */
export const proxyPolicyStatus: Query<PolicyStatus | undefined> = defineQuery(
  'proxyPolicyStatus',
  (reads, key) => {
    const policy = reads.object('ProxyPolicy', key)
    const translated = reads.query(translatedPolicy, key)
    if (!policy || !translated) return undefined
    const limit = reads.query(policyLimit, key)
    const entry = (
      ancestorRef: PolicyStatus['ancestors'][number]['ancestorRef'],
      conditions: readonly StatusCondition[],
    ) => ({
      ancestorRef,
      controllerName: reads.settings.controllerName,
      conditions: observedConditions(conditions, policy.metadata.generation),
    })
    if (limit) return { ancestors: [entry(STATUS_SUMMARY, beyondLimit(limit.problem))] }
    const attachments = reads.query(policyAttachments, key)
    const missing = [
      ...reads.query(policyTargets, key).problems,
      ...attachments.flatMap(({ problem }) =>
        problem === undefined ? [] : [`Policy is not attached: ${problem}`],
      ),
    ]
    const gateways = [...new Set(attachments.flatMap((one) => one.gateways))].sort()
    const accepted = acceptedCondition(translated)
    const warnings = warningConditions([
      ...translated.forms.flatMap((form) => form.warnings),
      ...reads.query(unusedFields, key),
    ])
    const shadowed = shadowedByGateway(reads.query(shadowedFields, key))
    const ancestors = [
      ...gateways.map((gateway) => {
        const [namespace = '', name = ''] = gateway.split('/')
        return entry({ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace, name }, [
          accepted,
          ...attachedCondition(accepted),
          ...shadowedCondition(shadowed.get(gateway) ?? []),
          ...warnings,
        ])
      }),
      ...(missing.length === 0
        ? []
        : [entry(STATUS_SUMMARY, [accepted, notAttached([...new Set(missing)].sort().join('\n'))])]),
    ]
    return ancestors.length === 0 ? undefined : { ancestors }
  },
)

const acceptedCondition = ({ forms }: TranslatedPolicy): StatusCondition => {
  const problems = forms.flatMap((form) => form.problems)
  const accepted = { type: 'Accepted', message: problems.join('; ') }
  if (problems.length === 0)
    return { ...accepted, status: 'True', reason: 'Valid', message: 'Policy accepted' }
  return forms.some(({ isBroken }) => !isBroken)
    ? { ...accepted, status: 'True', reason: 'PartiallyValid' }
    : { ...accepted, status: 'False', reason: 'Invalid' }
}

const beyondLimit = (problem: string): readonly StatusCondition[] => [
  { type: 'Accepted', status: 'False', reason: 'TooManyTargets', message: problem },
  notAttached(INVALID),
]

/** Nothing is said of a policy that is partly valid: what was said before stays. */
const attachedCondition = ({ reason }: StatusCondition): readonly StatusCondition[] => {
  if (reason === 'Invalid') return [notAttached(INVALID)]
  return reason === 'Valid'
    ? [{ type: 'Attached', status: 'True', reason: 'Attached', message: 'Attached to all targets' }]
    : []
}

/** A policy may be at many Gateways, and lose at each of them. */
const shadowedByGateway = (
  shadowed: readonly ShadowedFields[],
): ReadonlyMap<string, readonly ShadowedFields[]> => {
  const byGateway = new Map<string, ShadowedFields[]>()
  for (const one of shadowed)
    for (const gateway of one.gateways) {
      const known = byGateway.get(gateway)
      if (known) known.push(one)
      else byGateway.set(gateway, [one])
    }
  return byGateway
}

/** Which fields older policies of the same targets replace. Absent if there are none. */
const shadowedCondition = (shadowed: readonly ShadowedFields[]): readonly StatusCondition[] => {
  if (shadowed.length === 0) return []
  const texts = shadowed
    .slice(0, SHADOWS_SHOWN)
    .map(
      ({ fields, target, by }) =>
        `ProxyPolicy ${by} is older and comes first at ${target}, in place of ${fields.join(', ')}`,
    )
  return [
    {
      type: 'agentgateway.dev/Shadowed',
      status: 'True',
      reason: 'DuplicateField',
      message: texts.join('; ').slice(0, MESSAGE_LIMIT),
    },
  ]
}

/** A policy may select very many objects; messages beyond the limit are cut. */
const SHADOWS_SHOWN = 32
/** Characters. The API server refuses statuses with longer messages than 32768. */
const MESSAGE_LIMIT = 4096

const INVALID = 'Policy is not attached due to invalid status'

const notAttached = (message: string): StatusCondition => ({
  type: 'Attached',
  status: 'False',
  reason: 'Pending',
  message,
})

/** The ancestor of what is true of no Gateway in particular. */
const STATUS_SUMMARY = { group: 'agentgateway.dev', name: 'StatusSummary' } as const
