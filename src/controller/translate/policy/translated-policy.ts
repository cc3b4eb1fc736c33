import type * as File from '../../../config/schema/file-types.gen.ts'
import { policyForms, type PolicySection } from '../../custom-resources/policy-forms.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { ProxyPolicy } from '../../kinds/custom-resources.ts'
import type { KeySetSource } from '../jwks/key-set-source.ts'
import { mergedKinds } from './merged-kinds.ts'
import { policyLimit } from './policy-limit.ts'
import {
  attachedCheck,
  type PolicyCheck,
  refusedForms,
  type TranslatedForm,
  translateForms,
} from './translate-forms.ts'

/** The policies of a ProxyPolicy, wherever they are attached. */
export interface TranslatedPolicy {
  readonly forms: readonly (TranslatedForm & { readonly section: PolicySection })[]
  /** What they send requests to: `Service/namespace/name` or `ProxyBackend/namespace/name`, sorted. */
  readonly references: readonly string[]
  /** The key sets that they need. */
  readonly keySets: readonly KeySetSource[]
}

/** A ProxyPolicy, translated, by its key; undefined if there is none. Nothing of one beyond the limit can be used. */
export const translatedPolicy: Query<TranslatedPolicy | undefined> = defineQuery(
  'translatedPolicy',
  (reads, key) => {
    const policy = reads.object('ProxyPolicy', key)
    if (!policy) return undefined
    const references = new Set<string>()
    const keySets = new Map<string, KeySetSource>()
    const namespace = policy.metadata.namespace ?? ''
    const holder = { kind: 'ProxyPolicy', namespace, references, keySets } as const
    const limit = reads.query(policyLimit, key)
    const translated = (section: PolicySection, checkOf: (check: PolicyCheck) => PolicyCheck = same) => {
      const fields = policy.spec[section]
      if (!fields) return []
      const check = checkOf(attachedCheck(exampleTargets(policy), sectionPhase(policy, section)))
      const of = limit
        ? refusedForms(policyForms[section], fields, limit.problem, check)
        : translateForms(reads, policyForms[section], fields, section, holder, check)
      return of.map((form) => ({ ...form, section }))
    }
    const traffic = translated('traffic')
    const isOnePhase = sectionPhase(policy, 'traffic').phase === undefined
    const forms = [
      ...translated('frontend'),
      ...traffic,
      ...translated('backend', (check) => (isOnePhase ? besides(traffic, check) : check)),
    ]
    return { forms, references: [...references].sort(), keySets: [...keySets.values()] }
  },
)

/** The phase of the policies of a section; that after routing is the default. */
export const sectionPhase = (
  { spec }: ProxyPolicy,
  section: PolicySection,
): Pick<File.TargetedPolicy, 'phase'> =>
  section === 'traffic' && spec.traffic?.phase === 'PreRouting' ? { phase: 'gateway' } : {}

const same = (check: PolicyCheck): PolicyCheck => check

/**
 * The check of `backend` beside `traffic`, whose targets have one policy of a kind: one of the two would be gone without
 * a word.
 */
const besides =
  (traffic: readonly TranslatedForm[], check: PolicyCheck): PolicyCheck =>
  (policy) => {
    const other = traffic.find((form) =>
      Object.keys(form.policy).some((kind) => Object.hasOwn(policy, kind) && !mergedKinds.has(kind)),
    )
    return other
      ? {
          refusal: `traffic.${other.name} is in its place at these targets; attach a policy of its own to the backends`,
          warnings: [],
        }
      : check(policy)
  }

/**
 * What proxies check depends on the kind of the target, and not on its name. The API server lets one kind pass, for which
 * the section may be.
 */
const exampleTargets = ({ spec }: ProxyPolicy): readonly File.PolicyTarget[] => {
  const targets = [...(spec.targetRefs ?? []), ...(spec.targetSelectors ?? [])]
  return [...new Set(targets.map(({ kind }) => kind))].map(exampleTarget)
}

const exampleTarget = (kind: string): File.PolicyTarget => {
  if (kind === 'ProxyBackend') return { backend: { backend: { name: 'backend' } } }
  if (kind === 'Service' || kind === 'InferencePool') return { backend: { service: { hostname: 'service' } } }
  if (kind === 'ListenerSet') return { listenerSet: { name: 'set' } }
  return kind === 'HTTPRoute' || kind === 'GRPCRoute'
    ? { route: { name: 'route' } }
    : { gateway: { gatewayName: 'gateway' } }
}
