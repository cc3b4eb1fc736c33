import { regex as regexFormat } from '../../../../config/format/expression.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../../controller/schema/form-context.ts'
import { bedrockGuardrailsOf, moderationOf, modelArmorOf, webhookOf } from './guard-services.ts'
import type {
  PromptGuardForm,
  RegexGuardForm,
  RequestGuardForm,
  ResponseGuardForm,
} from './prompt-guard-field.ts'

/** Guards in the notation of a file. One that cannot be used fails closed, in its place among the others. */
export const promptGuardOf = (
  { request, response, streaming }: PromptGuardForm,
  context: FormContext,
): File.LlmGuards => ({
  ...(request === undefined
    ? {}
    : { request: request.map((guard, i) => requestGuardOf(guard, `promptGuard.request[${i}]`, context)) }),
  ...(response === undefined
    ? {}
    : { response: response.map((guard, i) => guardOf(guard, `promptGuard.response[${i}]`, context)) }),
  ...(streaming === undefined ? {} : { streaming }),
})

/** Guards that let nothing pass. */
export const refusingGuards = (message: string): File.LlmGuards => ({
  request: [{ invalid: message }],
  response: [{ invalid: message }],
})

/** Warnings of guards, with the fields that they have here. */
export const guardWarnings = {
  guard_without_credentials:
    'OpenAI wants a key, in policies.auth of openAIModeration: without one, every request is answered with 503',
}

/** One that is invalid concerns all texts, whatever its scope. */
const requestGuardOf = (form: RequestGuardForm, path: string, context: FormContext): File.LlmRequestGuard => {
  const { openAIModeration, scope } = form
  const guard =
    openAIModeration === undefined
      ? guardOf(form, path, context)
      : {
          ...orInvalid('openAIModeration', moderationOf(openAIModeration, context), path),
          ...rejectionOf(form),
        }
  return {
    ...guard,
    ...(scope === undefined || guard.invalid !== undefined
      ? {}
      : { scope: scope.map((part) => scopes[part]) }),
  }
}

const guardOf = (
  form: ResponseGuardForm,
  path: string,
  context: FormContext,
): File.LlmResponseGuard & File.LlmRequestGuard => ({ ...kindOf(form, path, context), ...rejectionOf(form) })

const kindOf = (
  { regex, webhook, bedrockGuardrails, googleModelArmor }: ResponseGuardForm,
  path: string,
  context: FormContext,
): File.LlmResponseGuard & File.LlmRequestGuard => {
  if (regex) return orInvalid('regex', regexOf(regex, path, context), path)
  if (webhook) return orInvalid('webhook', webhookOf(webhook, context), path)
  if (bedrockGuardrails)
    return orInvalid('bedrockGuardrails', bedrockGuardrailsOf(bedrockGuardrails, context), path)
  if (googleModelArmor) return orInvalid('googleModelArmor', modelArmorOf(googleModelArmor, context), path)
  context.report(`${path} has no kind that is known`)
  return orInvalid('regex', undefined, path)
}

/** The status of the policy has the reason; the log of proxies has where to look. */
const orInvalid = <Name extends keyof File.LlmRequestGuard>(
  name: Name,
  guard: File.LlmRequestGuard[Name] | undefined,
  path: string,
): Pick<File.LlmRequestGuard, Name> | { readonly invalid: string } =>
  guard === undefined
    ? { invalid: `${path} cannot be used` }
    : ({ [name]: guard } as Pick<File.LlmRequestGuard, Name>)

const regexOf = (
  { action, matches = [], builtins = [] }: RegexGuardForm,
  path: string,
  context: FormContext,
): File.LlmRegexGuard | undefined => {
  let isSound = true
  for (const [i, pattern] of matches.entries()) {
    const problem = regexFormat(pattern)
    if (problem === undefined) continue
    context.report(`${path}.regex.matches[${i}] ${JSON.stringify(pattern)} ${problem.expectation}`)
    isSound = false
  }
  return isSound
    ? {
        action: action === 'Reject' ? 'reject' : 'mask',
        rules: [
          ...matches.map((pattern) => ({ pattern })),
          ...builtins.map((name) => ({ builtin: builtinNames[name] })),
        ],
      }
    : undefined
}

const rejectionOf = ({ response }: ResponseGuardForm): { rejection?: File.LlmGuardRejection } =>
  response === undefined
    ? {}
    : {
        rejection: {
          ...(response.message === undefined ? {} : { body: response.message }),
          ...(response.statusCode === undefined ? {} : { status: response.statusCode }),
        },
      }

const builtinNames = {
  CaSin: 'caSin',
  CreditCard: 'creditCard',
  Email: 'email',
  PhoneNumber: 'phoneNumber',
  Ssn: 'ssn',
} as const

const scopes = {
  Messages: 'messages',
  SystemPrompt: 'systemPrompt',
  ToolInput: 'toolInput',
  ToolOutput: 'toolOutput',
} as const
