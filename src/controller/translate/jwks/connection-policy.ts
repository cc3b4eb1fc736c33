import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { backendForms } from '../../custom-resources/backend-policies.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ProxyPolicy } from '../../kinds/custom-resources.ts'
import type { FormContext } from '../../schema/form-context.ts'
import type { PolicyForm } from '../../schema/policy-form.ts'
import { attempt } from '../attempt.ts'
import { formReferences, type ReferenceHolder } from '../policy/form-references.ts'
import { policiesByTarget, policyTargets, targetId } from '../policy/policy-targets.ts'
import { proxyRefusal } from '../proxy-check.ts'

/** A port of a Service, or a ProxyBackend, that the control plane itself connects to. */
export interface ConnectionTarget {
  /** `Service/namespace/name` or `ProxyBackend/namespace/name`. */
  readonly id: string
  /** The port of the Service. */
  readonly port: number
}

/** The policies of backends that connections of the control plane heed. */
export type ConnectionField = 'tls' | 'tunnel' | 'auth'

/** A field of backend policies, translated, and whose it is. */
export interface ConnectionPolicy {
  /** `ProxyBackend/namespace/name` or `ProxyPolicy/namespace/name`. */
  readonly owner: string
  readonly policy: File.AttachedPolicy
  /** What it sends requests to, as `id` of a target. */
  readonly references: readonly string[]
  /** Why it cannot be used. */
  readonly problem: string | undefined
}

/**
 * The field that applies to a target: that of the ProxyBackend itself, or of a ProxyPolicy. A policy of the port precedes
 * those of the whole Service, then an older one a younger one, then the first by name. Undefined if nothing sets it.
 *
 * It is not that of `translatedPolicy`, which may depend on the keys that are fetched from the target.
 */
export const connectionPolicy = (
  reads: GraphReads,
  { id, port }: ConnectionTarget,
  field: ConnectionField,
): ConnectionPolicy | undefined => reads.query(connectionPolicies, `${field} ${port} ${id}`)

const connectionPolicies: Query<ConnectionPolicy | undefined> = defineQuery(
  'connectionPolicies',
  (reads, key) => {
    const [field = '', port = '', id = ''] = key.split(' ')
    if (!isConnectionField(field)) return undefined
    const own = inlineField(reads, id, field)
    if (own !== undefined) return translated(reads, id, field, own)
    const [nearest] = attachedPolicies(reads, id, port)
      .filter(({ policy }) => policy.spec.backend?.[field] !== undefined)
      .sort(byPrecedence)
    return (
      nearest && translated(reads, `ProxyPolicy/${nearest.key}`, field, nearest.policy.spec.backend?.[field])
    )
  },
)

const isConnectionField = (field: string): field is ConnectionField => Object.hasOwn(FIELDS, field)

const FIELDS: Readonly<Record<ConnectionField, PolicyForm>> = {
  tls: backendForms.tls,
  tunnel: backendForms.tunnel,
  auth: backendForms.auth,
}

const inlineField = (reads: GraphReads, id: string, field: ConnectionField): unknown =>
  id.startsWith(BACKEND)
    ? reads.object('ProxyBackend', id.slice(BACKEND.length))?.spec.policies?.[field]
    : undefined

interface AttachedPolicy {
  readonly key: string
  readonly policy: ProxyPolicy
  /** Whether it is attached to the port alone. */
  readonly isOfPort: boolean
}

const attachedPolicies = (reads: GraphReads, id: string, port: string): AttachedPolicy[] =>
  (reads.query(policiesByTarget, '').get(id) ?? []).flatMap((key) => {
    const policy = reads.object('ProxyPolicy', key)
    if (!policy) return []
    const sections = reads
      .query(policyTargets, key)
      .references.filter((target) => targetId(policy, target) === id)
      .map(({ sectionName }) => sectionName)
    const isOfPort = id.startsWith(SERVICE) && sections.includes(port)
    return isOfPort || sections.includes(undefined) ? [{ key, policy, isOfPort }] : []
  })

/** All are of one namespace. */
const byPrecedence = (a: AttachedPolicy, b: AttachedPolicy): number => {
  if (a.isOfPort !== b.isOfPort) return a.isOfPort ? -1 : 1
  const [first, second] = [a, b].map(
    ({ key, policy }) => `${policy.metadata.creationTimestamp ?? ''} ${key}`,
  ) as [string, string]
  return first < second ? -1 : 1
}

const translated = (
  reads: GraphReads,
  owner: string,
  field: ConnectionField,
  form: unknown,
): ConnectionPolicy => {
  const [kind = '', namespace = ''] = owner.split('/')
  const holder: ReferenceHolder = {
    kind: kind as ReferenceHolder['kind'],
    namespace,
    references: new Set(),
  }
  const problems: string[] = []
  const report = (message: string) => problems.push(message)
  // None of these fields has keys that are fetched.
  const context: FormContext = { ...formReferences(reads, holder, report), remoteKeys: () => undefined }
  const policy = attempt(() => FIELDS[field].translate(form as never, context)).value
  const refusal = policy && refusalOf(policy)
  if (refusal !== undefined) report(refusal)
  const isUsable = policy !== undefined && problems.length === 0
  return {
    owner,
    policy: isUsable ? policy : {},
    references: [...holder.references],
    problem: isUsable ? undefined : `${field} of ${shown(owner)}: ${problems.join('; ') || UNREADABLE}`,
  }
}

const refusalOf = (policy: File.AttachedPolicy): string | undefined =>
  proxyRefusal(
    xdsResource('policy', '', {
      name: { name: 'policy' },
      target: { backend: { backend: { name: 'backend' } } },
      policy,
    }),
  )

/** An id as messages have it. */
export const shown = (id: string): string => id.replace('/', ' ')

const UNREADABLE = 'cannot be translated'
const BACKEND = 'ProxyBackend/'
const SERVICE = 'Service/'
