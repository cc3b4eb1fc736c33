import type { LlmModel, LlmModelProvider, LlmParams } from '../../../config/schema/file-types.gen.ts'
import { variableName, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import { backendCredentials } from './backend-credentials.ts'
import type { KubernetesObject, KubernetesObjects } from './kubernetes-objects.ts'
import { hostPortText } from '../../../protocols/ip/host-port.ts'

/** An AIServiceBackend as the fields of a model. */
export type ServiceBackend = Pick<LlmModel, 'provider' | 'params' | 'auth' | 'requestHeaders' | 'overrides'>

/** What an AIServiceBackend is here; undefined, and reported, if it cannot be reached. */
export const serviceBackend = (
  object: KubernetesObject,
  objects: KubernetesObjects,
  report: ImportReport,
): ServiceBackend | undefined => {
  const { spec, at, name } = object
  const schema = spec?.field('schema')
  const credentials = backendCredentials(object, objects, report)
  const address = backendAddress(spec?.field('backendRef'), object, objects, report)
  const kind = schema?.field('name')?.text ?? 'OpenAI'
  const known = providerOf(kind, schema, address, credentials.params, name, report, at)
  if (!known) return undefined
  return {
    provider: known.provider,
    params: {
      ...known.params,
      ...('apiKey' in credentials.params ? { apiKey: credentials.params.apiKey } : {}),
    },
    ...(credentials.auth ? { auth: credentials.auth } : {}),
    ...mutations(spec),
  }
}

/** Header and body changes of a backend, or of a reference to it. */
export const mutations = (owner: SourceValue | undefined): Pick<LlmModel, 'requestHeaders' | 'overrides'> => {
  const headers = owner?.field('headerMutation')
  const set = Object.fromEntries(
    (headers?.field('set')?.items ?? []).map((item) => [
      item.field('name')?.text ?? '',
      item.field('value')?.text ?? '',
    ]),
  )
  const remove = (headers?.field('remove')?.items ?? []).flatMap(({ text }) => text ?? [])
  const fields = (owner?.in('bodyMutation', 'set')?.items ?? []).map(
    (item) => [item.field('path')?.text ?? '', jsonOf(item.field('value')?.text ?? '')] as const,
  )
  return {
    ...(Object.keys(set).length + remove.length > 0
      ? {
          requestHeaders: {
            ...(Object.keys(set).length > 0 ? { set } : {}),
            ...(remove.length > 0 ? { remove } : {}),
          },
        }
      : {}),
    ...(fields.length > 0 ? { overrides: Object.fromEntries(fields) } : {}),
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** The URL of a Backend, without a path; undefined, and reported, if there is none. */
export const backendAddress = (
  reference: SourceValue | undefined,
  { namespace, at, name, kind: ownerKind }: KubernetesObject,
  objects: KubernetesObjects,
  report: ImportReport,
): string | undefined => {
  const kind = reference?.field('kind')?.text ?? 'Service'
  const target = reference?.field('name')?.text
  const port = reference?.field('port')?.number
  reference?.field('group')
  reference?.field('namespace')
  if (kind === 'Service' && target !== undefined)
    return `http://${target}.${namespace}.svc.cluster.local:${String(port ?? 80)}`
  const backend = objects.find(kind, target, namespace)
  const [endpoint, ...others] = backend?.spec?.field('endpoints')?.items ?? []
  const found = endpoint?.field('fqdn') ?? endpoint?.field('ip')
  const host = found?.field('hostname')?.text ?? found?.field('address')?.text
  if (!backend || host === undefined) {
    report.dropped(
      at,
      `${ownerKind} ${name}`,
      `its backend ${kind} ${target ?? ''} has no address in this file`,
      'add the Backend to the file',
    )
    return undefined
  }
  for (const other of others) {
    report.dropped(
      other.at,
      `Backend ${backend.name}`,
      'only its first endpoint is used',
      'add a model for each endpoint, and a virtual model',
    )
    other.ignore()
  }
  const number = found?.field('port')?.number ?? 80
  const tls = objects.attached('BackendTLSPolicy', backend)
  for (const policy of tls) policy.spec?.ignore()
  const scheme =
    tls.length > 0 || backend.spec?.field('tls') !== undefined || number === 443 ? 'https' : 'http'
  return `${scheme}://${hostPortText(host, number)}`
}

interface KnownProvider {
  readonly provider: LlmModelProvider
  readonly params: LlmParams
}

/** Hosts of providers, whose addresses need not be repeated. */
const USUAL: Readonly<Record<string, RegExp>> = {
  openai: /^https:\/\/api\.openai\.com(:443)?$/,
  anthropic: /^https:\/\/api\.anthropic\.com(:443)?$/,
}

const providerOf = (
  schema: string,
  source: SourceValue | undefined,
  address: string | undefined,
  found: Readonly<Record<string, string>>,
  name: string,
  report: ImportReport,
  at: KubernetesObject['at'],
): KnownProvider | undefined => {
  const version = source?.field('version')?.text
  const prefix = source?.field('prefix')?.text ?? (schema === 'OpenAI' ? `/${version ?? 'v1'}` : '/v1')
  const placeholder = (what: string): string => variable(variableName(name, what))
  switch (schema) {
    case 'OpenAI':
      if (address === undefined) return undefined
      if (USUAL.openai?.test(address)) return { provider: 'openai', params: {} }
      return {
        provider: { custom: { formats: [{ type: 'completions' }, { type: 'embeddings' }] } },
        params: { baseUrl: `${address}${prefix}` },
      }
    case 'Anthropic':
      if (address === undefined) return undefined
      return {
        provider: 'anthropic',
        params: USUAL.anthropic?.test(address) ? {} : { baseUrl: `${address}${prefix}` },
      }
    case 'Cohere':
      return { provider: 'cohere', params: {} }
    case 'AWSBedrock':
    case 'AWSAnthropic':
      return {
        provider: 'bedrock',
        params: {
          awsRegion:
            found.region ??
            /bedrock-runtime\.([\w-]+)\./.exec(address ?? '')?.[1] ??
            placeholder('AWS_REGION'),
        },
      }
    case 'GCPVertexAI':
    case 'GCPAnthropic':
      return {
        provider: 'vertex',
        params: {
          vertexProject: found.project ?? placeholder('GOOGLE_PROJECT'),
          ...(found.region === undefined ? {} : { vertexRegion: found.region }),
        },
      }
    case 'AzureOpenAI':
      return {
        provider: 'azure',
        params: {
          azureResourceName:
            /^https:\/\/([\w-]+)\.openai\.azure\.com/.exec(address ?? '')?.[1] ??
            placeholder('AZURE_RESOURCE'),
          azureResourceType: 'openAI',
          ...(version === undefined ? {} : { azureApiVersion: version }),
        },
      }
    default:
      report.dropped(at, `AIServiceBackend ${name}`, `the schema ${schema} is not known`)
      return undefined
  }
}
