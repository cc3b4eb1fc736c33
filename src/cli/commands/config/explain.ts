import { Argument, Command, Option } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { addEnvironmentOptions } from '../../configuration/environment.ts'
import type { ExplainOptions } from '../../explain/run-explain.ts'

/** `agctl config explain`: what a configuration does with a request. */
export const configExplainCommand = (): Command => {
  const command = new Command('explain')
    .usage('[options] <file> -- [METHOD] URL [-H "name: value"]... [-d BODY]')
    .description(
      'Explains what a gateway with this configuration does with a request: listener, route, policies, backend, and why not the others. Sends nothing.',
    )
    .addArgument(new Argument('<file>', 'configuration file; - is standard input'))
    .addArgument(new Argument('<request...>', 'the request, in the words of curl'))
    .addOption(new Option('-o, --output <format>').choices(['text', 'json']).default('text'))
    .option('--gateway <name>', 'the gateway that gets the request, if the port of the URL is ambiguous')
    .option('--client-address <address>', 'the address of the client', '127.0.0.1')
    .option('--jwt-claims <json>', 'claims of the caller, in place of verifying a token')
  addEnvironmentOptions(command)
  addExamples(command, [
    ['Which route, and why', 'agctl config explain gateway.yaml -- http://localhost:3000/orders/7'],
    [
      'With a method, fields and a body',
      `agctl config explain gateway.yaml -- POST https://api.example.com/orders -H 'x-team: blue' -d '{}'`,
    ],
    [
      'For a caller with these claims',
      `agctl config explain --jwt-claims '{"sub":"ann"}' gateway.yaml -- http://localhost:3000/mcp`,
    ],
  ])
  return command.action(async (file: string, request: readonly string[], options: ExplainOptions) => {
    const { runExplain } = await import('../../explain/run-explain.ts')
    await runExplain(file, request, options)
  })
}
