import { Command, Option } from 'commander'
import type { ClusterCheckOptions } from '../cluster-check/run-cluster-check.ts'
import { addExamples } from '../command-examples.ts'
import { addClusterOptions } from '../gateway/gateway-options.ts'

/** `agctl check`: what is wrong in a cluster. */
export const clusterCheckCommand = (): Command => {
  const command = new Command('check')
    .description(
      'Finds what is wrong in a cluster: Gateways, routes and policies, certificates, and proxies that are behind. Exits with 1 if anything is.',
    )
    .allowExcessArguments()
  addClusterOptions(command)
    .option('-A, --all-namespaces', 'all namespaces')
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'yaml']).default('table'),
    )
    .option('--strict', 'warnings, and what could not be looked at, count as errors')
    .option('--no-proxies', 'only what the API server has: no ports are forwarded to proxies and controller')
    .option('--expires-within <days>', 'warn of certificates that expire in this time', '14')
    .option('--controller-name <name>', 'controllerName of the classes', 'agentgateway.dev/agentgateway')
    .option('--controller-namespace <namespace>', 'namespace of the controller', 'agentgateway-system')
    .option('--controller-admin-port <port>', 'port of the admin server of the controller', '9095')
    .option('--proxy-admin-port <port>', 'port of the admin server of proxies', '15000')
  addExamples(command, [
    ['The namespace of the context', 'agctl check'],
    ['The whole cluster, for a pipeline', 'agctl check --all-namespaces --strict -o json'],
    ['Without rights to forward ports', 'agctl check -n shop --no-proxies'],
    ['A configuration file instead', 'agctl config check gateway.yaml'],
  ])
  return command.action(async (options: ClusterCheckOptions) => {
    const { runClusterCheck } = await import('../cluster-check/run-cluster-check.ts')
    await runClusterCheck(options, command.args)
  })
}
