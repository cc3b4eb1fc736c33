import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** A program of a kubeconfig file that prints credentials, as `exec` of a user has it. */
export interface ExecPlugin {
  readonly apiVersion?: string
  readonly command: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
  readonly installHint?: string
  readonly provideClusterInfo?: boolean
}

/** What it prints. */
export interface ExecCredentials {
  readonly token?: string
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
  readonly expirationTimestamp?: string
}

/**
 * Runs a plugin as kubectl does: with the terminal, if there is one and it may have it, and with what it prints about
 * logging in shown at once.
 *
 * @param cluster What is told to plugins that want to know.
 * @throws Error if there is no such program, it fails, or what it prints are no credentials.
 */
export const runExecPlugin = async (plugin: ExecPlugin, cluster: object): Promise<ExecCredentials> => {
  const { command, args, env, interactiveMode = 'IfAvailable', apiVersion = '' } = plugin
  const interactive = interactiveMode !== 'Never' && process.stdin.isTTY
  if (interactiveMode === 'Always' && !interactive)
    throw new Error(`getting credentials: ${command} needs a terminal`)
  const spec = { interactive, ...(plugin.provideClusterInfo === true && { cluster }) }
  const info = JSON.stringify({ kind: KIND, apiVersion, spec })
  const child = spawn(command, [...(args ?? [])], {
    env: {
      ...process.env,
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: info,
    },
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }: Error) => {
      resolve(`${message}${plugin.installHint === undefined ? '' : `; ${plugin.installHint}`}`)
    })
    child.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : `it ended with ${String(code ?? signal)}`)
    })
  })
  const [printed, failure] = await Promise.all([text(child.stdout), ended])
  if (failure !== undefined) throw new Error(`getting credentials: ${command}: ${failure}`)
  return parseCredentials(printed, command, apiVersion)
}

const KIND = 'ExecCredential'

const parseCredentials = (printed: string, command: string, apiVersion: string): ExecCredentials => {
  const wrong = (what: string) => new Error(`getting credentials: ${command} printed ${what}`)
  let printedObject: unknown
  try {
    printedObject = JSON.parse(printed)
  } catch {
    throw wrong('no JSON')
  }
  const { kind, apiVersion: version, status } = (printedObject ?? {}) as Readonly<Record<string, unknown>>
  if (kind !== KIND || version !== apiVersion)
    throw wrong(`no ${KIND} of ${apiVersion === '' ? 'the version of the kubeconfig file' : apiVersion}`)
  const credentials = (status ?? {}) as ExecCredentials
  const hasKeyPair =
    (credentials.clientCertificateData ?? '') !== '' && (credentials.clientKeyData ?? '') !== ''
  if ((credentials.token ?? '') === '' && !hasKeyPair)
    throw wrong('neither a token nor a certificate with its key')
  return credentials
}
