import { Command } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { addClusterOptions } from '../../gateway/gateway-options.ts'
import type { PodOptions } from '../../kubernetes/pod-targets.ts'
import type { LevelOptions } from '../../logging/level-query.ts'
import { addLevelOptions } from '../proxy/log.ts'

type ControllerLogOptions = PodOptions & LevelOptions & { readonly controllerAdminPort: string }

/** `agctl controller log`: the log levels of the components of the controller. */
export const controllerLogCommand = (): Command => {
  const command = new Command('log').description(
    'Shows the log levels of the controller by component, or sets them until it restarts.',
  )
  addLevelOptions(command, 'error, warn, info, debug or trace', 'component')
  addClusterOptions(command, 'namespace of the controller; default agentgateway-system')
  command.option('--pod <name>', 'one of several pods; default all')
  command.option('-p, --controller-admin-port <port>', 'port of its admin server', '9095')
  addExamples(command, [
    ['Show the levels', 'agctl controller log'],
    ['Set all components', 'agctl controller log --level debug'],
    ['Set components', `agctl controller log --set deployer=debug --set 'gateway controller=trace'`],
  ])
  return command.action(async (options: ControllerLogOptions) => {
    const { controllerLog } = await import('../../logging/log-levels.ts')
    await controllerLog(options)
  })
}
