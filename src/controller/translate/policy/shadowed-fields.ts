import type * as File from '../../../config/schema/file-types.gen.ts'
import type { PolicySection } from '../../custom-resources/policy-forms.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { mergedKinds } from './merged-kinds.ts'
import { attachmentsByTarget } from './policy-attachments.ts'
import { policiesByTarget } from './policy-targets.ts'
import { sectionPhase, translatedPolicy } from './translated-policy.ts'

/** Fields of a ProxyPolicy that have no effect at a target, because an older policy sets them there. */
export interface ShadowedFields {
  /** The paths of the fields. */
  readonly fields: readonly string[]
  /** The kind and `namespace/name` of the target, with `/section` or `/port=N`. */
  readonly target: string
  /** The key of the older policy; of two that are equally old, it comes first by name. */
  readonly by: string
  /** The keys of the Gateways whose proxies have both. */
  readonly gateways: readonly string[]
}

/**
 * What older policies with the same target leave of a ProxyPolicy without effect, by its key. Policies of fields that
 * proxies combine, and policies whose targets contain one another, do not shadow each other.
 */
export const shadowedFields: Query<readonly ShadowedFields[]> = defineQuery('shadowedFields', (reads, key) =>
  [...reads.query(attachmentsByTarget, key).keys()].flatMap(
    (id) => reads.query(shadowedAtTarget, id)[key] ?? [],
  ),
)

/** The shadowed fields of all policies of a target, by their keys. Key: `kind/namespace/name` of the target. */
const shadowedAtTarget: Query<Readonly<Record<string, readonly ShadowedFields[]>>> = defineQuery(
  'shadowedAtTarget',
  (reads, id) => {
    const policies = reads.query(policiesOfTarget, id)
    if (policies.length < 2) return {}
    const owners = new Map<string, string>()
    const shadowed: Record<string, readonly ShadowedFields[]> = {}
    const byAge = policies
      .map((key) => ({ key, age: `${reads.query(policyAge, key)} ${key}` }))
      .sort((a, b) => (a.age < b.age ? -1 : 1))
    for (const { key } of byAge) {
      // A policy that cannot be computed shadows no other.
      const settings = reads.tryQuery(policySettings, key) ?? []
      const found: ShadowedFields[] = []
      for (const { target, name, gateways } of reads.tryQuery(attachmentsByTarget, key)?.get(id) ?? []) {
        const fields = new Map<string, Set<string>>()
        const at = JSON.stringify(target)
        for (const { field, conflictKey } of settings) {
          const owned = `${at} ${conflictKey}`
          const by = owners.get(owned)
          if (by === undefined) owners.set(owned, key)
          else if (by !== key) fields.set(by, (fields.get(by) ?? new Set()).add(field))
        }
        const kind = id.slice(0, id.indexOf('/'))
        for (const [by, names] of fields)
          found.push({ fields: [...names], target: `${kind} ${name}`, by, gateways })
      }
      if (found.length > 0) shadowed[key] = found
    }
    return shadowed
  },
)

const policiesOfTarget: Query<readonly string[]> = defineQuery(
  'policiesOfTarget',
  (reads, id) => reads.query(policiesByTarget, '').get(id) ?? [],
)

/** When a policy was created, by its key. */
const policyAge: Query<string> = defineQuery(
  'policyAge',
  (reads, key) => reads.object('ProxyPolicy', key)?.metadata.creationTimestamp ?? '',
)

interface PolicySetting {
  /** The path of the field that it is of. */
  readonly field: string
  /** Equal for settings of which proxies keep one. */
  readonly conflictKey: string
}

/** What a policy sets that only one policy of a target can set, by its key. */
const policySettings: Query<readonly PolicySetting[]> = defineQuery('policySettings', (reads, key) => {
  const policy = reads.object('ProxyPolicy', key)
  if (!policy) return []
  return (reads.query(translatedPolicy, key)?.forms ?? []).flatMap(({ name, section, policy: set }) =>
    Object.entries(set as Readonly<Record<string, unknown>>).flatMap(([kind, value], _, { length }) => {
      // A field may stand for several policies, of which others may leave some.
      const isOne = length === 1
      const phase = sectionPhase(policy, section).phase ?? (section === 'frontend' ? 'frontend' : 'route')
      return partsOf(section, kind, value).map((part) => ({
        field: [section, name, ...part].join('.') + (isOne ? '' : ` (${kind})`),
        // All of `frontend` is one kind: proxies merge its fields one by one, and each is that of a form.
        conflictKey: JSON.stringify([phase, section === 'frontend' ? name : kind, ...part]),
      }))
    }),
  )
})

/** The parts of which one policy replaces another, as paths. None for policies that are combined as a whole. */
const partsOf = (section: PolicySection, kind: string, value: unknown): readonly (readonly string[])[] => {
  if (section === 'frontend' || !mergedKinds.has(kind)) return [[]]
  if (kind !== 'ai') return []
  return Object.entries(value as File.AiPolicy).flatMap(([name, part]: [string, unknown]) => {
    if (bodyFields.has(name)) return Object.keys(part as object).map((field) => [name, field])
    return [[name === 'prompts' ? 'prompt' : name]]
  })
}

/** Those of `ai` that are combined field by field of the body. */
const bodyFields = new Set(['defaults', 'overrides', 'transformations', 'finalTransformations'])
