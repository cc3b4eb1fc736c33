import { Argument, Command, Option } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { addEnvironmentOptions } from '../../configuration/environment.ts'
import type { DiffOptions } from '../../diff/run-diff.ts'

/** `agctl config diff`: what changes between two configurations. */
export const configDiffCommand = (): Command => {
  const command = new Command('diff')
    .description(
      'Compares two configurations: resources that were added, removed or changed, and recorded requests that would take another way.',
    )
    .addArgument(new Argument('<a>', 'configuration file before the change'))
    .addArgument(new Argument('<b>', 'configuration file after it'))
    .option(
      '--requests <file>',
      'requests to compare: a trace (JSON Lines), JSON access log lines, a HAR file, or lines of curl',
    )
    .addOption(new Option('-o, --output <format>').choices(['text', 'json']).default('text'))
    .option('--gateway <name>', 'the gateway that gets the requests, if their ports are ambiguous')
    .option('--jwt-claims <json>', 'claims of the callers, in place of verifying tokens')
    .option('--exit-code', 'exit with 1 if anything differs')
  addEnvironmentOptions(command)
  addExamples(command, [
    ['What a change does', 'agctl config diff gateway.yaml gateway.new.yaml'],
    [
      'Which of the requests of yesterday would go elsewhere',
      'agctl config diff --requests access.log gateway.yaml gateway.new.yaml',
    ],
  ])
  return command.action(async (a: string, b: string, options: DiffOptions) => {
    const { runDiff } = await import('../../diff/run-diff.ts')
    await runDiff(a, b, options)
  })
}
