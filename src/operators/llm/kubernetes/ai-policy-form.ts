import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { policyForm } from '../../../controller/schema/policy-form.ts'
import { guardWarnings, promptGuardOf, refusingGuards } from '../guardrails/kubernetes/prompt-guard.ts'
import { aiPolicyField, type AiPolicyForm, requestFormats } from './ai-policy-field.ts'

/** `backend.ai` of a ProxyPolicy. It may have guards: what is wrong with it lets nothing pass. */
export const aiPolicyForm = policyForm({
  field: aiPolicyField,
  translate: (form, context) => ({ ai: aiPolicyOf(form, context) }),
  whenBroken: (message) => ({ ai: { promptGuard: refusingGuards(message) } }),
  warnings: guardWarnings,
})

const aiPolicyOf = (form: AiPolicyForm, context: FormContext): File.AiPolicy => {
  const { prompt, promptGuard, defaults, overrides, transformations, finalTransformations } = form
  const { modelAliases, promptCaching, routes } = form
  return {
    ...(routes === undefined ? {} : { routes: routesOf(routes) }),
    ...(defaults === undefined ? {} : { defaults: valuesOf(defaults) }),
    ...(overrides === undefined ? {} : { overrides: valuesOf(overrides) }),
    ...(transformations === undefined ? {} : { transformations: fieldExpressionsOf(transformations) }),
    ...(finalTransformations === undefined
      ? {}
      : { finalTransformations: fieldExpressionsOf(finalTransformations) }),
    ...(modelAliases === undefined ? {} : { modelAliases: { ...modelAliases } }),
    ...(prompt === undefined ? {} : { prompts: promptsOf(prompt) }),
    ...(promptCaching === undefined ? {} : { promptCaching: { ...promptCaching } }),
    ...(promptGuard === undefined ? {} : { promptGuard: promptGuardOf(promptGuard, context) }),
  }
}

const routesOf = (routes: NonNullable<AiPolicyForm['routes']>): NonNullable<File.AiPolicy['routes']> =>
  Object.fromEntries(Object.entries(routes).map(([suffix, format]) => [suffix, requestFormats[format]]))

const promptsOf = ({
  prepend,
  append,
}: NonNullable<AiPolicyForm['prompt']>): NonNullable<File.AiPolicy['prompts']> => ({
  ...(prepend === undefined ? {} : { prepend: prepend.map((message) => ({ ...message })) }),
  ...(append === undefined ? {} : { append: append.map((message) => ({ ...message })) }),
})

/** Of several values for a field, the last one counts. */
const valuesOf = (
  fields: readonly { readonly field: string; readonly value: unknown }[],
): Record<string, unknown> => Object.fromEntries(fields.map(({ field, value }) => [field, value]))

/** Expressions by field, in the notation of a file. */
export const fieldExpressionsOf = (
  fields: readonly { readonly field: string; readonly expression: string }[],
): Record<string, string> => Object.fromEntries(fields.map(({ field, expression }) => [field, expression]))
