import type { Command } from 'commander'

/** Options that select the gateway of a command, as Commander parses them. */
export interface GatewaySelection {
  readonly local?: boolean
  readonly adminUrl?: string
  readonly proxyAdminPort: string
  readonly namespace?: string
  readonly pod?: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly tokenFile?: string
  readonly adminCa?: string
  readonly adminCert?: string
  readonly adminKey?: string
}

/** The port of admin servers, unless configured otherwise. */
const defaultAdminPort = '15000'

/** The variable with the token of the admin server. */
export const adminTokenVariable = 'AGENTGATEWAY_ADMIN_TOKEN'

/** The meaning of the argument `[resource]`. */
export const resourceArgument = '[type/]name[.namespace] in Kubernetes; without it the only Gateway there is'

/** Adds the options that select the gateway of a command. */
export const addGatewayOptions = (command: Command): Command =>
  addClusterOptions(command)
    .option('--pod <name>', 'one of several pods; default the newest that is ready')
    .option('--local', 'the gateway of this machine, at 127.0.0.1')
    .option('--admin-url <url>', 'the admin server: http://host:port, https://host:port or unix:/path')
    .option('-p, --proxy-admin-port <port>', 'port of the admin server', defaultAdminPort)
    .option('--token-file <file>', `token of the admin server; default $${adminTokenVariable}`)
    .option('--admin-ca <file>', 'certificates that sign the one of the admin server')
    .option('--admin-cert <file>', 'certificate for the admin server')
    .option('--admin-key <file>', 'private key of that certificate')

/** Adds the options that select the cluster of a command. Empty values count as none, as for kubectl. */
export const addClusterOptions = (
  command: Command,
  namespace = 'namespace; default that of the context',
): Command =>
  command
    .option('-n, --namespace <namespace>', namespace)
    .option(
      '-k, --kubeconfig <file>',
      'default the files of $KUBECONFIG, then ~/.kube/config, then the account of the pod',
    )
    .option('--context <name>', 'context of the kubeconfig; default the current one')
    .hook('preAction', (_, action) => {
      // Scripts pass variables that may be empty.
      for (const name of ['namespace', 'kubeconfig', 'context'])
        if (action.getOptionValue(name) === '') action.setOptionValue(name, undefined)
    })
