import { Command } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { commandGroup } from '../../command-group.ts'
import type { ShowConfigOptions } from '../../dump/show-config.ts'
import { addGatewayOptions, resourceArgument } from '../../gateway/gateway-options.ts'

/** `agctl proxy config …`: the configuration that is in force, or one that was saved. */
export const proxyConfigCommand = (): Command => {
  const group = commandGroup(
    'config',
    'Shows the configuration that is in force.',
    parts.map(([name, text, alias]) => configPartCommand(name, text, alias)),
  )
  return group.aliases(['c', 'cfg'])
}

const parts: readonly (readonly [name: string, text: string, alias?: string])[] = [
  ['all', 'Prints the whole configuration; as tables with -o table.'],
  ['listeners', 'Lists listeners, with their addresses and host names.'],
  ['routes', 'Lists routes: what they match, where they lead, and which are shadowed by others.'],
  ['policies', 'Lists policies with their targets.'],
  ['backends', 'Lists the endpoints of backends, with health, requests and latency.', 'be'],
  ['services', 'Lists services.'],
  ['workloads', 'Lists workloads: where services run.'],
]

const configPartCommand = (name: string, text: string, alias: string | undefined): Command => {
  const command = new Command(name)
    .description(text)
    .argument('[resource]', resourceArgument)
    .allowExcessArguments()
    .option('-f, --file <dump>', 'a saved dump instead of a gateway; - for standard input')
    .option('-o, --output <format>', 'table, wide, json or yaml', name === 'all' ? 'json' : 'table')
  addGatewayOptions(command)
  if (alias !== undefined) command.aliases([alias, 'b'])
  if (name === 'backends') command.option('--all', 'also endpoints without requests')
  addExamples(command, [
    ['The gateway of this machine', `agctl proxy config ${name} --local`],
    ['A gateway in Kubernetes', `agctl proxy config ${name} gateway/web -n apps`],
    ['A dump that was saved', `agctl proxy config ${name} --file dump.json -o yaml`],
  ])
  return command.action(async (_resource: string | undefined, options: ShowConfigOptions) => {
    const { showConfig } = await import('../../dump/show-config.ts')
    await showConfig(name, options, command.args)
  })
}
