import { Command } from 'commander'
import { addExamples } from '../command-examples.ts'
import type { TokenOptions } from '../token/print-token.ts'

/** `agctl token`: an access token of an identity provider, for a program. */
export const tokenCommand = (): Command => {
  const command = new Command('token')
    .description('Prints an access token of an identity provider (client credentials flow).')
    .requiredOption('--auth-url <url>', 'the provider; the request goes to <url>/oauth/token')
    .requiredOption('--client-id <id>', 'client id of the application')
    .requiredOption('--audience <audience>', 'identifier of the API that the token is for')
    .option('--client-secret-file <file>', 'file with the client secret, - for standard input')
    .option('--header', 'print "Authorization: Bearer …", for curl -H')
  command.addHelpText(
    'after',
    '\nThe secret is in $AGENTGATEWAY_CLIENT_SECRET or in the file, never an argument.',
  )
  addExamples(command, [
    [
      'Call an MCP server behind the gateway',
      'curl -H "$(agctl token --header --auth-url https://idp.example.com --client-id ci --audience mcp)" http://localhost:3000/mcp',
    ],
    [
      'Take the secret from a file',
      'agctl token --auth-url https://idp.example.com --client-id ci --audience mcp --client-secret-file secret',
    ],
  ])
  return command.action(async (options: TokenOptions) => {
    const { printToken } = await import('../token/print-token.ts')
    await printToken(options)
  })
}
