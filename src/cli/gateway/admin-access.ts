import { readFileSync } from 'node:fs'
import { adminTokenVariable, type GatewaySelection } from './gateway-options.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'

/** How an admin server is called. */
export interface AdminAccess {
  /** With the authority for the field `Host`. */
  readonly url: URL
  readonly socketPath?: string
  readonly token?: string
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }
}

/** Reads the options about the admin server, with the files that they name. */
export const readAdminAccess = (options: GatewaySelection, port: number): AdminAccess => {
  const { adminUrl, adminCa, adminCert, adminKey } = options
  if ((adminCert === undefined) !== (adminKey === undefined))
    throw usageFailure('--admin-cert and --admin-key belong together')
  const token = readToken(options.tokenFile)
  return {
    ...parseAddress(adminUrl ?? defaultUrl(options, port)),
    ...(token !== undefined && { token }),
    tls: {
      ...(adminCa !== undefined && { ca: readFile(adminCa) }),
      ...(adminCert !== undefined && { cert: readFile(adminCert) }),
      ...(adminKey !== undefined && { key: readFile(adminKey) }),
    },
  }
}

/** An admin server with certificates is called with TLS. */
const defaultUrl = ({ adminCa, adminCert }: GatewaySelection, port: number): string =>
  `${(adminCa ?? adminCert) === undefined ? 'http' : 'https'}://127.0.0.1:${String(port)}`

const parseAddress = (text: string): Pick<AdminAccess, 'url' | 'socketPath'> => {
  if (text.startsWith('unix:/'))
    return { url: new URL('http://localhost'), socketPath: text.slice('unix:'.length) }
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/'
  if (isOrigin && url.search + url.hash + url.username + url.password === '') return { url }
  throw usageFailure(
    `invalid --admin-url ${text}`,
    'It is http://host:port, https://host:port or unix:/path, without a path on the server.',
  )
}

const readToken = (file: string | undefined): string | undefined => {
  const fromEnvironment = process.env[adminTokenVariable]?.trim() ?? ''
  const token = file === undefined ? fromEnvironment : firstToken(readFile(file).toString('utf8'))
  if (file === undefined && token === '') return undefined
  // Any other character would end the field of the request.
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw usageFailure(`${file ?? `$${adminTokenVariable}`} does not hold a token: a line of visible ASCII`)
}

/** The file may be the one of the gateway, which may have several tokens, and comments. */
const firstToken = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#')) ?? ''

const readFile = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CommandFailure(
      `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
      {
        exitCode: exitCode.usage,
        cause: error,
      },
    )
  }
}
