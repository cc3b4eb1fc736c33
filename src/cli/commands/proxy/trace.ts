import { Command } from 'commander'
import { addExamples } from '../../command-examples.ts'
import { addGatewayOptions, resourceArgument } from '../../gateway/gateway-options.ts'
import { isTerminal } from '../../trace/is-terminal.ts'
import type { TraceOptions } from '../../trace/trace-options.ts'
import { divideArguments } from '../../trailing-arguments.ts'

/** `agctl proxy trace`: what a gateway does with the next request, or with one that it sends. */
export const proxyTraceCommand = (): Command => {
  const command = new Command('trace')
    .description('Shows what a gateway does with the next request, with all, or with one that agctl sends.')
    .argument('[resource]', resourceArgument)
    .usage(
      '[options] [resource] [-- URL [-X METHOD] [-H HEADER] [-d DATA] [-k] [--resolve HOST:PORT:ADDRESS]]',
    )
    .allowExcessArguments()
    .option('--raw', 'print the events as JSON Lines')
    .option('--summary', 'print one line for each request, as without a terminal')
    .option('--follow', 'all requests, until Ctrl-C')
    .option('--count <n>', 'this many requests (default: 1)')
    .option('--expression <cel>', 'only requests for which this is true')
    .option('--bodies', 'with the first 64 KiB of bodies')
    .option('--port <port>', 'port of the listener that gets the request after --')
    .option('-f, --file <file>', 'events that were saved instead of a gateway; - for standard input')
  addGatewayOptions(command)
  addExamples(command, [
    ['The next request, in the terminal', 'agctl proxy trace --local'],
    [
      'A request through a listener',
      'agctl proxy trace --local --raw --port 3000 -- http://shop.example.com/cart',
    ],
    [
      'All requests to a path, until Ctrl-C',
      `agctl proxy trace --local --summary --follow --expression 'request.path.startsWith("/cart")'`,
    ],
    [
      'A POST through a gateway in Kubernetes',
      `agctl proxy trace gateway/web -n apps --port 80 --summary -- http://api.example.com/v1 -d '{"a":1}' -H 'content-type: application/json'`,
    ],
  ])
  return command.action(async (_resource: string | undefined, options: TraceOptions) => {
    const args = divideArguments(command)
    const { raw, summary } = options
    if (!raw && !summary && isTerminal(options)) {
      const { showTrace } = await import('../../trace/tui/show-trace.ts')
      await showTrace(options, args)
      return
    }
    const { printTrace } = await import('../../trace/print-trace.ts')
    await printTrace(options, args)
  })
}
