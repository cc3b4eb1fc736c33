import { anyLag } from '../any-lag.ts'
import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'
import { type ProviderScript, type ScriptedProviders, startProviders } from './scripted-providers.ts'

/** A gateway in front of providers with reactions from the test. */
export interface WithProviders<Name extends string> extends AsyncDisposable {
  readonly daemon: Daemon
  /** The address for clients, without a path. */
  readonly origin: string
  readonly providers: ScriptedProviders<Name>
}

/** Other parts of the configuration. */
export interface WithOptions {
  /** The formats of the providers. */
  readonly format?: string
  /** Settings of each model. */
  readonly model?: object
  readonly params?: object
  readonly virtualModels?: readonly object[]
  /** Root keys, as YAML; by default those of a gateway that is never late. */
  readonly more?: string
}

/** Starts both. There is a model for each script, of the same name, and `mock`, which needs no provider. */
export const withProviders = async <Name extends string>(
  scripts: Readonly<Record<Name, ProviderScript>>,
  { format = 'completions', model, params, virtualModels = [], more = anyLag }: WithOptions = {},
): Promise<WithProviders<Name>> => {
  const providers = await startProviders(scripts)
  const models = (Object.keys(scripts) as Name[]).map((name) => ({
    name,
    provider: { custom: { formats: [{ type: format }] } },
    params: { baseUrl: providers.baseUrl(name), ...params },
    ...model,
  }))
  const configuration = `${anyPorts}${more}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ models: [...models, { name: 'mock', provider: 'mock' }], virtualModels })}
`
  const daemon = await startDaemon(configuration).catch(async (error: unknown) => {
    await providers[Symbol.asyncDispose]()
    throw error
  })
  return {
    daemon,
    origin: daemon.url('default'),
    providers,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await providers[Symbol.asyncDispose]()
    },
  }
}

/** A model of this name that fails over between these, in order. */
export const firstOf = (name: string, ...models: readonly string[]): object => ({
  name,
  routing: { failover: { targets: models.map((model, priority) => ({ model, priority })) } },
})
