import { Argument, Command, Option } from 'commander'
import { addExamples } from '../command-examples.ts'
import { addEnvironmentOptions, appended } from '../configuration/environment.ts'
import type { ReplayOptions } from '../replay/run-replay.ts'

/** `agctl proxy replay`: recorded requests through a new configuration. */
export const proxyReplayCommand = (): Command => {
  const command = new Command('replay')
    .usage('[options] <file> -- <new.yaml>')
    .description(
      'Sends recorded requests through a new configuration in this process, with a stand-in for every backend, and prints what changes. Exits with 1 if anything does.',
    )
    .addArgument(
      new Argument(
        '<file>',
        'a trace (agctl proxy trace --raw), a JSON access log, a HAR file, or lines of curl',
      ),
    )
    .addArgument(new Argument('<config>', 'the new configuration file'))
    .addOption(new Option('-o, --output <format>').choices(['text', 'json']).default('text'))
    .option(
      '--header <field>',
      'a field for every request, in place of what was redacted: "name: value"',
      appended,
    )
    .option('--jwt-claims <json>', 'claims of the callers, in place of verifying tokens')
    .option('--gateway <name>', 'the gateway that gets the requests, if their ports are ambiguous')
  addEnvironmentOptions(command)
  addExamples(command, [
    [
      'What a change would have done to captured requests',
      'agctl proxy replay trace.jsonl -- gateway.new.yaml',
    ],
    [
      'With a credential, which records do not have',
      `agctl proxy replay --header "x-api-key: $KEY" access.log -- gateway.new.yaml`,
    ],
  ])
  return command.action(async (file: string, config: string, options: ReplayOptions) => {
    const { runReplay } = await import('../replay/run-replay.ts')
    await runReplay(file, config, options)
  })
}
