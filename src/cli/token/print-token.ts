import { readFileSync } from 'node:fs'
import { fetchToken } from './fetch-token.ts'
import { usageFailure } from '../command-failure.ts'

/** Options of `agctl token`. */
export interface TokenOptions {
  readonly authUrl: string
  readonly clientId: string
  readonly audience: string
  readonly clientSecretFile?: string
  readonly header?: boolean
}

const secretVariable = 'AGENTGATEWAY_CLIENT_SECRET'

/** `agctl token`: fetches a token with the credentials of a program, and prints it. */
export const printToken = async (options: TokenOptions): Promise<void> => {
  const { clientId, audience, header = false } = options
  const url = tokenUrl(options.authUrl)
  const clientSecret = readSecret(options.clientSecretFile)
  const token = await fetchToken({ url, clientId, clientSecret, audience })
  process.stdout.write(`${header ? `Authorization: Bearer ${token}` : token}\n`)
}

const tokenUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw usageFailure(`invalid --auth-url ${text}`, 'It is https://host, without /oauth/token.')
  if (url.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    throw usageFailure(`--auth-url ${text} would send the client secret without encryption`, 'Use https://.')
  return new URL(`${url.origin}${url.pathname.replace(/\/+$/, '')}/oauth/token`)
}

const readSecret = (file: string | undefined): string => {
  const secret = file === undefined ? (process.env[secretVariable] ?? '') : readFile(file).trim()
  if (secret !== '') return secret
  throw usageFailure(
    file === undefined ? 'there is no client secret' : `${file} is empty`,
    `Set $${secretVariable}, or name a file with --client-secret-file (- for standard input).`,
  )
}

const readFile = (file: string): string => {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw usageFailure(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
