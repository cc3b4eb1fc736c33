import type { ImportFinding, ImportReason } from '../import-report.ts'

/** Why a directive that was not used is not carried over. */
export const reasonFor = (name: string): ImportReason & { readonly kind: ImportFinding['kind'] } => {
  const known = REASONS.get(name)
  if (known) return known
  const family = FAMILIES.find(([prefix]) => name.startsWith(prefix))
  return (
    family?.[1] ?? {
      kind: 'dropped',
      reason: 'unknown directive, or one without a counterpart in this place',
    }
  )
}

const dropped = (reason: string, hint?: string): ImportReason & { readonly kind: 'dropped' } => ({
  kind: 'dropped',
  reason,
  ...(hint === undefined ? {} : { hint }),
})

const unneeded = (reason: string): ImportReason & { readonly kind: 'changed' } => ({
  kind: 'changed',
  reason: `not needed: ${reason}`,
})

const REASONS: ReadonlyMap<string, ImportReason & { readonly kind: ImportFinding['kind'] }> = new Map(
  Object.entries({
    include: dropped('included files are not read', 'import the output of nginx -T, which has all files'),
    gzip: dropped('responses are not compressed', 'compress at the backend'),
    root: dropped('files are not served', 'serve them with a file server behind the gateway'),
    alias: dropped('files are not served', 'serve them with a file server behind the gateway'),
    index: dropped('files are not served'),
    autoindex: dropped('files are not served'),
    try_files: dropped('files are not served', 'serve them with a file server behind the gateway'),
    expires: dropped('use responseHeaderModifier to set cache-control'),
    error_page: dropped(
      'errors of a backend are passed on as they are',
      'responses can be changed with transformations',
    ),
    access_log: dropped(
      'access logs are policies',
      'accessLog of frontendPolicies, or of a listener, has filter and fields',
    ),
    log_format: dropped(
      'access logs are policies',
      'accessLog of frontendPolicies, or of a listener, has filter and fields',
    ),
    error_log: dropped('the log is one stream', 'config.logging.level sets its levels'),
    limit_conn: dropped(
      'connections are not limited per key',
      'frontendPolicies.admission limits all exchanges',
    ),
    limit_conn_zone: dropped('connections are not limited per key'),
    limit_req: dropped('is used only in locations with proxy_pass', 'use localRateLimit or remoteRateLimit'),
    limit_req_status: unneeded('no limit_req of a location was carried over'),
    limit_req_log_level: unneeded('refusals are in the access log'),
    limit_req_dry_run: unneeded('no limit_req of a location was carried over'),
    location: unneeded('the server replies before locations are chosen'),
    rewrite: dropped(
      'only the redirect of a prefix, and the rewrite of the prefix of a location with proxy_pass, are carried over',
      'use requestRedirect, or urlRewrite in a route with the backends',
    ),
    open_file_cache: unneeded('files are not served'),
    limit_req_zone: unneeded('a zone that no limit_req of a location uses'),
    set_real_ip_from: dropped(
      'addresses of proxies are not listed',
      'frontendPolicies.http.forwarded.trustedHops counts them',
    ),
    real_ip_header: dropped(
      'the address comes from X-Forwarded-For or Forwarded',
      'set frontendPolicies.http.forwarded.trustedHops',
    ),
    real_ip_recursive: dropped('set frontendPolicies.http.forwarded.trustedHops'),
    proxy_send_timeout: dropped('only the whole call has a timeout', 'use timeout.requestTimeout'),
    proxy_buffering: unneeded('bodies are streamed, with backpressure'),
    proxy_request_buffering: unneeded('bodies are streamed, with backpressure'),
    proxy_buffers: unneeded('bodies are streamed, with backpressure'),
    proxy_buffer_size: unneeded('bodies are streamed, with backpressure'),
    proxy_busy_buffers_size: unneeded('bodies are streamed, with backpressure'),
    proxy_http_version: unneeded('connections to backends are kept, and upgraded where a client asks for it'),
    proxy_redirect: dropped('Location of responses is not changed', 'use transformations of the response'),
    proxy_pass_request_headers: dropped('headers are passed on', 'use requestHeaderModifier.remove'),
    proxy_pass_header: unneeded('headers of backends are passed on'),
    proxy_cookie_path: dropped('cookies of responses are not changed', 'use transformations of the response'),
    proxy_cookie_domain: dropped(
      'cookies of responses are not changed',
      'use transformations of the response',
    ),
    set: dropped('there are no variables', 'use expressions in transformations'),
    map: dropped('there are no variables', 'use expressions in transformations, or matches of routes'),
    geo: dropped('there are no variables', 'use cidr(…).containsIP(source.address) in expressions'),
    split_clients: dropped('there are no variables', 'use weights of backends'),
    stream: dropped('TCP and UDP proxying is not converted', 'use tcpRoutes'),
    mail: dropped('mail is not proxied'),
    mirror: dropped('use requestMirror'),
    resolver: unneeded('names are resolved by the system, and followed'),
    resolver_timeout: unneeded('names are resolved by the system'),
    server_tokens: unneeded('replies name no server'),
    http2: unneeded('HTTP/2 is offered wherever there is TLS'),
    events: unneeded('a setting of the process of nginx'),
    user: unneeded('a setting of the process of nginx'),
    pid: unneeded('a setting of the process of nginx'),
    daemon: unneeded('a setting of the process of nginx'),
    load_module: dropped('modules of nginx cannot be loaded', 'see the guide about custom operators'),
    env: unneeded('all variables of the environment are known'),
    sendfile: unneeded('files are not served'),
    tcp_nopush: unneeded('a setting of sockets'),
    tcp_nodelay: unneeded('a setting of sockets'),
    types: unneeded('files are not served'),
    default_type: unneeded('replies with a body have a content type'),
    keepalive_timeout: dropped('use frontendPolicies.http.http1IdleTimeout'),
    client_header_timeout: dropped('use frontendPolicies.http.headersTimeout'),
    client_body_timeout: dropped('use frontendPolicies.http.requestBodyTimeout'),
    large_client_header_buffers: dropped('use frontendPolicies.http.http1MaxHeaderSize'),
    underscores_in_headers: unneeded('names with underscores are passed on, unless a policy sets the field'),
    merge_slashes: dropped('use frontendPolicies.http.path.mergeSlashes'),
    ssl_ciphers: dropped('the default suites apply', 'tls.cipherSuites lists others'),
    sticky: dropped('use loadBalancing.ringHash with a cookie'),
    health_check: dropped('use health.active'),
  }),
)

