import type { ServerTls } from '../../../config/schema/file-types.gen.ts'
import type { NginxScope } from './nginx-scope.ts'

/** TLS of a server with `ssl`. */
export const serverTls = (scope: NginxScope): ServerTls => {
  const certs = scope.inherited('ssl_certificate')
  const [cert, ...others] = certs
  const key = scope.inherited('ssl_certificate_key')[0]
  for (const { at, args } of others)
    scope.report.dropped(at, `ssl_certificate ${args[0] ?? ''}`, 'a listener has one certificate')
  scope.inherited(
    'ssl_session_cache',
    'ssl_session_timeout',
    'ssl_session_tickets',
    'ssl_prefer_server_ciphers',
  )
  const verify = scope.value('ssl_verify_client') ?? 'off'
  const root = scope.value('ssl_client_certificate') ?? scope.value('ssl_trusted_certificate')
  const [directive] = scope.inherited('ssl_verify_client')
  if (directive && verify !== 'off' && verify !== 'on')
    scope.report.changed(
      directive.at,
      `ssl_verify_client ${verify}`,
      'every client has to present a certificate',
    )
  const versions = scope.inherited('ssl_protocols').at(-1)
  const known = (versions?.args ?? []).flatMap((name) => VERSIONS[name] ?? [])
  const old = (versions?.args ?? []).filter((name) => /^(?:SSL|TLSv1(?:\.1)?$)/.test(name))
  if (versions && old.length > 0)
    scope.report.changed(
      versions.at,
      `ssl_protocols ${old.join(' ')}`,
      'versions before TLS 1.2 are not offered',
    )
  const [lowest, highest] = [known.toSorted()[0], known.toSorted().at(-1)]
  return {
    cert: cert?.args[0] ?? 'cert.pem',
    key: key?.args[0] ?? 'key.pem',
    ...(verify === 'off' ? {} : { root: root ?? 'client-ca.pem' }),
    ...(lowest === undefined ? {} : { minTLSVersion: lowest }),
    ...(highest === 'TLS_V1_2' ? { maxTLSVersion: highest } : {}),
  }
}

const VERSIONS: Readonly<Record<string, 'TLS_V1_2' | 'TLS_V1_3'>> = {
  'TLSv1.2': 'TLS_V1_2',
  'TLSv1.3': 'TLS_V1_3',
}
