import type * as File from '../../../config/schema/file-types.gen.ts'
import { modelPatternFormat } from '../../../config/format/model-pattern.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { backendLocations } from '../../../config/validate/backend-locations.ts'
import { type AiBackendLocation, aiBackendLocations, providersOf } from './locations.ts'
import { policyContainers } from '../../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Checks language models as backends of routes, and the policy `ai`. */
export const checkAiBackends: Check = (view) => {
  for (const site of aiBackendLocations(view)) examineSite(view, site)
  for (const { policies, pointer } of [...policyContainers(view), ...backendLocations(view)])
    if (policies.ai !== undefined) examinePolicy(view, policies.ai, child(pointer, 'ai'))
}

function examineSite(view: ValidationContext, site: AiBackendLocation): void {
  const providers = providersOf(view, site)
  const seen = new Map<string, string>()
  for (const { value, pointer } of providers) {
    const first = seen.get(value.name)
    if (first === undefined) seen.set(value.name, pointer)
    else
      view.wrongValue(
        child(pointer, 'name'),
        `is the name of another provider already: ${view.document.display(first)}`,
        { value: value.name },
      )
    const { hostOverride, service } = value
    if (value.provider.custom !== undefined && hostOverride === undefined && service === undefined)
      view.problem(pointer, "custom needs 'hostOverride' or 'service'")
    if (hostOverride !== undefined && service !== undefined)
      view.problem(child(pointer, 'service'), "cannot be set with 'hostOverride'")
    const { guardrailIdentifier: id, guardrailVersion: version } = value.provider.bedrock ?? {}
    if ((id === undefined) !== (version === undefined))
      view.problem(
        child(child(pointer, 'provider'), 'bedrock'),
        "'guardrailIdentifier' and 'guardrailVersion' belong together",
      )
    const { ai } = value.policies ?? {}
    const at = child(child(pointer, 'policies'), 'ai')
    if (ai !== undefined) examinePolicy(view, ai, at)
    if (ai?.routes !== undefined && providers.length > 1)
      view.warning(
        child(at, 'routes'),
        'no_effect',
        'has no effect on one of several providers: what requests are is known before one is chosen',
      )
  }
}

function examinePolicy(view: ValidationContext, { modelAliases }: File.AiPolicy, pointer: string): void {
  for (const pattern of Object.keys(modelAliases ?? {})) {
    const complaint = modelPatternFormat(pattern)
    if (complaint !== undefined)
      view.warning(child(child(pointer, 'modelAliases'), pattern), 'alias_never_fits', complaint.expectation)
  }
}
