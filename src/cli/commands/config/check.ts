import { Argument, Command, Option } from 'commander'
import type { ConfigCheckOptions } from '../../check/check-files.ts'
import { addExamples } from '../../command-examples.ts'
import { addEnvironmentOptions } from '../../configuration/environment.ts'

/** `agctl config check`: every problem of configuration files. */
export const configCheckCommand = (): Command => {
  const command = new Command('check')
    .description(
      'Checks configuration files as the gateway does when it loads them, and prints every problem.',
    )
    .addArgument(new Argument('<files...>', 'configuration files; - is standard input'))
    .addOption(
      new Option('--format <format>', 'how to print problems')
        .choices(['text', 'github', 'json'])
        .default('text'),
    )
    .option('--strict', 'warnings count as errors')
  addEnvironmentOptions(command)
  addExamples(command, [
    ['Check a file', 'agctl config check gateway.yaml'],
    [
      'Annotate a pull request in GitHub Actions',
      'agctl config check --format github --strict config/*.yaml',
    ],
    [
      'With variables of production',
      'agctl config check --env-file production.env -e PORT=3000 gateway.yaml',
    ],
  ])
  return command.action(async (files: readonly string[], options: ConfigCheckOptions) => {
    const { checkFiles } = await import('../../check/check-files.ts')
    await checkFiles(files, options)
  })
}
