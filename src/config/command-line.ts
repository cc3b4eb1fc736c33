import { parseArgs } from 'node:util'

/** The source of the configuration. */
export type ConfigSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'text'; readonly text: string; readonly name?: string }
  /** The default locations. */
  | { readonly kind: 'default' }

/** The command that the arguments select. */
export type Command =
  | { readonly command: 'run'; readonly source: ConfigSource; readonly isVerbose?: true }
  | { readonly command: 'validate'; readonly source: ConfigSource; readonly isVerbose?: true }
  /** The control plane for Kubernetes, with arguments of its own. */
  | { readonly command: 'controller'; readonly args: readonly string[] }
  | { readonly command: 'version'; readonly form: 'short' | 'json' }
  | { readonly command: 'help'; readonly text: string }
  /** Printed on standard error; the process ends with 2. */
  | { readonly command: 'error'; readonly text: string }

/**
 * Parses the arguments after the name of the program. Pure.
 *
 * @example
 * parseCommandLine(['-f', 'gateway.yaml']) // { command: 'run', source: { kind: 'file', path: 'gateway.yaml' } }
 */
export function parseCommandLine(argv: readonly string[]): Command {
  if (argv[0] === 'controller') return { command: 'controller', args: argv.slice(1) }
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true })
    if (values.help === true) return { command: 'help', text: HELP }
    if (values.version === true) return { command: 'version', form: 'json' }
    if (values['short-version'] === true) return { command: 'version', form: 'short' }
    if (positionals.length > 0) return refuse(`unexpected argument "${String(positionals[0])}"`)
    if (values.file !== undefined && values.config !== undefined) {
      return refuse('only one of --config or --file')
    }
    return {
      command: values['validate-only'] === true ? 'validate' : 'run',
      source: sourceOf(values),
      ...(values.verbose === true && { isVerbose: true }),
    }
  } catch (error) {
    if (!isArgumentError(error)) throw error
    return refuse(error.message.split('. ')[0] ?? error.message)
  }
}

const OPTIONS = {
  file: { type: 'string', short: 'f' },
  config: { type: 'string', short: 'c' },
  'validate-only': { type: 'boolean' },
  verbose: { type: 'boolean' },
  'short-version': { type: 'boolean', short: 'V' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const HELP = `Usage: agentgateway [-f FILE | -c TEXT] [--validate-only] [--verbose]
       agentgateway controller

  -f, --file FILE     the configuration file; - is standard input
  -c, --config TEXT   the configuration itself
  --validate-only     check the configuration and end
  --verbose           say all there is to say about what is wrong with it
  -V                  print the version
  --version           print the version and what it was built from, as JSON
  -h, --help          print this

  controller          run the control plane for Kubernetes; controller --help says more
`

function sourceOf({
  file,
  config,
}: {
  file?: string | undefined
  config?: string | undefined
}): ConfigSource {
  if (config !== undefined) return { kind: 'text', text: config }
  if (file === undefined) return { kind: 'default' }
  return file === '-' ? { kind: 'stdin' } : { kind: 'file', path: file }
}

function refuse(text: string): Command {
  return { command: 'error', text: `${text}\n\n${HELP}` }
}

function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
