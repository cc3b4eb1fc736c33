import { Command } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { addGatewayOptions, type GatewaySelection, resourceArgument } from '../../gateway/gateway-options.ts'
import type { LevelOptions } from '../../logging/level-query.ts'

type ProxyLogOptions = GatewaySelection & LevelOptions & { readonly reset?: boolean }

/** `agctl proxy log`: the log levels of a running gateway. */
export const proxyLogCommand = (): Command => {
  const command = new Command('log')
    .description('Shows the log levels of a gateway, or sets them until it restarts.')
    .argument('[resource]', `${resourceArgument}; all of its pods`)
    .allowExcessArguments()
  addLevelOptions(command, 'error, warn, info, debug, trace or off', 'module')
  command.option('--reset', 'the levels of the start, and then --level or --set')
  addGatewayOptions(command)
  addExamples(command, [
    ['Show the levels of the gateway of this machine', 'agctl proxy log --local'],
    ['Log more about upstreams and MCP', 'agctl proxy log --local --set upstream=debug --set mcp=trace'],
    ['Back to the levels of the start', 'agctl proxy log --local --reset'],
    ['Set the level of a gateway in Kubernetes', 'agctl proxy log gateway/web -n apps --level debug'],
  ])
  return command.action(async (_resource: string | undefined, options: ProxyLogOptions) => {
    const { proxyLog } = await import('../../logging/log-levels.ts')
    await proxyLog(options, command.args)
  })
}

/** Adds `--level` and `--set`. */
export const addLevelOptions = (command: Command, levels: string, kind: string): Command =>
  command
    .option('--level <level>', `the level of every ${kind} that has none of its own: ${levels}`)
    .option(`--set <${kind}=level>`, `the level of one ${kind}; repeatable, or with commas`, collect)

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]
