import type * as File from '../../config/schema/file-types.gen.ts'
import { localLimitOf, localRateLimitField } from '../../operators/local-rate-limit/kubernetes.ts'
import { globalRateLimitField, remoteRateLimitOf } from '../../operators/remote-rate-limit/kubernetes.ts'
import { conditionalField, type ConditionalForm } from '../schema/conditional-field.ts'
import type { ObjectForm } from '../schema/field.ts'
import type { FormContext } from '../schema/form-context.ts'
import { listField } from '../schema/object-fields.ts'
import { policyForm, refuseRequests } from '../schema/policy-form.ts'
import { atLeastOneOf } from '../schema/validation-rule.ts'

const fields = {
  local: listField('Limits of each proxy.', localRateLimitField, { minItems: 1, maxItems: 16 }),
  global: globalRateLimitField,
}

/** `traffic.rateLimit` of a ProxyPolicy: two policies of a file in one. */
export const rateLimitForm = policyForm({
  field: conditionalField('Limits how many requests pass.', fields, [atLeastOneOf('local', 'global')]),
  translate: (form, context) => {
    const { conditional, ...own } = form
    return conditional === undefined ? limitsOf(own, context) : conditionalLimits(conditional, context)
  },
  whenBroken: refuseRequests,
})

type RateLimitFields = ObjectForm<typeof fields>

const limitsOf = (
  { local, global }: RateLimitFields,
  context: FormContext,
): File.AttachedPolicy | undefined => {
  const remote = global && remoteRateLimitOf(global, context)
  if (global && !remote) return undefined
  return {
    ...(local === undefined ? {} : { localRateLimit: local.map(localLimitOf) }),
    ...(remote === undefined ? {} : { remoteRateLimit: remote }),
  }
}

/**
 * Entries become those of both policies. In each, an entry of which it has nothing must still keep the later ones from
 * applying, which neither notation can express: entries that have one of the two are refused beside those with the other.
 */
const conditionalLimits = (
  entries: NonNullable<ConditionalForm<RateLimitFields>['conditional']>,
  context: FormContext,
): File.AttachedPolicy | undefined => {
  const isLocal = entries.every(({ policy }) => policy.local !== undefined)
  const isGlobal = entries.every(({ policy }) => policy.global !== undefined)
  const isMixed = entries.some(
    ({ policy }) => (policy.local !== undefined && !isLocal) || (policy.global !== undefined && !isGlobal),
  )
  if (isMixed) {
    context.report('either all entries of conditional have local limits or none, and so with global ones')
    return undefined
  }
  if (isLocal && entries.some(({ policy }) => policy.local?.length !== 1)) {
    context.report('an entry of conditional can have one local limit')
    return undefined
  }
  const remotes = isGlobal
    ? entries.map(({ policy }) => policy.global && remoteRateLimitOf(policy.global, context))
    : []
  if (remotes.includes(undefined)) return undefined
  const conditionOf = ({ condition }: { readonly condition?: string }) =>
    condition === undefined ? {} : { condition }
  return {
    ...(isLocal
      ? {
          localRateLimit: {
            conditional: entries.flatMap((entry) =>
              (entry.policy.local ?? []).map((limit) => ({ ...localLimitOf(limit), ...conditionOf(entry) })),
            ),
          },
        }
      : {}),
    ...(isGlobal
      ? {
          remoteRateLimit: {
            conditional: entries.map((entry, index) => ({
              ...(remotes[index] as File.RemoteRateLimit),
              ...conditionOf(entry),
            })),
          },
        }
      : {}),
  }
}
