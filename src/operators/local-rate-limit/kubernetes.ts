import type * as File from '../../config/schema/file-types.gen.ts'
import { conditionalField, type ConditionalForm } from '../../controller/schema/conditional-field.ts'
import { type FormOf, type ObjectForm, requiredField } from '../../controller/schema/field.ts'
import type { FormContext } from '../../controller/schema/form-context.ts'
import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'
import { enumField, integerField } from '../../controller/schema/scalar-fields.ts'
import { atLeastOneOf, exactlyOneOf } from '../../controller/schema/validation-rule.ts'
import { globalRateLimitField, remoteRateLimitOf } from '../remote-rate-limit/kubernetes.ts'

const MAX = 2 ** 31 - 1

const localRateLimitField = objectField(
  'A limit of each proxy.',
  {
    requests: integerField('Requests in a unit of time.', { minimum: 1, maximum: MAX }),
    tokens: integerField('Tokens of language models in a unit of time.', { minimum: 1, maximum: MAX }),
    unit: requiredField(enumField('Unit of time.', ['Seconds', 'Minutes', 'Hours'])),
    burst: integerField('How many more may come at once.', { minimum: 0, maximum: MAX }),
  },
  { rules: [exactlyOneOf('requests', 'tokens')] },
)

type LocalRateLimitForm = FormOf<typeof localRateLimitField>

/** A token bucket of a file, which begins full. */
const localLimitOf = ({ requests, tokens, unit, burst = 0 }: LocalRateLimitForm): File.LocalLimit => {
  const perUnit = requests ?? tokens ?? 1
  return {
    maxTokens: Math.min(perUnit + burst, MAX),
    tokensPerFill: perUnit,
    fillInterval: intervals[unit],
    type: requests === undefined ? 'tokens' : 'requests',
  }
}

const intervals = { Seconds: '1s', Minutes: '1m', Hours: '1h' } as const

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
