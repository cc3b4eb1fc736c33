import type * as File from '../../../config/schema/file-types.gen.ts'
import { type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { backendKinds } from '../../custom-resources/backend-kinds.ts'
import { backendForms } from '../../custom-resources/backend-policies.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ProxyBackend } from '../../kinds/custom-resources.ts'
import type { BackendParts } from '../../schema/backend-form.ts'
import { attempt } from '../attempt.ts'
import type { KeySetSource } from '../jwks/key-set-source.ts'
import type { PolicyHolder } from '../policy/object-form-context.ts'
import { type TranslatedForm, translateForms } from '../policy/translate-forms.ts'
import { proxyRefusal } from '../proxy-check.ts'
import { adminServerWarnings } from './admin-server-warnings.ts'
import { backendFormContext } from './backend-form-context.ts'
import { inlineCheck, inlinePolicies, refusing } from './inline-policies.ts'

/** A ProxyBackend, translated. */
export interface TranslatedBackend {
  /** Undefined if nothing of it can be used. */
  readonly resource: XdsResource | undefined
  /** What is wrong, with the path of the field. */
  readonly problems: readonly string[]
  /** What it and its policies do, and is hardly meant, with the path of the field. */
  readonly warnings: readonly string[]
  /** What it and its policies send requests to: `Service/namespace/name`, and the same of ProxyBackends and InferencePools, sorted. */
  readonly references: readonly string[]
  /** The key sets that its policies need. */
  readonly keySets: readonly KeySetSource[]
  /** The names of providers or servers that stand for several. */
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** What the translation has thrown. */
  readonly failures: readonly unknown[]
}

/** A ProxyBackend, by its key; undefined if there is none. */
export const translatedBackend: Query<TranslatedBackend | undefined> = defineQuery(
  'translatedBackend',
  (reads, key) => {
    const backend = reads.object('ProxyBackend', key)
    if (!backend) return undefined
    const holder: PolicyHolder = {
      kind: 'ProxyBackend',
      namespace: backend.metadata.namespace ?? '',
      references: new Set(),
      keySets: new Map(),
    }
    const problems: string[] = []
    const warnings: string[] = []
    const failures: unknown[] = []
    const onForms = (forms: readonly TranslatedForm[]): void => {
      problems.push(...forms.flatMap((form) => form.problems))
      warnings.push(...forms.flatMap((form) => form.warnings))
      failures.push(...forms.flatMap((form) => ('failure' in form ? [form.failure] : [])))
    }
    const groups = new Map<string, string[]>()
    const model = backendModel(reads, key, backend, { holder, problems, warnings, failures, onForms, groups })
    return {
      resource: model && xdsResource('backend', key, model),
      problems,
      warnings,
      references: [...holder.references].sort(),
      keySets: [...holder.keySets.values()],
      groups: Object.fromEntries(groups),
      failures,
    }
  },
)

/** What the translation of a backend finds besides its model. */
interface Findings {
  readonly holder: PolicyHolder
  readonly problems: string[]
  readonly warnings: string[]
  readonly failures: unknown[]
  readonly onForms: (forms: readonly TranslatedForm[]) => void
  readonly groups: Map<string, string[]>
}

const backendModel = (
  reads: GraphReads,
  name: string,
  { spec }: ProxyBackend,
  findings: Findings,
): File.NamedBackend | undefined => {
  const { holder, problems, onForms } = findings
  const parts = kindParts(reads, spec, findings)
  if (!parts) return undefined
  const { policies: implied, ...kind } = parts
  const forms = translateForms(
    reads,
    backendForms,
    spec.policies ?? {},
    'policies',
    holder,
    inlineCheck(kind),
  )
  onForms(forms)
  const model = withPolicies(name, kind, { ...implied, ...inlinePolicies(forms) })
  const refusal = refusalOf(model)
  if (refusal === undefined) return model
  problems.push(refusal)
  // Without its policies it might do what it must not.
  const closed = withPolicies(name, kind, refusing(refusal))
  return refusalOf(closed) === undefined ? closed : undefined
}

const kindParts = (
  reads: GraphReads,
  spec: ProxyBackend['spec'],
  { holder, problems, warnings, failures, onForms, groups }: Findings,
): BackendParts | undefined => {
  const name = Object.keys(backendKinds).find((one) => spec[one] !== undefined)
  const form = name === undefined ? undefined : backendKinds[name]
  if (name === undefined || !form) {
    problems.push('the kind of backend is not known')
    return undefined
  }
  const report = (message: string) => problems.push(`${name}: ${message}`)
  const group = (of: string, part: string): void => {
    groups.set(of, [...(groups.get(of) ?? []), part])
  }
  const context = backendFormContext(reads, holder, { report, onForms, group, path: name })
  const outcome = attempt(() => form.translate(spec[name] as never, context))
  if (!('failure' in outcome)) {
    warnings.push(...adminServerWarnings(outcome.value ?? {}).map((text) => `${name}: ${text}`))
    return outcome.value
  }
  failures.push(outcome.failure)
  report('cannot be translated; the log has the error')
  return undefined
}

const withPolicies = (
  name: string,
  kind: Omit<BackendParts, 'policies'>,
  policies: File.BackendPolicies,
): File.NamedBackend => ({ name, ...kind, ...(Object.keys(policies).length === 0 ? {} : { policies }) })

const refusalOf = (model: File.NamedBackend): string | undefined =>
  proxyRefusal(xdsResource('backend', '', model))
