import { readFileSync } from 'node:fs'
import { usageFailure } from '../command-failure.ts'

/** Requests as the arguments after `--` describe them, in the notation of curl. */
export interface RequestArguments {
  readonly urls: readonly URL[]
  readonly method: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | undefined
  /** Certificates are not verified. */
  readonly isInsecure: boolean
  /** Addresses by `host:port`. */
  readonly resolve: ReadonlyMap<string, string>
}

/** Parses the arguments after `--`: `-X`, `-H`, `-d`, `-k` and `--resolve` of curl, and URLs of one host. */
export const parseRequestArguments = (args: readonly string[]): RequestArguments => {
  const parsed: Parsed = { urls: [], headers: [], data: [], resolve: new Map() }
  for (let i = 0; i < args.length; i++) i += readArgument(parsed, args[i] ?? '', args[i + 1])
  const { urls, headers, data, method } = parsed
  const [first] = urls
  if (!first) throw usageFailure('request args after -- must include at least one http:// or https:// URL')
  const other = urls.find(({ host }) => host !== first.host)
  if (other)
    throw usageFailure(
      `all traced request URLs must use the same host, found "${first.host}" and "${other.host}"`,
    )
  const isForm = data.length > 0 && !headers.some(([name]) => name.toLowerCase() === 'content-type')
  return {
    urls,
    method: method ?? (data.length > 0 ? 'POST' : 'GET'),
    headers: isForm ? [...headers, ['content-type', 'application/x-www-form-urlencoded']] : headers,
    body:
      data.length > 0
        ? Buffer.concat(data.flatMap((part, i) => (i > 0 ? [ampersand, part] : [part])))
        : undefined,
    isInsecure: parsed.isInsecure ?? false,
    resolve: parsed.resolve,
  }
}

interface Parsed {
  readonly urls: URL[]
  readonly headers: (readonly [string, string])[]
  readonly data: Buffer[]
  readonly resolve: Map<string, string>
  method?: string
  isInsecure?: boolean
}

const ampersand = Buffer.from('&')

/** Reads one argument, and returns how many more it used. */
const readArgument = (parsed: Parsed, argument: string, next: string | undefined): number => {
  if (/^https?:\/\//i.test(argument)) {
    if (!URL.canParse(argument)) throw usageFailure(`invalid URL ${argument}`)
    parsed.urls.push(new URL(argument))
    return 0
  }
  const option = aliases[argument] ?? argument
  const read = withoutValue[option]
  if (read) {
    read(parsed)
    return 0
  }
  // `-XPOST` and `--header=…` are an option with its value.
  const [, name = '', attached] =
    /^(-[XHd])(.+)$/s.exec(argument) ?? /^(--[a-z-]+)=(.*)$/s.exec(argument) ?? []
  const readValue = withValue[aliases[name] ?? name] ?? withValue[option]
  if (!readValue) throw usageFailure(`unknown request argument ${argument}`, supported)
  const value = attached ?? next
  if (value === undefined) throw usageFailure(`${argument} needs a value`)
  readValue(parsed, value)
  return attached === undefined ? 1 : 0
}

const supported =
  'Supported are URLs, -X METHOD, -H "NAME: VALUE", -d DATA or -d @FILE, -k, and --resolve HOST:PORT:ADDRESS.'

const aliases: Readonly<Partial<Record<string, string>>> = {
  '--request': '-X',
  '--header': '-H',
  '--data': '-d',
  '--data-binary': '-d',
  '--insecure': '-k',
}

const withoutValue: Readonly<Partial<Record<string, (parsed: Parsed) => void>>> = {
  '-k': (parsed) => {
    parsed.isInsecure = true
  },
  // What they turn off or change is not printed here.
  ...Object.fromEntries(
    ['-s', '-S', '-sS', '-i', '-v', '--silent', '--show-error'].map((name) => [name, () => undefined]),
  ),
}

const withValue: Readonly<Partial<Record<string, (parsed: Parsed, value: string) => void>>> = {
  '-X': (parsed, value) => {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(value)) throw usageFailure(`invalid method ${value}`)
    parsed.method = value
  },
  '-H': ({ headers }, value) => {
    const [, name = '', text] = /^([!#$%&'*+.^_`|~\w-]+):\s*([^\r\n\0]*)$/.exec(value) ?? []
    if (text === undefined) throw usageFailure(`invalid header ${value}`, 'It is "NAME: VALUE".')
    headers.push([name, text])
  },
  '-d': ({ data }, value) => {
    data.push(value.startsWith('@') ? readBody(value.slice(1)) : Buffer.from(value))
  },
  '--data-raw': ({ data }, value) => {
    data.push(Buffer.from(value))
  },
  '--resolve': ({ resolve }, value) => {
    const [, origin, address] = /^\+?([^:]+:\d+):\[?([^\]]+?)\]?$/.exec(value) ?? []
    if (origin === undefined || address === undefined)
      throw usageFailure(`invalid --resolve ${value}`, 'It is HOST:PORT:ADDRESS.')
    resolve.set(origin.toLowerCase(), address)
  },
}

const readBody = (file: string): Buffer => {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (error) {
    throw usageFailure(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
