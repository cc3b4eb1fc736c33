import type { LlmModel } from '../../../config/schema/file-types.gen.ts'
import { celString, secondsText } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import { litellmProvider } from './litellm-provider.ts'
import { litellmSecret, litellmText } from './litellm-secret.ts'

/** An entry of `model_list`. */
export interface LitellmDeployment {
  /** What clients request. */
  readonly group: string
  readonly source: SourceValue
  /** Without the name. */
  readonly model: Omit<LlmModel, 'name'>
  /** The share of the requests, by `weight`, `rpm` or `tpm`. */
  readonly weight: number | undefined
  /** Lower ones come first. */
  readonly order: number | undefined
  readonly price: LitellmPrice | undefined
}

/** US dollars per million tokens. */
export interface LitellmPrice {
  readonly provider: string
  readonly model: string
  readonly rates: Readonly<Record<string, string>>
}

/** Reads an entry of `model_list`; undefined, and reported, if its provider is not known. */
export const litellmDeployment = (
  source: SourceValue,
  defaultTimeout: string | undefined,
  report: ImportReport,
): LitellmDeployment | undefined => {
  const group = source.field('model_name')?.text
  const params = source.field('litellm_params')
  if (group === undefined || !params) {
    report.dropped(source.at, source.path, 'an entry needs model_name and litellm_params')
    source.ignore()
    return undefined
  }
  const known = litellmProvider(params, report)
  if (!known) {
    source.ignore()
    return undefined
  }
  const { provider, prefix, telemetryName } = known
  const key = params.field('api_key')
  const timeout = durationOf(params.field('timeout')) ?? defaultTimeout
  const streamTimeout = durationOf(params.field('stream_timeout'))
  const isPattern = known.model.includes('*')
  const stripped = isPattern && group.startsWith(prefix) && prefix !== '' ? prefix : undefined
  const headers = headersOf(params)
  const defaults = Object.fromEntries(
    BODY_FIELDS.flatMap((name) => {
      const field = params.field(name)
      return field ? [[name, field.json]] : []
    }),
  )
  const info = source.field('model_info')
  const id = info?.field('id')?.text
  for (const name of DESCRIPTIONS) info?.field(name)?.ignore()
  const model = {
    ...(id === undefined ? {} : { id }),
    provider,
    params: {
      ...(isPattern ? {} : { model: known.model }),
      ...known.params,
      ...(key ? { apiKey: litellmSecret(key, group, report) } : {}),
      ...(timeout === undefined ? {} : { requestTimeout: timeout }),
      ...(streamTimeout === undefined ? {} : { firstTokenTimeout: streamTimeout }),
    },
    ...(provider === 'bedrock' ? awsKeys(params, group, report) : {}),
    ...(Object.keys(headers).length > 0 ? { requestHeaders: { set: headers } } : {}),
    ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
    ...(stripped === undefined
      ? {}
      : { finalTransformation: { model: `llmRequest.model.stripPrefix(${celString(stripped)})` } }),
  }
  for (const name of ['drop_params', 'merge_reasoning_content_in_choices']) params.field(name)?.ignore()
  const price = priceOf(params, info, telemetryName, known.model)
  return {
    group,
    source,
    model,
    weight: weightOf(params, report),
    order: params.field('order')?.number,
    price,
  }
}

/** Keys of AWS; without them the credentials come from the environment, as in LiteLLM. */
const awsKeys = (params: SourceValue, group: string, report: ImportReport): Pick<LlmModel, 'auth'> => {
  const secret = (name: string): string | undefined => {
    const field = params.field(name)
    return field && litellmSecret(field, group, report)
  }
  const [accessKeyId, secretAccessKey] = [secret('aws_access_key_id'), secret('aws_secret_access_key')]
  const sessionToken = secret('aws_session_token')
  if (accessKeyId === undefined || secretAccessKey === undefined) return {}
  return {
    auth: {
      aws: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    },
  }
}

const durationOf = (field: SourceValue | undefined): string | undefined =>
  field?.number === undefined ? undefined : secondsText(field.number)

/** Fields of a request that LiteLLM sets if the client does not. */
const BODY_FIELDS = [
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'thinking',
  'response_format',
  'user',
]

/** Fields of `model_info` that describe a model, and change nothing. */
const DESCRIPTIONS = [
  'mode',
  'base_model',
  'max_tokens',
  'max_input_tokens',
  'max_output_tokens',
  'description',
]

const headersOf = (params: SourceValue): Record<string, string> => {
  const headers: Record<string, string> = {}
  const organization = params.field('organization')?.text
  if (organization !== undefined) headers['openai-organization'] = litellmText(organization)
  for (const { name, text } of params.field('extra_headers')?.fields ?? [])
    if (text !== undefined) headers[name.toLowerCase()] = litellmText(text)
  return headers
}

/** Without other settings LiteLLM selects deployments by these numbers; it does not refuse what exceeds them. */
const weightOf = (params: SourceValue, report: ImportReport): number | undefined => {
  const [weight, rpm, tpm] = ['weight', 'rpm', 'tpm'].map((name) => params.field(name))
  for (const limit of [rpm, tpm])
    if (limit)
      report.changed(
        limit.at,
        limit.path,
        'is the weight of the deployment, and no limit',
        'llm.policies.localRateLimit limits requests or tokens',
      )
  const number = weight?.number ?? rpm?.number ?? tpm?.number
  return number === undefined
    ? undefined
    : Math.max(0, Math.round(weight && number < 1 ? number * 100 : number))
}

const priceOf = (
  params: SourceValue,
  info: SourceValue | undefined,
  provider: string,
  model: string,
): LitellmPrice | undefined => {
  const rates = Object.fromEntries(
    Object.entries(RATES).flatMap(([name, rate]) => {
      const [own, described] = [params.field(name)?.number, info?.field(name)?.number]
      const cost = own ?? described
      return cost === undefined ? [] : [[rate, String(Number((cost * 1e6).toPrecision(10)))]]
    }),
  )
  return Object.keys(rates).length > 0 ? { provider, model, rates } : undefined
}

const RATES = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
} as const
