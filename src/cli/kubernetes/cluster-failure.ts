import { STATUS_CODES } from 'node:http'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'
import { errorLine, oneLineText } from '../gateway/admin-failure.ts'

/** Why the API server did not do what was requested, as one line. */
export const clusterReason = (error: unknown): string => {
  if (!(error instanceof Error)) return oneLineText(String(error))
  const { body, code, cause } = error as Error & {
    readonly body?: unknown
    readonly code?: number | string
    readonly cause?: unknown
  }
  const message = statusMessage(body)
  if (message !== undefined) return oneLineText(message)
  if (typeof code === 'number') return `${STATUS_CODES[code] ?? 'status'} (${String(code)})`
  return errorLine(cause instanceof Error && cause.message !== '' ? cause : error)
}

/** Whether an error is a response with a status, rather than a failure to get one. */
export const isApiStatus = (error: unknown, status?: number): boolean => {
  const code = error instanceof Error ? (error as Error & { readonly code?: unknown }).code : undefined
  return status === undefined ? typeof code === 'number' : code === status
}

/** Whether a kind is not served: its definition is not installed. The API server names objects that are missing. */
export const isUnknownKind = (error: unknown): boolean =>
  isApiStatus(error, 404) && !clusterReason(error).includes('"')

/**
 * A list that the API server sent.
 *
 * @throws Error if it is none: a page to log in, for example, of a proxy before the API server.
 */
export const receivedList = <T>(list: readonly T[] | null | undefined): readonly T[] => {
  const received: unknown = list
  if (received !== null && !Array.isArray(received))
    throw new Error('the server sent no list: is it the API server of a cluster?')
  return list ?? []
}

/** The failure of a call to the API server, after what was called for. */
export const clusterFailure = (what: string, error: unknown, hint?: string): CommandFailure => {
  const text = hint ?? hintOf(error)
  return new CommandFailure(`${what}: ${clusterReason(error)}`, {
    cause: error,
    exitCode: isApiStatus(error) ? exitCode.failed : exitCode.unreachable,
    ...(text !== undefined && { hint: text }),
  })
}

const hintOf = (error: unknown): string | undefined => {
  if (isApiStatus(error, 401)) return 'The credentials of the context are not accepted, or have expired.'
  if (isApiStatus(error, 403)) return permissionHint(clusterReason(error))
  if (isApiStatus(error)) return undefined
  return isUntrusted(error)
    ? 'certificate-authority of the cluster, in the kubeconfig file, has what signs the certificate of the API server.'
    : '-k FILE chooses a kubeconfig file, --context NAME one of its contexts.'
}

/** Whether the certificate of the API server is signed by somebody else, as after a cluster was made anew. */
const isUntrusted = (error: unknown): boolean => {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const { code } = (cause instanceof Error ? cause : {}) as { readonly code?: unknown }
  return typeof code === 'string' && /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_SIGNATURE)/.test(code)
}

/** What the account may not do, in few words. */
export const permissionText = (error: unknown): string => {
  const reason = clusterReason(error)
  const [, verb, resource] = /cannot (\S+) resource "([^"]+)"/.exec(reason) ?? []
  const [, namespace] = /in the namespace "([^"]+)"/.exec(reason) ?? []
  if (verb === undefined || resource === undefined) return reason
  return `the account may not ${verb} ${resource} ${namespace === undefined ? 'of the cluster' : `in namespace "${namespace}"`}`
}

/** The API server names what is not allowed; kubectl can show whether that has changed. */
const permissionHint = (reason: string): string => {
  const [, verb, resource] = /cannot (\S+) resource "([^"]+)"/.exec(reason) ?? []
  const [, group = ''] = /API group "([^"]*)"/.exec(reason) ?? []
  const [, namespace] = /in the namespace "([^"]+)"/.exec(reason) ?? []
  if (verb === undefined || resource === undefined)
    return 'The account of the kubeconfig needs to get and list pods and gateways, and to create pods/portforward.'
  const scope = namespace === undefined ? '' : ` -n ${namespace}`
  return `The account needs the permission: kubectl auth can-i ${verb} ${resource}${group === '' ? '' : `.${group}`}${scope}`
}

/** `message` of a Kubernetes `Status`, which is an object, or JSON that was not decoded. */
const statusMessage = (body: unknown): string | undefined => {
  if (typeof body === 'string') {
    try {
      return statusMessage(JSON.parse(body) as unknown)
    } catch {
      return body.trim() === '' ? undefined : body
    }
  }
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined
  return typeof body.message === 'string' ? body.message : undefined
}
