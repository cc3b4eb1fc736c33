import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { isNestedDeeper } from '../../../protocols/json/nested-levels.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { PolicyFields } from '../../kinds/custom-resources.ts'
import type { PolicyForm } from '../../schema/policy-form.ts'
import { attempt } from '../attempt.ts'
import { MAX_LEVELS } from '../../schema/field-levels.ts'
import { checkByProxy, type ProxyCheckResult } from '../proxy-check.ts'
import { objectFormContext, type PolicyHolder } from './object-form-context.ts'

/** A field of a section, translated. */
export interface TranslatedForm {
  /** Distinguishes it from the others of its section. */
  readonly name: string
  /** With several fields, if the form stands for several policies. */
  readonly policy: File.AttachedPolicy
  /** Whether it stands in for a policy that cannot be used. */
  readonly isBroken: boolean
  /** What is wrong, with the path of the field. */
  readonly problems: readonly string[]
  /** What is in force, and hardly meant, with the path of the field. */
  readonly warnings: readonly string[]
  /** What the translation has thrown. */
  readonly failure?: unknown
}

/** Checks a policy as proxies do. */
export type PolicyCheck = (policy: File.AttachedPolicy) => ProxyCheckResult

/**
 * Translates the fields of a section by its forms. A field that cannot be used does not hold up the others.
 *
 * @param path What precedes the names of fields in problems.
 */
export const translateForms = (
  reads: GraphReads,
  forms: Readonly<Record<string, PolicyForm>>,
  fields: PolicyFields,
  path: string,
  holder: PolicyHolder,
  check: PolicyCheck,
): readonly TranslatedForm[] =>
  Object.entries(forms)
    .filter(([name]) => Object.hasOwn(fields, name))
    .map(([name, form]) => {
      if (isNestedDeeper(fields[name], MAX_LEVELS))
        return refusedForm(name, form, `${path}.${name}: ${TOO_DEEP}`, check)
      const problems: string[] = []
      const report = (message: string) => problems.push(`${path}.${name}: ${message}`)
      const context = objectFormContext(reads, holder, report)
      const outcome = attempt(() => form.translate(fields[name] as never, context))
      if ('failure' in outcome) report('cannot be translated; the log has the error')
      const policy = outcome.value
      const checked = attempt(() => policiesOf(policy).map(check))
      const refusals = checked.value?.flatMap(({ refusal }) => refusal ?? []) ?? [UNCHECKED]
      refusals.forEach(report)
      const isUsable = policy !== undefined && refusals.length === 0
      return {
        name,
        policy: isUsable ? policy : broken(form, problems, check),
        isBroken: !isUsable,
        problems,
        warnings: isUsable ? warningsOf(`${path}.${name}`, form, checked.value ?? []) : [],
        ...('failure' in outcome ? { failure: outcome.failure } : {}),
        ...('failure' in checked ? { failure: checked.failure } : {}),
      }
    })

/** What stands in for the fields of a section of which nothing may be in force. */
export const refusedForms = (
  forms: Readonly<Record<string, PolicyForm>>,
  fields: PolicyFields,
  problem: string,
  check: PolicyCheck,
): readonly TranslatedForm[] =>
  Object.entries(forms)
    .filter(([name]) => Object.hasOwn(fields, name))
    .map(([name, form]) => refusedForm(name, form, problem, check))

const refusedForm = (
  name: string,
  form: PolicyForm,
  problem: string,
  check: PolicyCheck,
): TranslatedForm => ({
  name,
  policy: broken(form, [problem], check),
  isBroken: true,
  problems: [problem],
  warnings: [],
})

const TOO_DEEP = `is nested more than ${MAX_LEVELS} levels deep`
const UNCHECKED = 'cannot be checked; the log has the error'

/** Each once: several providers of tokens may have the same. */
const warningsOf = (
  path: string,
  { warnings: texts = {} }: PolicyForm,
  checks: readonly ProxyCheckResult[],
): readonly string[] => [
  ...new Set(
    checks.flatMap(({ warnings }) =>
      warnings.map(({ code, message }) => `${path}: ${texts[code] ?? message}`),
    ),
  ),
]

/** A form may stand for several policies; proxies get each as a resource of its own. */
const policiesOf = (policy: File.AttachedPolicy = {}): readonly File.AttachedPolicy[] =>
  Object.entries(policy as Readonly<Record<string, unknown>>).map(([field, value]): File.AttachedPolicy => ({
    [field]: value,
  }))

/** Nothing, or what is safe: where proxies would refuse that, there is nothing that it could protect. */
const broken = (
  { whenBroken }: PolicyForm,
  problems: readonly string[],
  check: PolicyCheck,
): File.AttachedPolicy => {
  const safe = policiesOf(whenBroken?.(problems.join('; ')))
  return Object.assign({}, ...safe.filter((one) => check(one).refusal === undefined)) as File.AttachedPolicy
}

/** The check of policies with targets: all of them must let a policy pass, and each may have a warning. */
export const attachedCheck =
  (targets: readonly File.PolicyTarget[], phase: Pick<File.TargetedPolicy, 'phase'>): PolicyCheck =>
  (policy) => {
    const warnings: ProxyCheckResult['warnings'][number][] = []
    for (const target of targets) {
      const checked = checkByProxy(
        xdsResource('policy', '', { name: { name: 'policy' }, target, ...phase, policy }),
      )
      if (checked.refusal !== undefined) return checked
      warnings.push(...checked.warnings)
    }
    return { warnings }
  }
