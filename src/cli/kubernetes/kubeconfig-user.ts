import { readFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { ExecPlugin } from './exec-plugin.ts'

/** What the library does not read of a user, or reads otherwise than kubectl. */
export interface UserExtras {
  /** Read for each request: something else may renew it. */
  readonly tokenFile: string | undefined
  /** What stands in for a token file that cannot be read. */
  readonly token: string | undefined
  readonly plugin: ExecPlugin | undefined
  /** Header fields by which the API server lets an account act as another one. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>
}

/** `user` of an entry of `users`, as far as it is read here. */
export interface KubeconfigUser {
  readonly token?: string
  readonly tokenFile?: string
  readonly exec?: ExecPlugin | null
  readonly 'as-uid'?: string
  readonly 'as-groups'?: readonly string[]
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>
}

/** The extras of a user. Paths are relative to the file, programs of the PATH excepted. */
export const userExtras = (user: KubeconfigUser, file: string): UserExtras => {
  const { token = '', tokenFile = '', exec } = user
  const folder = dirname(file)
  const command = exec?.command ?? ''
  // A token has precedence over the plugin.
  const plugin =
    exec && token === '' && tokenFile === ''
      ? { ...exec, command: command.includes(sep) ? resolve(folder, command) : command }
      : undefined
  return {
    tokenFile: tokenFile === '' ? undefined : resolve(folder, tokenFile),
    token: token === '' ? undefined : token,
    plugin,
    impersonation: impersonationHeaders(user),
  }
}

const impersonationHeaders = ({
  'as-uid': uid = '',
  'as-groups': groups = [],
  'as-user-extra': extra = {},
}: KubeconfigUser): UserExtras['impersonation'] => ({
  ...(uid !== '' && { 'impersonate-uid': uid }),
  ...(groups.length > 0 && { 'impersonate-group': groups }),
  ...Object.fromEntries(
    Object.entries(extra).map(([name, values]) => [
      `impersonate-extra-${encodeURIComponent(name.toLowerCase())}`,
      values,
    ]),
  ),
})

/** The token of a file without the end of its line; undefined if it cannot be read and there is another one. */
export const fileToken = (file: string, other: string | undefined): string => {
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (token === '') throw new Error(`${file} has no token`)
    return token
  } catch (error) {
    if (other !== undefined) return other
    throw error
  }
}
