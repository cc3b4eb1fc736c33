import type { ProcessVariables } from '../environment-variables.ts'
import { defaults } from '../defaults.ts'
import { parseHostPort } from '../format/address.ts'
import { tokenProblem } from '../normalize/admin-tokens.ts'
import { checkTlsFiles } from '../../streams/http/tls/validate/tls-files.ts'
import type { Check } from './context.ts'

/** Checks who may call the admin server. */
export const checkAdminAccess =
  (variables: ProcessVariables): Check =>
  (view) => {
    const { config } = view.file
    const { auth, tls } = config?.admin ?? {}
    if (tls !== undefined) {
      checkTlsFiles(view, tls, '/config/admin/tls')
      if (tls.allowedNames !== undefined && tls.root === undefined)
        view.problem(
          '/config/admin/tls/allowedNames',
          'needs tls.root: without it, clients present no certificate',
        )
    }
    if (auth !== undefined) {
      const at = '/config/admin/auth/tokenFile'
      const tokens = view.fileText(at, auth.tokenFile)
      const problem = tokens === undefined ? undefined : tokenProblem(tokens)
      if (problem !== undefined) view.wrongValue(at, problem, { value: auth.tokenFile })
    }
    const address = variables.adminAddr ?? config?.adminAddr ?? defaults.adminAddr
    if (address === 'off' && config?.admin !== undefined)
      view.warning('/config/admin', 'no_effect', 'has no effect: the admin server is off')
    if (auth === undefined && tls?.root === undefined && isOpen(address))
      view.warning(
        '/config/adminAddr',
        'admin_without_auth',
        `the admin server is open to a network at ${address}, and asks for no credentials: every client that reaches it can watch requests and shut the gateway down; set config.admin.auth.tokenFile or config.admin.tls.root, or use a loopback address`,
      )
  }

/** Whether other machines may reach an address. */
const isOpen = (address: string): boolean => {
  if (address === 'off' || address.startsWith('unix:')) return false
  const host = (parseHostPort(address)?.host ?? '').toLowerCase().replace(/^\[|\]$/g, '')
  return host !== 'localhost' && host !== '::1' && !host.startsWith('127.')
}
