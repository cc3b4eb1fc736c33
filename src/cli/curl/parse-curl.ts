import { readFile } from 'node:fs/promises'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'
import { type CurlRequest, curlRequest } from './curl-request.ts'

/**
 * Reads a request in the words of curl: an optional method, the URL, `-X`, `-H`, `-d`, `--data-raw`, `--data-binary`,
 * `--json`, `-G`, `-I`, `-u`, `-A`, `-b`, `-e`. Options of curl that change nothing about the request are ignored.
 *
 * @throws CommandFailure for other options, and for what is no request.
 * @example
 * await parseCurl(['POST', 'http://localhost:3000/orders', '-H', 'x-team: blue', '-d', '{}'])
 */
export const parseCurl = async (args: readonly string[], clientAddress?: string): Promise<CurlRequest> => {
  const draft = new CurlDraft()
  for (let i = 0; i < args.length; i++) {
    const [name, attached] = splitOption(args[i] ?? '')
    if (name === undefined) draft.positional(args[i] ?? '')
    else if (ignored.has(name)) continue
    else if (ignoredWithValue.has(name)) i += attached === undefined ? 1 : 0
    else if (flags.has(name)) draft.flag(name)
    else if (withValue.has(name)) {
      const value = attached ?? args[++i]
      if (value === undefined) throw usage(`${name} needs a value`)
      await draft.option(name, value)
    } else throw usage(`curl's ${name} is not known here`)
  }
  const request = curlRequest(draft.parts(clientAddress))
  if (typeof request === 'string') throw usage(request)
  return request
}

const withValue = new Set(
  '-X --request -H --header -d --data --data-raw --data-ascii --data-binary --json -u --user -A --user-agent -b --cookie -e --referer --url'.split(
    ' ',
  ),
)
const flags = new Set(['-I', '--head', '-G', '--get'])
const ignored = new Set(
  '-k --insecure -s --silent -S --show-error -v --verbose -i --include -L --location -f --fail -N --no-buffer --http1.1 --compressed --path-as-is -sS -g'.split(
    ' ',
  ),
)
const ignoredWithValue = new Set(
  '-o --output -m --max-time --connect-timeout --resolve --cacert -w --write-out'.split(' '),
)

/** `-XPOST` and `--request=POST` have their values attached. */
const splitOption = (arg: string): readonly [name: string | undefined, attached: string | undefined] => {
  if (!arg.startsWith('-') || arg === '-') return [undefined, undefined]
  if (ignored.has(arg)) return [arg, undefined]
  const equals = arg.indexOf('=')
  if (arg.startsWith('--'))
    return equals < 0 ? [arg, undefined] : [arg.slice(0, equals), arg.slice(equals + 1)]
  return arg.length > 2 ? [arg.slice(0, 2), arg.slice(2)] : [arg, undefined]
}

const usage = (message: string): CommandFailure =>
  new CommandFailure(message, {
    hint: 'Expected: [METHOD] URL [-H "name: value"]… [-d BODY]',
    exitCode: exitCode.usage,
  })

class CurlDraft {
  #method: string | undefined = undefined
  #url: string | undefined = undefined
  #isQuery = false
  readonly #headers: (readonly [string, string])[] = []
  readonly #data: Buffer[] = []
  #type: string | undefined = undefined

  positional(text: string): void {
    if (this.#url === undefined && this.#method === undefined && /^[A-Z]+$/.test(text)) this.#method = text
    else if (this.#url === undefined) this.#url = text
    else throw usage(`unexpected argument ${text}`)
  }

  flag(name: string): void {
    if (name === '-I' || name === '--head') this.#method ??= 'HEAD'
    else this.#isQuery = true
  }

  async option(name: string, value: string): Promise<void> {
    if (name === '-X' || name === '--request') this.#method = value
    else if (name === '--url') this.#url = value
    else if (name === '-H' || name === '--header') this.#header(value)
    else if (name === '-u' || name === '--user')
      this.#headers.push(['authorization', `Basic ${Buffer.from(value).toString('base64')}`])
    else if (name in fieldOptions) this.#headers.push([fieldOptions[name] ?? '', value])
    else await this.#addData(name, value)
  }

  parts(clientAddress: string | undefined): Parameters<typeof curlRequest>[0] {
    if (this.#url === undefined) throw usage('there is no URL')
    const body = this.#data.length === 0 ? undefined : Buffer.concat(this.#data)
    const isQuery = this.#isQuery && body
    const has = (name: string): boolean => this.#headers.some(([one]) => one.toLowerCase() === name)
    const type =
      isQuery || has('content-type') || this.#type === undefined
        ? []
        : [['content-type', this.#type] as const]
    return {
      method: this.#method ?? (isQuery ? 'GET' : undefined),
      url: isQuery ? `${this.#url}${this.#url.includes('?') ? '&' : '?'}${body.toString()}` : this.#url,
      headers: [...this.#headers, ...type],
      body: isQuery ? undefined : body,
      clientAddress,
    }
  }

  #header(text: string): void {
    const found = /^([^:;]+)(?::\s*(.*)|;)$/s.exec(text)
    if (!found) throw usage(`-H ${JSON.stringify(text)} is no header field`)
    this.#headers.push([(found[1] ?? '').trim(), found[2] ?? ''])
  }

  async #addData(name: string, value: string): Promise<void> {
    this.#type ??= name === '--json' ? 'application/json' : 'application/x-www-form-urlencoded'
    if (this.#data.length > 0 && name !== '--json') this.#data.push(Buffer.from('&'))
    if (value.startsWith('@') && name !== '--data-raw') {
      const path = value.slice(1)
      this.#data.push(
        await readFile(path).catch(() => {
          throw usage(`${path} cannot be read`)
        }),
      )
    } else this.#data.push(Buffer.from(value))
  }
}

const fieldOptions: Readonly<Record<string, string>> = {
  '-A': 'user-agent',
  '--user-agent': 'user-agent',
  '-b': 'cookie',
  '--cookie': 'cookie',
  '-e': 'referer',
  '--referer': 'referer',
}
