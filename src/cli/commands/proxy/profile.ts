import { Command } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { commandGroup } from '../../command-group.ts'
import { addGatewayOptions, resourceArgument } from '../../gateway/gateway-options.ts'
import type { ProfileOptions } from '../../profile/save-profile.ts'

/** `agctl proxy profile cpu|heap`: profiles of a running gateway. */
export const proxyProfileCommand = (): Command =>
  commandGroup('profile', 'Records profiles of CPU and memory, for go tool pprof, Pyroscope or speedscope.', [
    profileCommand('cpu', 'Records where CPU time goes. The gateway needs traffic during that time.'),
    profileCommand('heap', 'Saves where memory was allocated that is still in use.'),
  ])

const profileCommand = (kind: 'cpu' | 'heap', text: string): Command => {
  const command = new Command(kind)
    .description(text)
    .argument('[resource]', resourceArgument)
    .allowExcessArguments()
    .option('-o, --output <file>', `default agentgateway-${kind}-<time>.pb.gz`)
  if (kind === 'cpu') command.option('--seconds <n>', 'duration, 1 to 300', '30')
  addGatewayOptions(command).option('--port <port>', 'another name of --proxy-admin-port')
  const seconds = kind === 'cpu' ? ' --seconds 10' : ''
  addExamples(command, [
    ['The gateway of this machine', `agctl proxy profile ${kind} --local${seconds} -o ${kind}.pb.gz`],
    ['A gateway in Kubernetes', `agctl proxy profile ${kind} gateway/web -n apps${seconds}`],
    ['Read it', `go tool pprof -top ${kind}.pb.gz`],
  ])
  return command.action(async (_resource: string | undefined, options: ProfileOptions) => {
    const { saveProfile } = await import('../../profile/save-profile.ts')
    await saveProfile(kind, options, command.args)
  })
}
