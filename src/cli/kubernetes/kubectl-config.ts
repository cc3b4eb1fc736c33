import type { KubeConfig, User } from '@kubernetes/client-node'
import { type ExecCredentials, runExecPlugin } from './exec-plugin.ts'
import { fileToken, type UserExtras } from './kubeconfig-user.ts'

type Library = typeof import('./kubernetes-library.ts')
type ApplyOptions = Parameters<KubeConfig['applyToHTTPSOptions']>[0]
type RequestContext = Parameters<KubeConfig['applySecurityAuthentication']>[0]
type Dispatcher = NonNullable<ReturnType<RequestContext['getDispatcher']>>
type DispatcherOptions = Parameters<KubeConfig['createDispatcherOptions']>

/** The provider of credentials of users that the library is not left alone with. */
const PROVIDER = 'kubectl'

/** A user of the library whose credentials are applied here. */
export const withExtras = ({ token, exec: _, ...user }: User, extras: UserExtras): User => ({
  ...user,
  // The library would prefer it to the file.
  ...(extras.tokenFile === undefined && token !== undefined && { token }),
  authProvider: { name: PROVIDER, extras },
})

const extrasOf = (user: User | null): UserExtras | undefined => {
  const provider = user?.authProvider as { readonly name?: string; readonly extras?: UserExtras } | undefined
  return provider?.name === PROVIDER ? provider.extras : undefined
}

/** A configuration of the library whose credentials are those that kubectl would use. */
export const kubectlConfig = (client: Library): KubeConfig => {
  const plugins = new Map<UserExtras, ExecCredentials>()
  const config = new (class extends client.KubeConfig {
    /** With an option there is a dispatcher of its own, whatever the kubeconfig file has. */
    override createDispatcherOptions(cluster: DispatcherOptions[0], options: DispatcherOptions[1]) {
      return super.createDispatcherOptions(cluster, { rejectUnauthorized: true, ...options })
    }

    /** The library would join the values of a header field with commas. */
    override async applySecurityAuthentication(context: RequestContext): Promise<void> {
      await super.applySecurityAuthentication(context)
      const lists = Object.entries(extrasOf(this.getCurrentUser())?.impersonation ?? {}).filter(
        ([, value]) => typeof value !== 'string',
      )
      const dispatcher = context.getDispatcher()
      if (dispatcher && lists.length > 0)
        context.setDispatcher(addingHeaders(dispatcher, Object.fromEntries(lists)))
    }
  })()
  config.addAuthenticator({
    isAuthProvider: (user) => extrasOf(user) !== undefined,
    async applyAuthentication(user, options) {
      const extras = extrasOf(user)
      if (!extras) return
      const { tokenFile, token, plugin, impersonation } = extras
      addHeaders(options, impersonation)
      if (tokenFile !== undefined) addToken(options, fileToken(tokenFile, token))
      if (!plugin) return
      let credentials = plugins.get(extras)
      if (!credentials || hasExpired(credentials)) {
        credentials = await runExecPlugin(plugin, clusterInfo(config))
        plugins.set(extras, credentials)
      }
      const { clientCertificateData, clientKeyData } = credentials
      if ((credentials.token ?? '') !== '') addToken(options, credentials.token ?? '')
      if (clientCertificateData !== undefined && clientKeyData !== undefined)
        Object.assign(options, { cert: clientCertificateData, key: clientKeyData })
    },
  })
  return config
}

const addHeaders = (options: ApplyOptions, headers: object): void => {
  options.headers = { ...(options.headers as object), ...headers }
}

const addToken = (options: ApplyOptions, token: string): void => {
  addHeaders(options, { Authorization: `Bearer ${token}` })
}

const hasExpired = ({ expirationTimestamp }: ExecCredentials): boolean =>
  expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= Date.now()

/** What plugins are told of the cluster. */
const clusterInfo = (config: KubeConfig): object => {
  const { server, caData, skipTLSVerify, tlsServerName, proxyUrl } = config.getCurrentCluster() ?? {}
  return {
    server,
    ...(caData !== undefined && { 'certificate-authority-data': caData }),
    ...(skipTLSVerify === true && { 'insecure-skip-tls-verify': true }),
    ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  }
}

const addingHeaders = (dispatcher: Dispatcher, headers: object): Dispatcher =>
  dispatcher.compose(
    (dispatch) => (options, handler) =>
      dispatch({ ...options, headers: { ...(options.headers as object), ...headers } }, handler),
  )
