import type * as File from '../../../config/schema/file-types.gen.ts'
import { providerFormats, type ProviderKindForms } from './provider-fields.ts'

/** The kind of a provider in the notation of a file; undefined if none is given that is known. */
export const providerKindOf = (form: ProviderKindForms): File.AiProviderKind | undefined => {
  const { anthropic, azure, azureopenai, bedrock, custom, gemini, openai, vertexai } = form
  if (anthropic) return { anthropic: { ...anthropic } }
  if (gemini) return { gemini: { ...gemini } }
  if (vertexai) return { vertex: { ...vertexai } }
  if (openai) return { openAI: openAiOf(openai) }
  if (azure) return { azure: azureOf(azure) }
  if (azureopenai) return { azure: azureOpenAiOf(azureopenai) }
  if (bedrock) return { bedrock: bedrockOf(bedrock) }
  if (custom) return { custom: customOf(custom) }
  return undefined
}

type Kinds = Required<ProviderKindForms>

const openAiOf = ({ model, moderation }: Kinds['openai']): NonNullable<File.AiProviderKind['openAI']> => ({
  ...modelOf(model),
  ...(moderation === undefined
    ? {}
    : {
        moderation: {
          ...modelOf(moderation.model),
          ...(moderation.policy === undefined
            ? {}
            : {
                policy: {
                  ...moderatedOf('input', moderation.policy.input),
                  ...moderatedOf('output', moderation.policy.output),
                },
              }),
        },
      }),
})

const moderatedOf = <Side extends 'input' | 'output'>(
  side: Side,
  moderated: { readonly mode: 'Block' | 'Score' } | undefined,
): Readonly<Partial<Record<Side, { mode: 'block' | 'score' }>>> =>
  (moderated === undefined
    ? {}
    : { [side]: { mode: moderated.mode === 'Block' ? 'block' : 'score' } }) as Readonly<
    Partial<Record<Side, { mode: 'block' | 'score' }>>
  >

const azureOf = ({ resourceType, ...azure }: Kinds['azure']): NonNullable<File.AiProviderKind['azure']> => ({
  ...azure,
  resourceType: resourceType === 'Foundry' ? 'foundry' : 'openAI',
})

/** The address is in `endpoint`: see `azureEndpoint`. The name of the resource is a label then. */
const azureOpenAiOf = ({
  endpoint,
  deploymentName,
  apiVersion,
}: Kinds['azureopenai']): NonNullable<File.AiProviderKind['azure']> => ({
  resourceName: /^(?:https?:\/\/)?([^.:/]+)/i.exec(endpoint)?.[1] ?? endpoint,
  resourceType: 'openAI',
  ...modelOf(deploymentName),
  ...(apiVersion === undefined ? {} : { apiVersion }),
})

/** The address of `azureopenai` as `host:port`; undefined if it is no address. */
export const azureEndpoint = (endpoint: string): string | undefined => {
  const [, host, port = '443'] = /^(?:https:\/\/)?([a-z0-9.-]+)(?::([0-9]+))?\/?$/i.exec(endpoint) ?? []
  return host === undefined ? undefined : `${host.toLowerCase()}:${port}`
}

const bedrockOf = ({
  model,
  region = 'us-east-1',
  guardrail,
}: Kinds['bedrock']): NonNullable<File.AiProviderKind['bedrock']> => ({
  ...modelOf(model),
  region,
  ...(guardrail === undefined
    ? {}
    : { guardrailIdentifier: guardrail.identifier, guardrailVersion: guardrail.version }),
})

const customOf = ({ model, formats }: Kinds['custom']): File.LlmCustomProvider => ({
  ...modelOf(model),
  formats: formats.map(({ type, path }) => ({
    type: providerFormats[type],
    ...(path === undefined ? {} : { path }),
  })),
})

const modelOf = (model: string | undefined): { model?: string } => (model === undefined ? {} : { model })
