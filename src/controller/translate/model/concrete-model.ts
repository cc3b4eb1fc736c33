import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import type { ModelProviderForm } from '../../../operators/llm/kubernetes/model-fields.ts'
import { modelProviderOf, type ServedBy } from '../../../operators/llm/kubernetes/model-provider.ts'
import { modelForms } from '../../custom-resources/model-policies.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { ProxyModel } from '../../kinds/custom-resources.ts'
import { attempt } from '../attempt.ts'
import { objectFormContext } from '../policy/object-form-context.ts'
import { type PolicyCheck, type TranslatedForm, translateForms } from '../policy/translate-forms.ts'
import { checkByProxy, type ProxyCheckResult } from '../proxy-check.ts'
import { modelName } from './known-model.ts'
import type { ModelFindings } from './model-findings.ts'

/**
 * A model that a provider serves. If its address or a policy that it must not be used without is missing, no connection
 * to it succeeds: were it left out, or refused by its rules, a less specific model would get its requests.
 */
export const concreteModel = (
  reads: GraphReads,
  key: string,
  object: ProxyModel,
  { holder, problems, warnings, failures }: ModelFindings,
): File.LlmModel => {
  const { policies = {} } = object.spec
  const identity = identityOf(key, object)
  const context = objectFormContext(reads, holder, (message) => problems.push(`provider: ${message}`))
  const provider = attempt(() => modelProviderOf(object.spec as unknown as ModelProviderForm, context))
  if ('failure' in provider) {
    failures.push(provider.failure)
    problems.push('provider: cannot be translated; the log has the error')
  }
  const forms = translateForms(reads, modelForms, policies, 'policies', holder, policyCheck)
  problems.push(...forms.flatMap((form) => form.problems))
  warnings.push(...forms.flatMap((form) => form.warnings))
  failures.push(...forms.flatMap((form) => ('failure' in form ? [form.failure] : [])))
  const isClosed = !provider.value || forms.some(isClosing)
  const model: File.LlmModel = {
    ...identity,
    ...(provider.value ?? NOWHERE),
    ...policyFields(forms),
    ...(isClosed ? closed(problems.join('; ')) : {}),
  }
  const refusal = refusalOf(model)
  if (refusal === undefined) return model
  problems.push(refusal)
  return closedModel(key, object, refusal)
}

/** A model whose requests fail. */
export const closedModel = (key: string, object: ProxyModel, message: string): File.LlmModel => ({
  ...identityOf(key, object),
  ...NOWHERE,
  ...closed(message),
})

const identityOf = (key: string, object: ProxyModel): Pick<File.LlmModel, 'id' | 'name' | 'visibility'> => ({
  id: key,
  name: modelName(object),
  ...(object.spec.visibility === 'Internal' ? { visibility: 'internal' } : {}),
})

/** A provider that is never called, since no connection to it succeeds. */
const NOWHERE: ServedBy = {
  provider: { custom: { formats: [{ type: 'completions' }] } },
  params: { hostOverride: 'unresolved.invalid:443' },
}

/** The message is for the log of the proxy. */
const closed = (message: string): Pick<File.LlmModel, 'tls'> => ({ tls: { invalid: message } })

/** Whether a policy cannot be used and is about identity, access or guards. */
const isClosing = ({ isBroken, policy }: TranslatedForm): boolean =>
  isBroken && Object.keys(policy).length > 0

const policyFields = (forms: readonly TranslatedForm[]): Partial<File.LlmModel> =>
  Object.assign(
    {},
    ...forms.filter(({ isBroken }) => !isBroken).map(({ policy }) => modelFields(policy)),
  ) as Partial<File.LlmModel>

/** Policies as fields of a model. */
const modelFields = ({
  authorization,
  backendAuth,
  backendTLS,
  backendTunnel,
  health,
  requestHeaderModifier,
  responseHeaderModifier,
  ai = {},
}: File.AttachedPolicy): Partial<File.LlmModel> => ({
  ...(authorization && { authorization }),
  ...(backendAuth && { auth: backendAuth }),
  ...(backendTLS && { tls: backendTLS }),
  ...(backendTunnel && { backendTunnel }),
  ...(health && { health }),
  ...(requestHeaderModifier && { requestHeaders: requestHeaderModifier }),
  ...(responseHeaderModifier && { responseHeaders: responseHeaderModifier }),
  ...(ai.promptGuard && { guardrails: ai.promptGuard }),
  ...(ai.transformations && { transformation: ai.transformations }),
  ...(ai.finalTransformations && { finalTransformation: ai.finalTransformations }),
})

/** What proxies check of a policy does not depend on the model. */
const policyCheck: PolicyCheck = (policy) =>
  checkModel({ name: 'model', provider: 'openai', ...modelFields(policy) })

const refusalOf = (model: File.LlmModel): string | undefined => checkModel(model).refusal

const checkModel = (model: File.LlmModel): ProxyCheckResult => {
  const checked = checkByProxy(xdsResource('models', '', { models: [model] }))
  if (checked.refusal === undefined) return checked
  return { ...checked, refusal: checked.refusal.replaceAll('models[0].', '') }
}