const FAMILIES: readonly (readonly [string, ImportReason & { readonly kind: ImportFinding['kind'] }])[] = [
  ['types_hash_', unneeded('a setting of the process of nginx')],
  ['server_names_hash_', unneeded('a setting of the process of nginx')],
  ['variables_hash_', unneeded('a setting of the process of nginx')],
  ['map_hash_', unneeded('a setting of the process of nginx')],
  ['open_file_cache_', unneeded('files are not served')],
  ['worker_', unneeded('a setting of the process of nginx')],
  ['gzip_', dropped('responses are not compressed', 'compress at the backend')],
  ['brotli', dropped('responses are not compressed', 'compress at the backend')],
  ['proxy_cache', dropped('responses are not cached')],
  ['fastcgi_', dropped('FastCGI is not spoken', 'put an HTTP server in front of the application')],
  ['uwsgi_', dropped('uWSGI is not spoken', 'let the application listen for HTTP')],
  ['scgi_', dropped('SCGI is not spoken', 'let the application listen for HTTP')],
  ['client_body_', unneeded('bodies are streamed')],
  ['ssl_stapling', dropped('OCSP responses are not stapled')],
  ['ssl_', dropped('has no counterpart')],
  ['sub_filter', dropped('bodies are not searched', 'use transformations of the response, or extProc')],
  ['js_', dropped('scripts of nginx are not run', 'see the guide about custom operators')],
  ['lua_', dropped('scripts of nginx are not run', 'see the guide about custom operators')],
]
