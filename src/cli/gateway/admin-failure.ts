import type { IncomingMessage } from 'node:http'
import { adminTokenVariable } from './gateway-options.ts'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'

/** An admin server that cannot be reached. */
export const connectFailure = (name: string, error: unknown): CommandFailure => {
  const { code = '', message } = plainError(error)
  return new CommandFailure(`cannot reach the admin server at ${name}: ${message}`, {
    hint: hintOfConnect(code, message),
    exitCode: exitCode.unreachable,
    cause: error,
  })
}

const hintOfConnect = (code: string, message: string): string => {
  // An alert is what the server thinks of us: `tlsv13 alert certificate required`.
  if (/^EPROTO|^ERR_SSL|alert/i.test(code) || message.includes('alert'))
    return 'It may require a client certificate (--admin-cert, --admin-key), or speak HTTP without TLS.'
  if (code.startsWith('ERR_OSSL'))
    return '--admin-ca, --admin-cert or --admin-key has no certificate or key, or these do not belong together.'
  if (/CERT|SIGNATURE|ISSUER|ALTNAME/.test(code))
    return '--admin-ca FILE has the certificates that sign the one of the admin server.'
  if (code === 'ECONNRESET' || code.startsWith('HPE_') || message === 'socket hang up')
    return 'It may require TLS (--admin-ca, --admin-cert), or be another kind of server. -p chooses another port.'
  return 'Is the gateway running? The address of its admin server is config.adminAddr, by default 127.0.0.1:15000; -p chooses another port.'
}

/** A response of an admin server with an unexpected status. */
export const statusFailure = (
  name: string,
  path: string,
  { statusCode = 0, headers }: IncomingMessage,
  body: string,
): CommandFailure => {
  const [endpoint = path] = path.split('?')
  // The usage after an empty line is about parameters that agctl sets.
  const reason = oneLineText(statusCode === 400 ? (body.split('\n\n', 1)[0] ?? '') : body)
  const text = reason === '' ? '' : `: ${reason}`
  if (statusCode === 401)
    return new CommandFailure(`the admin server at ${name} requires a token${text}`, { hint: tokenHint })
  if (statusCode === 403)
    return new CommandFailure(`the admin server at ${name} refuses the call (403)${text}`, {
      hint: `${tokenHint} --admin-cert and --admin-key have a certificate that config.admin.tls allows. An admin server for a network lists its names in config.adminHosts.`,
    })
  if (statusCode === 404 || (statusCode === 405 && endpoint === '/logging'))
    return new CommandFailure(`the gateway at ${name} has no ${endpoint}${text}`, {
      hint: `It is an older version, another server (${String(headers.server ?? 'unnamed')}), or not built for this. agctl version --local shows its version.`,
    })
  if (statusCode === 400) return new CommandFailure(`the gateway at ${name} refuses ${endpoint}${text}`)
  return new CommandFailure(`unexpected status code: ${String(statusCode)}${text}`)
}

/** Where the token of an admin server is configured. */
export const tokenHint = `--token-file FILE or $${adminTokenVariable} has the token that config.admin.auth demands.`

/** An error as one line: Node reports several addresses as an error without a message. */
const plainError = (error: unknown): { readonly code?: string; readonly message: string } => {
  if (error instanceof AggregateError && error.errors.length > 0) return plainError(error.errors[0])
  if (!(error instanceof Error)) return { message: String(error) }
  const { code } = error as NodeJS.ErrnoException
  const message = code === 'ECONNREFUSED' ? 'connection refused' : errorLine(error)
  return { ...(code !== undefined && { code }), message: oneLineText(message) }
}

/** The message of an error as one line. Node adds flags of its own for certificates, which users cannot pass. */
export const errorLine = ({ message }: Error): string =>
  oneLineText(message.replace(/; if the root CA is installed locally, try running Node\.js with .*$/, ''))

/** One line of text without control characters, at most 500 characters: a server must not control the terminal. */
export const oneLineText = (text: string): string => {
  const line = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}
