import { Argument, Command, Option } from 'commander'
import type { ImportOptions } from '../../import/run-import.ts'

/** `agctl config import`: a configuration of another gateway as one of this gateway. */
export const configImportCommand = (): Command =>
  new Command('import')
    .description(
      'Converts the configuration of another gateway. Prints the file, which loads as it is, and lists on standard error what was not carried over, and why.',
    )
    .addArgument(new Argument('<file>', 'the file of the other gateway; - is standard input'))
    .addOption(
      new Option('--from <gateway>', 'the gateway that the file is for')
        .choices(['litellm', 'agentgateway', 'envoy-ai-gateway', 'nginx'])
        .makeOptionMandatory(),
    )
    .option('-o, --output <file>', 'writes the configuration to a file; an existing one stays as it is')
    .option('--force', 'replaces an existing file')
    .addOption(
      new Option('--format <format>', 'how to print the list').choices(['text', 'json']).default('text'),
    )
    .option('--strict', 'exits with 1 if anything was not carried over')
    .addHelpText(
      'after',
      `
Examples:
  # Convert a configuration of nginx, and read what it has that the result has not
  agctl config import --from nginx /etc/nginx/nginx.conf -o gateway.yaml
  # The list for a program
  agctl config import --from litellm config.yaml -o gateway.yaml --format json 2> findings.json
  # Documents of Kubernetes
  kubectl get aigatewayroutes,aiservicebackends,backendsecuritypolicies,backends,gateways -o yaml |
    agctl config import --from envoy-ai-gateway - -o gateway.yaml`,
    )
    .action(async (file: string, options: ImportOptions) => {
      const { runImport } = await import('../../import/run-import.ts')
      await runImport(file, options)
    })
