import { Command } from 'commander'
import { addExamples } from '../command-examples.ts'
import { addGatewayOptions } from '../gateway/gateway-options.ts'
import type { VersionOptions } from '../version/print-version.ts'

/** `agctl version`: the version of this program or of a gateway, as JSON like that of `agentgateway --version`. */
export const versionCommand = (): Command => {
  const command = new Command('version')
    .description('Prints the version of agctl as JSON; with --local or a resource also those of gateways.')
    .argument('[resource]', '[type/]name[.namespace] in Kubernetes; all of its pods')
    .option('--short', 'print the number alone')
  addGatewayOptions(command)
  addExamples(command, [
    ['agctl itself', 'agctl version'],
    ['The gateway of this machine as well', 'agctl version --local'],
    ['The pods of a gateway', 'agctl version gateway/web -n apps'],
  ])
  return command.action(async (resource: string | undefined, options: VersionOptions) => {
    const { printVersion } = await import('../version/print-version.ts')
    await printVersion(options, resource)
  })
}
