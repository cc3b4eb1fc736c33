/* Generated from src/config/schema by scripts/generate-schema.ts. Do not edit. */
/* eslint-disable */

/**
 * Changes requests and answers by expressions.
 */
export type ConditionalTransformations = TransformationsChoice | Transformations
/**
 * One rule. A text by itself is an allow rule.
 */
export type AuthorizationRule =
  | string
  | {
      /**
       * Who may pass. Where there are such rules, one of them must hold.
       */
      allow?: string
      /**
       * Who may not pass, whatever other rules say.
       */
      deny?: string
      /**
       * What must hold for anybody to pass.
       */
      require?: string
    }
/**
 * Where a credential is in requests: in one place, or in any of several. Different credentials in several of them are refused; the same one counts once.
 */
export type CredentialLocation = OneCredentialLocation[] | OneCredentialLocation
/**
 * Verifies JSON Web Tokens (RFC 7519). A good one is taken out of the request, and its claims are `jwt` in expressions.
 */
export type JwtAuth = JwtAuthSeveral | JwtAuthSingle
/**
 * The public keys of the issuer, as a JSON Web Key Set (RFC 7517).
 */
export type Jwks =
  | string
  | {
      /**
       * In a file. It is read again when it changes.
       */
      file?: string
      /**
       * At an address. It is fetched when the gateway starts, again before it is out of date, and when a token names a key that is not in it. What was fetched last goes on being used while the address does not answer.
       */
      url?: string
      /**
       * The keys themselves.
       *
       * Items: A key.
       */
      keys?: {
        [k: string]: unknown
      }[]
      /**
       * Of an address: whether the gateway is not ready (`failClosed`) or ready all the same (`failOpen`) as long as it never answered. Tokens are refused with 503 in any case.
       */
      readiness?: 'failClosed' | 'failOpen'
    }
/**
 * Lets a service decide who may pass.
 */
export type ConditionalExtAuthz = ExtAuthzChoice | ExtAuthz
/**
 * How the gateway shows the backend who it is.
 */
export type BackendAuth = 'copilot' | BackendAuthFields
/**
 * A key that is always the same: the key itself, a file that holds it, or either with a place.
 */
export type BackendKey = string | BackendKeyFields
/**
 * A secret: the text itself, or a file that holds it. Space around what the file holds does not count, and the file is read again when it changes.
 */
export type SecretText =
  | string
  | {
      /**
       * The file that holds it.
       */
      file: string
    }
/**
 * Lets a service look at requests and at answers of backends, and change them, by `envoy.service.ext_proc.v3.ExternalProcessor`.
 */
export type ConditionalExtProc = ExtProcChoice | ExtProc
/**
 * What becomes of the host: `auto` takes the name of the backend, `none` leaves it as it is.
 */
export type AuthorityChange =
  | ('auto' | 'none')
  | {
      /**
       * Host and port.
       */
      full?: string
      /**
       * The host; the port stays.
       */
      host?: string
      /**
       * The port; the host stays.
       */
      port?: number
    }
/**
 * Answers without a backend.
 */
export type ConditionalDirectResponse = DirectResponseChoice | DirectResponse
/**
 * Answers 429 `rate limit exceeded` where one of its buckets is empty. Wherever the policy applies, the same buckets are meant; they outlast a change of the configuration that leaves them as they are.
 */
export type LocalRateLimit = LocalLimitChoice | LocalLimit[]
/**
 * Limits the rate of requests over all gateways that ask the same service, by `envoy.service.ratelimit.v3.RateLimitService`.
 */
export type ConditionalRemoteRateLimit = RemoteRateLimitChoice | RemoteRateLimit
/**
 * What becomes of answers that are streams: held, checked as a whole and replayed (`Buffer`, the default), checked piece by piece (`Enabled`), or not checked (`Disabled`).
 */
export type LlmGuardStreaming =
  | ('Buffer' | 'Enabled' | 'Disabled')
  | {
      /**
       * How.
       */
      mode: 'Enabled'
      /**
       * How much text is looked at together, in bytes of UTF-8.
       */
      windowBytes?: number
      /**
       * How much of the text before it is looked at once more. Less than `windowBytes`.
       */
      overlapBytes?: number
    }
/**
 * Language models: one provider, or several in groups.
 */
export type AiBackend = AiGroups | AiProvider
/**
 * A format.
 */
export type LlmMockFormat =
  | 'completions'
  | 'messages'
  | 'responses'
  | 'generateContent'
  | 'embeddings'
  | 'rerank'
  | 'anthropicTokenCount'
  | 'geminiCountTokens'
/**
 * One rule. A text by itself is an allow rule.
 */
export type NetworkRule =
  | string
  | {
      /**
       * Who may pass. Where there are such rules, one of them must hold.
       */
      allow?: string
      /**
       * Who may not pass, whatever other rules say.
       */
      deny?: string
      /**
       * What must hold for anybody to pass.
       */
      require?: string
    }
/**
 * Who serves it: a provider by name, one of `providers`, or one that is described here. `mock` answers by itself, without any network.
 */
export type LlmModelProvider =
  | (
      | 'openai'
      | 'openAI'
      | 'anthropic'
      | 'gemini'
      | 'vertex'
      | 'bedrock'
      | 'azure'
      | 'copilot'
      | 'mock'
      | 'cohere'
      | 'ollama'
      | 'baseten'
      | 'cerebras'
      | 'deepinfra'
      | 'deepseek'
      | 'groq'
      | 'huggingface'
      | 'mistral'
      | 'openrouter'
      | 'togetherai'
      | 'xai'
      | 'fireworks'
    )
  | {
      /**
       * One of `providers`, by name.
       */
      reference?: string
      custom?: LlmCustomProvider
      mock?: LlmMockProvider
    }

/**
 * The configuration of a gateway.
 */
export interface ConfigFile {
  config?: ProcessSection
  /**
   * Ports that are listened on, by name.
   */
  gateways?: {
    [k: string]: Gateway
  }
  /**
   * HTTP routes of gateways.
   */
  routes?: AttachedRoute[]
  /**
   * TCP routes of gateways.
   */
  tcpRoutes?: AttachedTcpRoute[]
  /**
   * Backends that routes refer to by name.
   */
  backends?: NamedBackend[]
  /**
   * Routes that other routes hand requests on to.
   */
  routeGroups?: RouteGroup[]
  /**
   * Policies that are attached to something by name.
   */
  policies?: TargetedPolicy[]
  frontendPolicies?: FrontendPolicies
  /**
   * Names with endpoints behind them.
   */
  services?: Service[]
  /**
   * Endpoints of services.
   */
  workloads?: Workload[]
  llm?: LlmSection
  mcp?: McpSection
  /**
   * Ports with listeners and routes, in the older form. Use `gateways` and `routes`.
   */
  binds?: Bind[]
}
/**
 * Settings of the process. Read once, when it starts.
 */
export interface ProcessSection {
  /**
   * Whether IPv6 is used. The variable IPV6_ENABLED wins.
   */
  enableIpv6?: boolean
  /**
   * Looking up names.
   */
  dns?: {
    /**
     * Address families to ask for. The variable DNS_LOOKUP_FAMILY wins.
     */
    lookupFamily?: 'All' | 'Auto' | 'V4Preferred' | 'V4Only' | 'V6Only'
  }
  /**
   * Where the admin server listens: `ip:port`, `localhost:port`, `unix:/path` or `off`. The variable ADMIN_ADDR wins.
   */
  adminAddr?: string
  /**
   * Where metrics are served. The variable STATS_ADDR wins.
   */
  statsAddr?: string
  /**
   * Where readiness is served. The variable READINESS_ADDR wins.
   */
  readinessAddr?: string
  /**
   * Names, beside loopback ones, that may stand in `Host` and `Origin` of requests to the admin server.
   *
   * Items: A host.
   */
  adminHosts?: string[]
  /**
   * How long requests and connections under way may take once the process is told to end. What is left then is cut. The variable CONNECTION_TERMINATION_DEADLINE wins.
   */
  connectionTerminationDeadline?: string
  /**
   * How much of that nothing is closed: clients are served as before, while readiness says no and load balancers get time to notice. The variable CONNECTION_MIN_TERMINATION_DEADLINE wins.
   */
  connectionMinTerminationDeadline?: string
  /**
   * Headers that are never shown, beside those that never are.
   *
   * Items: A header.
   */
  sensitiveHeaders?: string[]
  logging?: ProcessLogging
  metrics?: ProcessMetrics
  backend?: UpstreamSettings
  /**
   * Functions that all expressions may call: `name(a, b) { expression }`, one after the other.
   */
  customFunctions?: string
  /**
   * What language models cost. Of several sources the later wins, model by model. Read again whenever the configuration or one of the files changes.
   */
  modelCatalog?: ModelCatalogSource[]
  /**
   * Whether requests go to language models whose price the catalog does not have. With `deny` they are refused, and so are those of which nobody can know what they will cost. Read again as the catalog is.
   */
  unknownPrice?: 'allow' | 'deny'
  /**
   * What clients keep for the gateway: who is signed in, and ids of MCP sessions.
   */
  session?: {
    /**
     * The key that seals it, or several: the first one seals, all of them open. Without a key there is a random one, so that a restart ends all sessions. The variables OIDC_COOKIE_SECRET (for signing in) and SESSION_KEY win.
     */
    key?: string | string[]
    /**
     * Where other replicas reach this one, such as `http://${POD_IP}:3000`: a port of its own that has the same routes. Requests for MCP sessions that only this process can go on with are passed on to it then, by any replica with the same key.
     */
    address?: string
  }
  /**
   * MCP.
   */
  mcp?: {
    /**
     * How long a session is kept in which nothing is asked. Listening does not count.
     */
    sessionTtl?: string
    /**
     * Most servers that may run as programs of this process.
     */
    maxPrograms?: number
    /**
     * Most of one target.
     */
    maxProgramsPerTarget?: number
  }
}
/**
 * The log of the process.
 */
export interface ProcessLogging {
  /**
   * Least level that is written, or a list such as `info,config=debug`.
   */
  level?: string | string[]
  /**
   * How lines are written.
   */
  format?: 'text' | 'json'
  /**
   * Which exchanges are logged. Now `frontendPolicies.accessLog.filter`.
   */
  filter?: string
  /**
   * Fields of the access log. Now `frontendPolicies.accessLog`.
   */
  fields?: {
    /**
     * Fields to leave out.
     *
     * Items: A field.
     */
    remove?: string[]
    /**
     * Fields to add.
     */
    add?: {
      /**
       * Gives the value.
       */
      [k: string]: string
    }
  }
}
/**
 * The metrics of the process.
 */
export interface ProcessMetrics {
  /**
   * Metrics to leave out, with or without `agentgateway_`, and with or without the unit and `_total`.
   *
   * Items: A metric.
   */
  remove?: string[]
  /**
   * Labels.
   */
  fields?: {
    /**
     * Labels to add to metrics of requests.
     */
    add?: {
      /**
       * Gives the value.
       */
      [k: string]: string
    }
  }
}
/**
 * Connections to backends.
 */
export interface UpstreamSettings {
  keepalives?: Keepalives
  /**
   * How long connecting may take.
   */
  connectTimeout?: string
  /**
   * How long an idle connection is kept.
   */
  poolIdleTimeout?: string
  /**
   * Most connections to one address. Default: no limit.
   */
  poolMaxSize?: number
}
/**
 * Probes on idle TCP connections.
 */
export interface Keepalives {
  /**
   * Whether probes are sent.
   */
  enabled?: boolean
  /**
   * Idle time before the first probe.
   */
  time?: string
  /**
   * Time between probes.
   */
  interval?: string
  /**
   * Unanswered probes before the connection is given up.
   */
  retries?: number
}
/**
 * Prices of language models: `providers`, by name as telemetry has it (`openai`, `anthropic`, `gcp.gemini`), with `models`, each with `rates`, `tiers` and `tags`. Rates are US dollars for a million tokens, as decimal text: `input`, `output`, `cacheRead`, `cacheWrite`, `reasoning`, `inputAudio`, `outputAudio`. A tier has the `rates` of prompts of more than `contextOver` tokens.
 */
export interface ModelCatalogSource {
  /**
   * A file with a catalog, in JSON or YAML.
   */
  file?: string
  /**
   * A catalog, as text or as it is.
   */
  inline?: string | {}
}
/**
 * A port and what is spoken on it.
 */
export interface Gateway {
  /**
   * The port. 0 opens any free one.
   */
  port?: number
  /**
   * The one IP address to listen on, or `unix:/path`. Default: all addresses.
   */
  address?: string
  /**
   * What is spoken. Default: HTTPS with `tls`, otherwise HTTP.
   */
  protocol?: 'HTTP' | 'HTTPS' | 'TCP' | 'TLS'
  tls?: ServerTls
  cors?: Cors
  transformations?: ConditionalTransformations
  authorization?: Authorization
  basicAuth?: BasicAuth
  apiKey?: ApiKeys
  jwtAuth?: JwtAuth
  extAuthz?: ConditionalExtAuthz
  oidc?: Oidc
  extProc?: ConditionalExtProc
  /**
   * Several listeners on one port. Protocol, TLS and policies are then set on them.
   */
  listeners?: GatewayListener[]
}
/**
 * How a listener terminates TLS.
 */
export interface ServerTls {
  /**
   * Where certificates come from. `static`: `cert` is that of the server. `dynamicCa`: `cert` is that of an authority, which signs a certificate for each name that a client asks for (`DYNAMIC_CA_CERT_CACHE_TTL`, `DYNAMIC_CA_CERT_CACHE_CAPACITY`).
   */
  mode?: 'static' | 'dynamicCa'
  /**
   * File with the certificate chain (PEM). Read again when it changes.
   */
  cert?: string
  /**
   * File with the private key (PEM). Read again when it changes.
   */
  key?: string
  /**
   * File with the authorities (PEM) that client certificates must come from. With it, clients must show one.
   */
  root?: string
  /**
   * Cipher suites that may be used, in order of preference.
   *
   * Items: A cipher suite.
   */
  cipherSuites?: string[]
  /**
   * The lowest TLS version. Versions before 1.2 are known by name only: they are refused.
   */
  minTLSVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The lowest TLS version. Versions before 1.2 are known by name only: they are refused.
   */
  minTlsVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The highest TLS version. Versions before 1.2 are known by name only: they are refused.
   */
  maxTLSVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The highest TLS version. Versions before 1.2 are known by name only: they are refused.
   */
  maxTlsVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * Key exchange groups that may be used, in order of preference.
   *
   * Items: A group.
   */
  keyExchangeGroups?: ('X25519' | 'P-256' | 'P-384' | 'X25519_MLKEM768')[]
}
/**
 * Answers preflight requests and says which other sites may read answers. Without an `Origin` header it does nothing.
 */
export interface Cors {
  /**
   * Origins that may call: `*`, exact ones, or with a wildcard host such as `https://*.example.com`.
   *
   * Items: An origin.
   */
  allowOrigins?: string[]
  /**
   * Methods they may use, or `*`.
   *
   * Items: A method.
   */
  allowMethods?: string[]
  /**
   * Headers they may send, or `*`.
   *
   * Items: A header.
   */
  allowHeaders?: string[]
  /**
   * Headers of answers that scripts may read.
   *
   * Items: A header.
   */
  exposeHeaders?: string[]
  /**
   * Whether cookies and credentials may come along.
   */
  allowCredentials?: boolean
  /**
   * How long browsers may remember the answer to a preflight request.
   */
  maxAge?: string
}
/**
 * Alternatives: the first whose condition holds applies.
 */
export interface TransformationsChoice {
  /**
   * The alternatives, in order.
   */
  conditional: TransformationsEntry[]
}
/**
 * One alternative.
 */
export interface TransformationsEntry {
  /**
   * When this alternative applies. Only the last one may do without.
   */
  condition?: string
  request?: Transformation
  response?: Transformation
}
/**
 * Changes to one message, in the order metadata, replace, add, set, remove, body.
 */
export interface Transformation {
  /**
   * Values that later expressions read as `metadata.name`.
   */
  metadata?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Gives all headers, as a map.
   */
  replace?: string
  /**
   * Headers to add.
   */
  add?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Headers to set. An expression that fails removes its header.
   */
  set?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Headers to remove.
   *
   * Items: A header.
   */
  remove?: string[]
  /**
   * Gives the body.
   */
  body?: string
}
/**
 * Changes requests and answers by expressions.
 */
export interface Transformations {
  request?: Transformation
  response?: Transformation
}
/**
 * Answers 403 `authorization failed` where its rules say so. A rule that cannot be evaluated counts against the caller. Rules of several levels add up.
 */
export interface Authorization {
  /**
   * The rules. Without any, everything passes.
   */
  rules: AuthorizationRule[]
}
/**
 * Lets users in by name and password (RFC 7617). Needs TLS in front: the password is in every request.
 */
export interface BasicAuth {
  /**
   * The users, as `htpasswd` writes them.
   */
  htpasswd:
    | string
    | {
        /**
         * The file. It is read again when it changes.
         */
        file: string
      }
  /**
   * What browsers call the place that asks.
   */
  realm?: string
  /**
   * What becomes of requests without a password: refused, or let pass as nobody. A wrong one is refused in any case.
   */
  mode?: 'strict' | 'optional'
  authorizationLocation?: CredentialLocation
}
/**
 * Where a credential is in requests: exactly one kind of place. It is removed once it has been verified, unless an expression finds it.
 */
export interface OneCredentialLocation {
  /**
   * A header.
   */
  header?: {
    /**
     * The header.
     */
    name: string
    /**
     * What stands before the credential, such as `Bearer `. Upper and lower case are the same.
     */
    prefix?: string
  }
  /**
   * A parameter of the query.
   */
  queryParameter?: {
    /**
     * The parameter.
     */
    name: string
  }
  /**
   * A cookie.
   */
  cookie?: {
    /**
     * The cookie.
     */
    name: string
  }
  /**
   * Gives the credential. Where it fails, there is none.
   */
  expression?: string
}
/**
 * Lets callers in by API key.
 */
export interface ApiKeys {
  /**
   * The keys.
   */
  keys: ApiKey[]
  /**
   * What becomes of requests without a key, or with a wrong one: both are refused, the first pass as nobody, or both do.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  location?: CredentialLocation
}
/**
 * One key.
 */
export interface ApiKey {
  /**
   * The key itself.
   */
  key?: string
  /**
   * `sha256:` and the SHA-256 of the key in hexadecimal, so that the file does not hold it.
   */
  keyHash?: string
  /**
   * Whose it is: what expressions read as `apiKey.…`. `apiKey.key` is the key itself.
   */
  metadata?: {}
  /**
   * Language models that may be used with it: names, or with `*` at the beginning, at the end or alone. Without the field all may be used, with an empty list none.
   *
   * Items: A model.
   */
  allowedModels?: string[]
}
/**
 * Verifies JSON Web Tokens of several issuers.
 */
export interface JwtAuthSeveral {
  /**
   * The issuers.
   */
  providers: JwtProvider[]
  /**
   * `strict`: every request needs a token. `optional`: requests without one pass as nobody, bad ones are refused. `permissive`: nothing is refused, a bad token counts as none.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  location?: CredentialLocation
}
/**
 * Whose tokens are believed.
 */
export interface JwtProvider {
  /**
   * Who makes the tokens: what `iss` says in them, to the letter.
   */
  issuer: string
  /**
   * Whom tokens may be made for: one of these must be in `aud`. Without it tokens for anybody are taken.
   *
   * Items: An audience.
   */
  audiences?: string[]
  jwks: Jwks
  jwtValidationOptions?: JwtValidationOptions
}
/**
 * What else tokens must have.
 */
export interface JwtValidationOptions {
  /**
   * Claims that must be there. Those of times, issuer and audience are checked in any case if they are there. Default: `exp`.
   *
   * Items: A claim.
   */
  requiredClaims?: string[]
}
/**
 * Verifies JSON Web Tokens of one issuer.
 */
export interface JwtAuthSingle {
  /**
   * Who makes the tokens: what `iss` says in them, to the letter.
   */
  issuer: string
  /**
   * Whom tokens may be made for: one of these must be in `aud`. Without it tokens for anybody are taken.
   *
   * Items: An audience.
   */
  audiences?: string[]
  jwks: Jwks
  jwtValidationOptions?: JwtValidationOptions
  /**
   * `strict`: every request needs a token. `optional`: requests without one pass as nobody, bad ones are refused. `permissive`: nothing is refused, a bad token counts as none.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  location?: CredentialLocation
}
/**
 * Alternatives: the first whose condition holds applies.
 */
export interface ExtAuthzChoice {
  /**
   * The alternatives, in order.
   */
  conditional: ExtAuthzEntry[]
}
/**
 * One alternative.
 */
export interface ExtAuthzEntry {
  /**
   * When this alternative applies. Only the last one may do without.
   */
  condition?: string
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * How the service is asked. Default: `grpc`.
   */
  protocol?: {
    grpc?: ExtAuthzGrpc
    http?: ExtAuthzHttp
  }
  /**
   * What happens if the service cannot be asked, or does not answer in time.
   */
  failureMode?:
    | ('deny' | 'allow')
    | {
        /**
         * The status.
         */
        denyWithStatus: number
      }
  /**
   * Headers that the service sees. Default: over gRPC all, over HTTP `Authorization`, which is always sent. `:method`, `:path`, `:authority` and `:scheme` are headers over gRPC; over HTTP the question has method and path of the request anyway, and with `:authority` its host.
   *
   * Items: A header, or a pseudo-header of the request.
   */
  includeRequestHeaders?: string[]
  /**
   * How much of the body the service sees. Default: nothing.
   */
  includeRequestBody?: {
    /**
     * Longest body.
     */
    maxRequestBytes?: number
    /**
     * Whether it sees the beginning of longer ones. Otherwise they are refused with 413.
     */
    allowPartialMessage?: boolean
    /**
     * Over gRPC: whether the body is sent as bytes instead of text.
     */
    packAsBytes?: boolean
  }
  /**
   * Headers that the service may set: what the client sent under these names is removed from every request that passes. Over HTTP those of `includeResponseHeaders` are among them.
   *
   * Items: A header.
   */
  resultHeaders?: string[]
  /**
   * Remembers what the service said.
   */
  cache?: {
    /**
     * Requests for which these give the same are decided alike. Where one fails, the service is asked.
     *
     * Items: A part of it.
     */
    key: string[]
    /**
     * Gives for how long, as a duration, or until when, as a timestamp. Evaluated when the decision has been applied; where it fails, nothing is remembered.
     */
    ttl: string
    /**
     * How many decisions are remembered.
     */
    maxEntries?: number
  }
}
/**
 * A port of a service in the section `services`.
 */
export interface ServiceReference {
  /**
   * The service, as `namespace/hostname` or in two fields.
   */
  name:
    | string
    | {
        /**
         * Its namespace.
         */
        namespace?: string
        /**
         * Its host name.
         */
        hostname: string
      }
  /**
   * The port of the service.
   */
  port: number
}
/**
 * How the service of a policy is called.
 */
export interface SimpleBackendPolicies {
  requestHeaderModifier?: HeaderModifier
  backendTLS?: UpstreamTls
  http?: UpstreamHttp
  tcp?: UpstreamTcp
  backendAuth?: BackendAuth
  transformations?: Transformations
  backendTunnel?: BackendTunnel
}
/**
 * Changes to headers, in the order add, set, remove.
 */
export interface HeaderModifier {
  /**
   * Headers to add beside those of the same name.
   */
  add?: {
    /**
     * The value.
     */
    [k: string]: string
  }
  /**
   * Headers to put in place of those of the same name.
   */
  set?: {
    /**
     * The value.
     */
    [k: string]: string
  }
  /**
   * Headers to remove.
   *
   * Items: A header.
   */
  remove?: string[]
}
/**
 * TLS towards a backend. `{}` means: with TLS, verified against the public authorities.
 */
export interface UpstreamTls {
  /**
   * File with the client certificate chain (PEM).
   */
  cert?: string
  /**
   * File with the private key of the client certificate (PEM).
   */
  key?: string
  /**
   * File with the authorities (PEM) that the certificate of the backend must come from.
   */
  root?: string
  /**
   * Name sent as SNI, and verified in the certificate. Default: the host of the backend.
   */
  hostname?: string
  /**
   * Accept any certificate.
   */
  insecure?: boolean
  /**
   * Accept a certificate for another host.
   */
  insecureHost?: boolean
  /**
   * Protocols offered, in order of preference.
   *
   * Items: A protocol.
   */
  alpn?: string[]
  /**
   * Names, one of which the certificate must carry.
   *
   * Items: A name.
   */
  subjectAltNames?: string[]
  /**
   * Key exchange groups that may be used, in order of preference.
   *
   * Items: A group.
   */
  keyExchangeGroups?: ('X25519' | 'P-256' | 'P-384' | 'X25519_MLKEM768')[]
}
/**
 * How HTTP is spoken with the backend.
 */
export interface UpstreamHttp {
  /**
   * The HTTP version. Default: what TLS negotiates, HTTP/2 for gRPC, otherwise HTTP/1.1.
   */
  version?: '1.1' | '2' | 1.1 | 2 | '2.0' | 'HTTP/1.1' | 'HTTP/2' | 'HTTP/2.0'
  /**
   * For one call: 504 `upstream call timeout` after it.
   */
  requestTimeout?: string
}
/**
 * How connections to the backend are made.
 */
export interface UpstreamTcp {
  keepalives?: Keepalives
  /**
   * How long connecting may take.
   */
  connectTimeout?: string
}
/**
 * How the gateway shows the backend who it is: one way at most, and further credentials.
 */
export interface BackendAuthFields {
  passthrough?: BackendPassthrough
  key?: BackendKey
  jwtSign?: BackendJwtSign
  oauthTokenExchange?: OauthTokenExchange
  crossAppAccess?: OauthCrossAppAccess
  clientCredentials?: OauthClientCredentials
  gcp?: GcpAuth
  aws?: AwsAuth
  azure?: AzureAuth
  /**
   * Credentials beside it, or alone.
   */
  credentials?: BackendCredential[]
}
/**
 * The token with which the client proved who it is, once it has been verified.
 */
export interface BackendPassthrough {
  location?: CredentialPlace
}
/**
 * Where a credential is put into requests: exactly one kind of place.
 */
export interface CredentialPlace {
  /**
   * A header.
   */
  header?: {
    /**
     * The header.
     */
    name: string
    /**
     * What stands before the credential, such as `Bearer `. Upper and lower case are the same.
     */
    prefix?: string
  }
  /**
   * A parameter of the query.
   */
  queryParameter?: {
    /**
     * The parameter.
     */
    name: string
  }
  /**
   * A cookie.
   */
  cookie?: {
    /**
     * The cookie.
     */
    name: string
  }
}
/**
 * A key, and where it is put.
 */
export interface BackendKeyFields {
  value?: SecretText
  /**
   * The file that holds the key, instead of `value`.
   */
  file?: string
  location?: CredentialPlace
}
/**
 * A token that the gateway signs itself.
 */
export interface BackendJwtSign {
  signingKey: SecretText
  /**
   * How it signs.
   */
  alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384'
  /**
   * The name of the key, for the header of the token.
   */
  kid?: string
  /**
   * Claims, as they are. `iat` and `exp` are those of each token, and cannot be given; nor can `nbf`.
   */
  claims?: {
    [k: string]: unknown
  }
  /**
   * How long a token is valid.
   */
  ttl?: string
  location?: CredentialPlace
}
/**
 * A token that the client’s is traded for, by RFC 8693 or RFC 7523.
 */
export interface OauthTokenExchange {
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * The path of the token endpoint, with its query if it has one.
   */
  path?: string
  /**
   * `tokenExchange` sends the token of the client as `subject_token`, `jwtBearer` as `assertion`.
   */
  grantType?: 'tokenExchange' | 'jwtBearer'
  subjectToken?: OauthSubjectToken
  actorToken?: OauthActorToken
  /**
   * For whom the token is to be: `audience`, once each.
   *
   * Items: One.
   */
  audiences?: string[]
  /**
   * What it is to be for: `resource`, once each (RFC 8707).
   *
   * Items: One.
   */
  resources?: string[]
  /**
   * What it is to allow: `scope`.
   *
   * Items: One.
   */
  scopes?: string[]
  /**
   * The kind of token that is wanted.
   */
  requestedTokenType?: string
  clientAuth?: OauthClientAuth
  /**
   * Further parameters of the request for the token.
   */
  additionalParams?: {
    /**
     * Gives the value, a text. If it does not, the client gets 400.
     */
    [k: string]: string
  }
  authorizationLocation?: CredentialPlace
  cache?: OauthTokenMemory
}
/**
 * The token that another one is had for. It does not go to the backend.
 */
export interface OauthSubjectToken {
  source?: CredentialLocation
  /**
   * What kind of token it is, as RFC 8693 names them.
   */
  tokenType?: string
}
/**
 * The token of whoever acts for the owner of the subject token.
 */
export interface OauthActorToken {
  source: CredentialLocation
  /**
   * What kind of token it is, as RFC 8693 names them.
   */
  tokenType?: string
  /**
   * Whether the claim `may_act` of the subject token has to name this actor. Needs the tokenType `urn:ietf:params:oauth:token-type:jwt`.
   */
  enforceMayAct?: boolean
}
/**
 * How the gateway proves who it is at a token endpoint.
 */
export interface OauthClientAuth {
  /**
   * Its name there.
   */
  clientId: string
  /**
   * How it is proved. `clientSecretBasic` and `privateKeyJwt` need what they are named after; `clientSecretPost` can do without, for clients that have no secret.
   */
  method?: 'clientSecretBasic' | 'clientSecretPost' | 'privateKeyJwt'
  clientSecret?: SecretText
  signingKey?: SecretText
  /**
   * How it signs.
   */
  alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384'
  /**
   * The name of the key, for the header of the token.
   */
  kid?: string
  /**
   * With `privateKeyJwt`: the audience of its assertions.
   */
  assertionAudience?: string
  certificate?: SecretText
  /**
   * With `certificate`: how assertions name it.
   */
  certificateHeader?: 'x5c' | 'x5t#S256'
}
/**
 * How tokens are remembered.
 */
export interface OauthTokenMemory {
  /**
   * How many. With 0, none is.
   */
  maxEntries?: number
  /**
   * How long a token is valid that does not say so.
   */
  defaultTtl?: string
}
/**
 * A token of another authorization server, which trusts the identity provider of the client (ID-JAG).
 */
export interface OauthCrossAppAccess {
  identityProvider: OauthEndpoint
  resourceAuthorizationServer: OauthEndpoint
  /**
   * The name of the resource authorization server at the identity provider.
   */
  audience: string
  /**
   * What the assertion is to be for: `resource`, once each.
   *
   * Items: One.
   */
  resources?: string[]
  /**
   * What the assertion is to allow: `scope`.
   *
   * Items: One.
   */
  scopes?: string[]
  /**
   * What the token is to allow. Default: the same; an empty list asks for nothing in particular.
   *
   * Items: One.
   */
  accessTokenScopes?: string[]
  /**
   * The token of the client. It does not go to the backend.
   */
  subjectToken?: {
    source?: CredentialLocation
    /**
     * What kind of token it is, as RFC 8693 names them.
     */
    tokenType?: string
  }
  cache?: OauthTokenMemory
}
/**
 * The token endpoint of an authorization server.
 */
export interface OauthEndpoint {
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * The path of the token endpoint, with its query if it has one.
   */
  path?: string
  clientAuth: OauthClientAuth
}
/**
 * A token of the gateway’s own, by the grant `client_credentials`. It is renewed before it expires, and once when the backend says 401 `invalid_token`.
 */
export interface OauthClientCredentials {
  /**
   * The token endpoint, in place of `host`, `path` and `policies.backendTLS`.
   */
  url?: string
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * The path of the token endpoint, with its query if it has one.
   */
  path?: string
  clientAuth: OauthClientAuth
  /**
   * For whom the token is to be: `audience`, once each.
   *
   * Items: One.
   */
  audiences?: string[]
  /**
   * What it is to be for: `resource`, once each (RFC 8707).
   *
   * Items: One.
   */
  resources?: string[]
  /**
   * What it is to allow: `scope`.
   *
   * Items: One.
   */
  scopes?: string[]
  /**
   * How the request is written. Some servers take JSON only.
   */
  requestFormat?: 'form' | 'json'
  /**
   * Further parameters of the request.
   */
  additionalParams?: {
    /**
     * The value.
     */
    [k: string]: string
  }
  location?: CredentialPlace
  /**
   * How long a token is valid that does not say so.
   */
  defaultTtl?: string
}
/**
 * A token of Google Cloud, in `Authorization: Bearer`.
 */
export interface GcpAuth {
  /**
   * What kind of token.
   */
  type?: 'idToken' | 'accessToken'
  /**
   * Of an ID token. Default: `https://` and the host name of the backend.
   */
  audience?: string
  credential?: SecretText
}
/**
 * Signs requests by AWS Signature Version 4, with the keys given here or those of the surroundings. Bodies are read to be signed, up to `maxBufferSize`; those to S3 are sent as they come, unsigned.
 */
export interface AwsAuth {
  accessKeyId?: SecretText
  secretAccessKey?: SecretText
  sessionToken?: SecretText
  /**
   * The region. Default: that in the host name, or `AWS_REGION`.
   */
  region?: string
  /**
   * The service, such as `execute-api`. Default: that in the host name.
   */
  serviceName?: string
  assumeRole?: AwsRole
}
/**
 * A role that is assumed before requests are signed.
 */
export interface AwsRole {
  /**
   * The role.
   */
  roleArn: string
  /**
   * The name of the session. Default: a random one.
   */
  sessionName?:
    | string
    | {
        /**
         * Gives the name.
         */
        expression: string
      }
  /**
   * Tags of the session.
   *
   * Items: A tag of the session.
   */
  tags?: {
    /**
     * Its key.
     */
    key: string
    /**
     * Its value.
     */
    value?: string
    /**
     * Gives its value.
     */
    expression?: string
  }[]
}
/**
 * A token of Microsoft Entra ID, in `Authorization: Bearer`.
 */
export interface AzureAuth {
  /**
   * One way to have it.
   */
  explicitConfig?: {
    /**
     * An application with a secret.
     */
    clientSecret?: {
      /**
       * The tenant.
       */
      tenant_id: string
      /**
       * The application.
       */
      client_id: string
      /**
       * Its secret.
       */
      client_secret: string
    }
    /**
     * The identity of the machine.
     */
    managedIdentity?: {
      userAssignedIdentity?: AzureIdentity
    }
    /**
     * The identity of a Kubernetes workload.
     */
    workloadIdentity?: {}
  }
  /**
   * Whoever is signed in with a tool of Azure: for machines of developers.
   */
  developerImplicit?: {}
  /**
   * Whatever there is: variables, workload identity, managed identity, tools.
   */
  implicit?: {}
}
/**
 * One of the identities of the machine.
 */
export interface AzureIdentity {
  /**
   * By its client.
   */
  clientId?: string
  /**
   * By its object.
   */
  objectId?: string
  /**
   * By its resource.
   */
  resourceId?: string
}
/**
 * A credential beside the main one.
 */
export interface BackendCredential {
  location: CredentialPlace
  key: SecretText
}
/**
 * Reaches the backend through an HTTP proxy: `CONNECT` for TLS, TCP, HTTP/2 and upgrades, requests with a whole URL for plain HTTP. The proxy looks up the name of the backend.
 */
export interface BackendTunnel {
  proxy: BackendReference
  policies?: TunnelPolicies
}
/**
 * A destination: exactly one of its kinds.
 */
export interface BackendReference {
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
}
/**
 * How the proxy is connected to.
 */
export interface TunnelPolicies {
  backendTLS?: UpstreamTls
  backendAuth?: TunnelAuth
  tcp?: UpstreamTcp
}
/**
 * What the gateway says to the proxy in `Proxy-Authorization`.
 */
export interface TunnelAuth {
  key: BackendKey
}
/**
 * By `envoy.service.auth.v3.Authorization`.
 */
export interface ExtAuthzGrpc {
  /**
   * Values that the service gets as `context_extensions`.
   */
  context?: {
    /**
     * The value.
     */
    [k: string]: string
  }
  /**
   * What the service gets as `metadata_context`, by namespace. Default: the claims of a verified token, as `jwt_payload` of `envoy.filters.http.jwt_authn`.
   */
  metadata?: {
    /**
     * Gives a map.
     */
    [k: string]: string
  }
}
/**
 * By the status of an HTTP answer: 2xx lets pass, every other answer goes to the client.
 */
export interface ExtAuthzHttp {
  /**
   * Gives path and query of the question. Default: those of the request.
   */
  path?: string
  /**
   * Gives the address that callers are sent to where the answer is 401 or 403.
   */
  redirect?: string
  /**
   * Headers of the answer that are put into the request. What the client sent under these names is removed.
   *
   * Items: A header.
   */
  includeResponseHeaders?: string[]
  /**
   * Headers of the question. One whose expression fails is left out. `:method`, `:path` and `:authority` change method, path and host of the question: where one of these fails, the request is refused.
   */
  addRequestHeaders?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Values that later expressions read as `extauthz.name`.
   */
  metadata?: {
    /**
     * Gives the value. `response` is the answer of the service.
     */
    [k: string]: string
  }
  /**
   * Gives the body of the question. Default: the body that `includeRequestBody` shows.
   */
  body?: string
}
/**
 * Lets a service decide who may pass.
 */
export interface ExtAuthz {
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * How the service is asked. Default: `grpc`.
   */
  protocol?: {
    grpc?: ExtAuthzGrpc
    http?: ExtAuthzHttp
  }
  /**
   * What happens if the service cannot be asked, or does not answer in time.
   */
  failureMode?:
    | ('deny' | 'allow')
    | {
        /**
         * The status.
         */
        denyWithStatus: number
      }
  /**
   * Headers that the service sees. Default: over gRPC all, over HTTP `Authorization`, which is always sent. `:method`, `:path`, `:authority` and `:scheme` are headers over gRPC; over HTTP the question has method and path of the request anyway, and with `:authority` its host.
   *
   * Items: A header, or a pseudo-header of the request.
   */
  includeRequestHeaders?: string[]
  /**
   * How much of the body the service sees. Default: nothing.
   */
  includeRequestBody?: {
    /**
     * Longest body.
     */
    maxRequestBytes?: number
    /**
     * Whether it sees the beginning of longer ones. Otherwise they are refused with 413.
     */
    allowPartialMessage?: boolean
    /**
     * Over gRPC: whether the body is sent as bytes instead of text.
     */
    packAsBytes?: boolean
  }
  /**
   * Headers that the service may set: what the client sent under these names is removed from every request that passes. Over HTTP those of `includeResponseHeaders` are among them.
   *
   * Items: A header.
   */
  resultHeaders?: string[]
  /**
   * Remembers what the service said.
   */
  cache?: {
    /**
     * Requests for which these give the same are decided alike. Where one fails, the service is asked.
     *
     * Items: A part of it.
     */
    key: string[]
    /**
     * Gives for how long, as a duration, or until when, as a timestamp. Evaluated when the decision has been applied; where it fails, nothing is remembered.
     */
    ttl: string
    /**
     * How many decisions are remembered.
     */
    maxEntries?: number
  }
}
/**
 * Signs browsers in with OpenID Connect: sends those who are not signed in to the identity provider, and reads the claims of the others as `jwt.…`. What has to be remembered is in sealed cookies: see `config.session.key`.
 */
export interface Oidc {
  /**
   * The identity provider: what it calls itself in its metadata and tokens, to the letter.
   */
  issuer: string
  /**
   * What the gateway is called there.
   */
  clientId: string
  clientSecret: SecretText
  /**
   * Where browsers come back to: an address of this gateway, as it is registered with the provider. Its path must belong to a route that has this policy, if it is not one of the gateway.
   */
  redirectURI: string
  /**
   * What to ask for, beside `openid`.
   *
   * Items: A scope.
   */
  scopes?: string[]
  /**
   * Where the metadata of the provider are. Default: `/.well-known/openid-configuration` under the issuer.
   */
  discovery?: string
  /**
   * Where users log in. With `tokenEndpoint` and `jwks` it stands in for the metadata.
   */
  authorizationEndpoint?: string
  /**
   * Where codes are traded for tokens.
   */
  tokenEndpoint?: string
  /**
   * How the secret is sent there: as name and password, or in the body.
   */
  tokenEndpointAuth?: 'clientSecretBasic' | 'clientSecretPost'
  jwks?: Jwks
}
/**
 * Alternatives: the first whose condition holds applies.
 */
export interface ExtProcChoice {
  /**
   * The alternatives, in order.
   */
  conditional: ExtProcEntry[]
}
/**
 * One alternative.
 */
export interface ExtProcEntry {
  /**
   * When this alternative applies. Only the last one may do without.
   */
  condition?: string
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * What happens if the service fails: the request does too, with 500; or it goes on without the service, unless that has been given a body already.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * What the service gets with every message as `metadata_context`, by namespace. Those of `agentgateway.dev.grpc_initial_metadata` go ahead of all messages instead, as metadata of the call.
   */
  metadataContext?: {
    /**
     * Values by name; one whose expression fails is left out.
     */
    [k: string]: {
      /**
       * Gives the value.
       */
      [k: string]: string
    }
  }
  /**
   * What the service gets with the first message of a request, as attributes of `envoy.filters.http.ext_proc`. One whose expression fails is left out.
   */
  requestAttributes?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * The same for the first message of an answer.
   */
  responseAttributes?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * What the service sees.
   */
  processingOptions?: {
    /**
     * How the body of a request is shown: not at all; in one piece, up to `frontendPolicies.http.maxBufferSize`; its beginning, up to as much; or piece by piece as it comes, both ways at once.
     */
    requestBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * How the body of an answer is shown: not at all; in one piece, up to `frontendPolicies.http.maxBufferSize`; its beginning, up to as much; or piece by piece as it comes, both ways at once.
     */
    responseBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * Whether the headers of a request are shown.
     */
    requestHeaderMode?: 'send' | 'skip'
    /**
     * Whether the headers of an answer are shown.
     */
    responseHeaderMode?: 'send' | 'skip'
    /**
     * Whether the trailers of a request are shown.
     */
    requestTrailerMode?: 'send' | 'skip'
    /**
     * Whether the trailers of an answer are shown.
     */
    responseTrailerMode?: 'send' | 'skip'
    /**
     * Whether the service may choose otherwise for an exchange, when it answers headers. A body that is shown piece by piece from the beginning stays so.
     */
    allowModeOverride?: boolean
  }
  /**
   * Headers of requests that the service sets: what the client sent under these names is shown to it, and goes no further.
   *
   * Items: A header.
   */
  resultHeaders?: string[]
}
/**
 * Lets a service look at requests and at answers of backends, and change them, by `envoy.service.ext_proc.v3.ExternalProcessor`.
 */
export interface ExtProc {
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * What happens if the service fails: the request does too, with 500; or it goes on without the service, unless that has been given a body already.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * What the service gets with every message as `metadata_context`, by namespace. Those of `agentgateway.dev.grpc_initial_metadata` go ahead of all messages instead, as metadata of the call.
   */
  metadataContext?: {
    /**
     * Values by name; one whose expression fails is left out.
     */
    [k: string]: {
      /**
       * Gives the value.
       */
      [k: string]: string
    }
  }
  /**
   * What the service gets with the first message of a request, as attributes of `envoy.filters.http.ext_proc`. One whose expression fails is left out.
   */
  requestAttributes?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * The same for the first message of an answer.
   */
  responseAttributes?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * What the service sees.
   */
  processingOptions?: {
    /**
     * How the body of a request is shown: not at all; in one piece, up to `frontendPolicies.http.maxBufferSize`; its beginning, up to as much; or piece by piece as it comes, both ways at once.
     */
    requestBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * How the body of an answer is shown: not at all; in one piece, up to `frontendPolicies.http.maxBufferSize`; its beginning, up to as much; or piece by piece as it comes, both ways at once.
     */
    responseBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * Whether the headers of a request are shown.
     */
    requestHeaderMode?: 'send' | 'skip'
    /**
     * Whether the headers of an answer are shown.
     */
    responseHeaderMode?: 'send' | 'skip'
    /**
     * Whether the trailers of a request are shown.
     */
    requestTrailerMode?: 'send' | 'skip'
    /**
     * Whether the trailers of an answer are shown.
     */
    responseTrailerMode?: 'send' | 'skip'
    /**
     * Whether the service may choose otherwise for an exchange, when it answers headers. A body that is shown piece by piece from the beginning stays so.
     */
    allowModeOverride?: boolean
  }
  /**
   * Headers of requests that the service sets: what the client sent under these names is shown to it, and goes no further.
   *
   * Items: A header.
   */
  resultHeaders?: string[]
}
/**
 * Host names of a gateway that share a certificate, policies and routes.
 */
export interface GatewayListener {
  /**
   * Its name. Default: `listener` and its place in the list.
   */
  name?: string
  /**
   * The host, or `*.suffix`. Default: every host.
   */
  hostname?: string
  /**
   * What is spoken. Default: HTTPS with `tls`, otherwise HTTP.
   */
  protocol?: 'HTTP' | 'HTTPS' | 'TCP' | 'TLS'
  tls?: ServerTls
  cors?: Cors
  transformations?: ConditionalTransformations
  authorization?: Authorization
  basicAuth?: BasicAuth
  apiKey?: ApiKeys
  jwtAuth?: JwtAuth
  extAuthz?: ConditionalExtAuthz
  oidc?: Oidc
  extProc?: ConditionalExtProc
}
/**
 * An HTTP route of one or more gateways.
 */
export interface AttachedRoute {
  /**
   * Its name, in logs, metrics and traces. Default: `route` or `tcproute` and its place in the list.
   */
  name?: string
  /**
   * The namespace of the name.
   */
  namespace?: string
  /**
   * The name of one rule, where several entries share a name.
   */
  ruleName?: string
  /**
   * Hosts it applies to, or `*.suffix`. Default: every host of the listener.
   *
   * Items: A host.
   */
  hostnames?: string[]
  /**
   * Requests it applies to: any of these. Default: every path.
   */
  matches?: Match[]
  /**
   * Whether this route takes paths with `%2F`, `%5C` or `\`, or answers 400 (`reject` means the same as `refuse`). The route is chosen by the path as it came, escapes and all. Default: `frontendPolicies.http.path.encodedSlashes`, or that of the route that leads to the group.
   */
  encodedSlashes?: 'refuse' | 'keep' | 'reject'
  policies?: RoutePolicies
  /**
   * Where requests go, in turns by weight.
   */
  backends?: RouteBackend[]
  /**
   * The gateways, or `gateway/listener`, that this route belongs to. Default: the gateway named `default`.
   */
  gateways?: string[] | string
}
/**
 * Conditions that must all hold.
 */
export interface Match {
  path?: PathMatch
  /**
   * The method, compared with case.
   */
  method?: string
  /**
   * Conditions on headers.
   *
   * Items: A condition on one header.
   */
  headers?: {
    /**
     * Name of the header, or a pseudo-header such as `:authority`.
     */
    name: string
    value: ValueMatch
  }[]
  /**
   * Conditions on query parameters. Where a parameter is repeated, its last value counts.
   *
   * Items: A condition on one query parameter.
   */
  query?: {
    /**
     * Name of the parameter.
     */
    name: string
    value: ValueMatch
  }[]
}
/**
 * What the path of the request must be.
 */
export interface PathMatch {
  /**
   * Exactly this path.
   */
  exact?: string
  /**
   * This path or one below it, by whole segments: `/a` takes `/a/b` but not `/ab`.
   */
  pathPrefix?: string
  /**
   * The whole path matches this expression.
   */
  regex?: string
}
/**
 * What the value must be.
 */
export interface ValueMatch {
  /**
   * Exactly this text.
   */
  exact?: string
  /**
   * The whole value matches this expression.
   */
  regex?: string
}
/**
 * What happens to requests and answers of a route.
 */
export interface RoutePolicies {
  requestHeaderModifier?: HeaderModifier
  responseHeaderModifier?: HeaderModifier
  requestRedirect?: Redirect
  urlRewrite?: Rewrite
  /**
   * Sends copies of requests elsewhere.
   */
  requestMirror?: Mirror[] | Mirror
  directResponse?: ConditionalDirectResponse
  cors?: Cors
  csrf?: Csrf
  localRateLimit?: LocalRateLimit
  authorization?: Authorization
  basicAuth?: BasicAuth
  apiKey?: ApiKeys
  jwtAuth?: JwtAuth
  mcpAuthentication?: McpAuthentication
  mcpAuthorization?: McpAuthorization
  mcpGuardrails?: McpGuardrails
  oidc?: Oidc
  extAuthz?: ConditionalExtAuthz
  remoteRateLimit?: ConditionalRemoteRateLimit
  extProc?: ConditionalExtProc
  transformations?: ConditionalTransformations
  buffer?: Buffer
  timeout?: Timeout
  retry?: Retry
  delay?: Delay
  backendTLS?: UpstreamTls
  backendAuth?: BackendAuth
  a2a?: A2A
  ai?: AiPolicy
  backendTunnel?: BackendTunnel
  health?: BackendHealth
  loadBalancing?: LoadBalancing
}
/**
 * Answers with a redirect.
 */
export interface Redirect {
  /**
   * The scheme of the new address. Default: that of the request.
   */
  scheme?: 'http' | 'https'
  authority?: AuthorityChange
  path?: PathChange
  /**
   * The status.
   */
  status?: number
}
/**
 * What becomes of the path. The query stays.
 */
export interface PathChange {
  /**
   * The whole path.
   */
  full?: string
  /**
   * Put in place of the prefix that the route matched.
   */
  prefix?: string
}
/**
 * Changes where the request goes without telling the client.
 */
export interface Rewrite {
  authority?: AuthorityChange
  path?: PathChange
}
/**
 * Sends a copy of requests to another destination and ignores its answers.
 */
export interface Mirror {
  backend: BackendReference
  /**
   * The share of requests that is copied, from 0 to 1.
   */
  percentage?: number
}
/**
 * Alternatives: the first whose condition holds applies.
 */
export interface DirectResponseChoice {
  /**
   * The alternatives, in order.
   */
  conditional: DirectResponseEntry[]
}
/**
 * One alternative.
 */
export interface DirectResponseEntry {
  /**
   * When this alternative applies. Only the last one may do without.
   */
  condition?: string
  /**
   * The status.
   */
  status: number
  /**
   * The body.
   */
  body?: string
  /**
   * Gives the body.
   */
  bodyExpression?: string
  /**
   * Headers of the answer.
   */
  headers?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
}
/**
 * Answers without a backend.
 */
export interface DirectResponse {
  /**
   * The status.
   */
  status: number
  /**
   * The body.
   */
  body?: string
  /**
   * Gives the body.
   */
  bodyExpression?: string
  /**
   * Headers of the answer.
   */
  headers?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
}
/**
 * Refuses requests that change something and come from pages of other sites.
 */
export interface Csrf {
  /**
   * Origins that may send such requests, beside the own one.
   *
   * Items: An origin.
   */
  additionalOrigins?: string[]
}
/**
 * Alternatives: the first whose condition holds applies.
 */
export interface LocalLimitChoice {
  /**
   * The alternatives, in order.
   */
  conditional: LocalLimitEntry[]
}
/**
 * One alternative.
 */
export interface LocalLimitEntry {
  /**
   * When this alternative applies. Only the last one may do without.
   */
  condition?: string
  /**
   * How much fits into the bucket: the largest burst.
   */
  maxTokens?: number
  /**
   * How much is put in after each interval.
   */
  tokensPerFill?: number
  /**
   * The interval.
   */
  fillInterval: string
  /**
   * What is counted: requests, or the tokens of language models, as their providers count them. Of tokens, what an answer used is taken when that is known, so that there may be less than nothing left; who comes then is refused.
   */
  type?: 'requests' | 'tokens'
  /**
   * Who shares the bucket: `local` is this process. `global` would be all processes, which takes a store that they share: see `remoteRateLimit`.
   */
  scope?: 'local' | 'global'
}
/**
 * A bucket, full at first, that requests are taken from. Its scope is this process: two processes with the same configuration let through twice as much.
 */
export interface LocalLimit {
  /**
   * How much fits into the bucket: the largest burst.
   */
  maxTokens?: number
  /**
   * How much is put in after each interval.
   */
  tokensPerFill?: number
  /**
   * The interval.
   */
  fillInterval: string
  /**
   * What is counted: requests, or the tokens of language models, as their providers count them. Of tokens, what an answer used is taken when that is known, so that there may be less than nothing left; who comes then is refused.
   */
  type?: 'requests' | 'tokens'
  /**
   * Who shares the bucket: `local` is this process. `global` would be all processes, which takes a store that they share: see `remoteRateLimit`.
   */
  scope?: 'local' | 'global'
}
/**
 * Bearer tokens as the MCP specification has them: requests need one, and clients are told where to get it.
 */
export interface McpAuthentication {
  /**
   * Who makes the tokens: what `iss` says in them, to the letter.
   */
  issuer: string
  /**
   * Whom tokens may be made for: one of these must be in `aud`.
   *
   * Items: An audience.
   */
  audiences: string[]
  jwks?: Jwks
  jwtValidationOptions?: JwtValidationOptions
  /**
   * `strict`: every request needs a token. `optional`: requests without one pass as nobody, bad ones are refused. `permissive`: nothing is refused, a bad token counts as none.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  authorizationLocation?: CredentialLocation
  /**
   * What is special about the issuer.
   */
  provider?: {
    /**
     * Auth0: asks for the audience where clients ask for tokens.
     */
    auth0?: {}
    /**
     * Keycloak: clients register through the gateway.
     */
    keycloak?: {}
    /**
     * Okta: asks for the audience, and clients register through the gateway.
     */
    okta?: {}
    /**
     * Descope: clients register through the gateway.
     */
    descope?: {}
    /**
     * Authentik: clients register as `clientId`.
     */
    authentik?: {}
    /**
     * Microsoft Entra: clients ask for tokens through the gateway, and register as `clientId`.
     */
    entra?: {}
  }
  resourceMetadata: McpResourceMetadata
  /**
   * The client that all who register become, for providers that do not register clients.
   */
  clientId?: string
  clientSecret?: SecretText
}
/**
 * What clients are told about the resource (RFC 9728). Any other field may be given as well, written in camelCase or as it is in the document.
 */
export interface McpResourceMetadata {
  /**
   * What the resource is called: its address as clients know it. Default: the address of the request.
   */
  resource?: string
  /**
   * Scopes that tokens may have.
   *
   * Items: A scope.
   */
  scopesSupported?: string[]
  /**
   * How tokens may be sent.
   *
   * Items: A way.
   */
  bearerMethodsSupported?: ('header' | 'body' | 'query')[]
  [k: string]: unknown
}
/**
 * Hides tools, prompts, resources and tasks of MCP servers from those who may not use them: they are missing in lists, and unknown when they are asked for. Rules read `mcp`, where names are those of the server, without prefix. For an entry of a list there are no arguments of a call. A rule that reads `mcp.tool`, `mcp.prompt`, `mcp.resource` or `mcp.task` concerns items of that kind only; `has(mcp.tool)` by itself is about all. Rules of several levels add up.
 */
export interface McpAuthorization {
  /**
   * The rules. Without any, everything may be used.
   */
  rules: AuthorizationRule[]
}
/**
 * Lets services look at what is asked of MCP servers and what they give, and change or refuse it.
 */
export interface McpGuardrails {
  /**
   * The services, in the order in which they are asked: each sees what the one before made of a message, and nobody is asked after the first that refuses.
   */
  processors: McpProcessor[]
}
/**
 * A service that looks at MCP messages, by `agentgateway.dev.ext_mcp.ExtMcp` over gRPC.
 */
export interface McpProcessor {
  /**
   * Where it is: in a service of its own.
   */
  kind: 'remote'
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * What happens if the service fails: the request is answered with an error, or it goes on without.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * What the service sees, by method. `*` may stand at the beginning, at the end or alone; a method itself counts most, then how it begins, then how it ends, and of two of one kind the longer. What fits nothing it does not see.
   */
  methods?: {
    /**
     * Requests, the results that come of them, both, or nothing.
     */
    [k: string]: 'off' | 'request' | 'response' | 'full'
  }
  /**
   * What the service gets with every message as `metadata_context`. One whose expression fails is left out.
   */
  metadata?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Which headers of requests the service sees.
   */
  requestHeaders?: {
    /**
     * These only. Default: all, and `:method`, `:scheme`, `:authority` and `:path`.
     *
     * Items: A header.
     */
    allowed?: string[]
    /**
     * Not these, whatever is allowed.
     *
     * Items: A header.
     */
    disallowed?: string[]
  }
}
/**
 * Alternatives: the first whose condition holds applies.
 */
export interface RemoteRateLimitChoice {
  /**
   * The alternatives, in order.
   */
  conditional: RemoteRateLimitEntry[]
}
/**
 * One alternative.
 */
export interface RemoteRateLimitEntry {
  /**
   * When this alternative applies. Only the last one may do without.
   */
  condition?: string
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Keeps these counts apart from those of others.
   */
  domain: string
  /**
   * What is counted.
   */
  descriptors: RateLimitDescriptor[]
  /**
   * What happens if the service cannot be asked: 500 `rate limit failed`, or requests pass uncounted.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * What is counted together: requests of which all entries have the same values.
 */
export interface RateLimitDescriptor {
  /**
   * The entries, in order.
   */
  entries: RateLimitEntry[]
  /**
   * What is counted: requests, or the tokens of language models, which are reported when it is known how many were used.
   */
  type?: 'requests' | 'tokens'
  /**
   * Gives how much a request counts. Default, and where it fails: 1, or the tokens that were used. For tokens it is evaluated after the answer, and `llm` holds what was used.
   */
  cost?: string
  /**
   * Gives another limit than the service's own, as a map of `unit` (`second` to `year`) and `requestsPerUnit`.
   */
  limitOverride?: string
}
/**
 * One part of what requests have in common.
 */
export interface RateLimitEntry {
  /**
   * Its name.
   */
  key: string
  /**
   * Gives its value. Where it fails, the descriptor is left out.
   */
  value: string
}
/**
 * Limits the rate of requests over all gateways that ask the same service, by `envoy.service.ratelimit.v3.RateLimitService`.
 */
export interface RemoteRateLimit {
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Keeps these counts apart from those of others.
   */
  domain: string
  /**
   * What is counted.
   */
  descriptors: RateLimitDescriptor[]
  /**
   * What happens if the service cannot be asked: 500 `rate limit failed`, or requests pass uncounted.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * Holds bodies back until they are complete.
 */
export interface Buffer {
  request?: BufferSide
  response?: BufferSide
}
/**
 * How one body is held back until it is complete.
 */
export interface BufferSide {
  /**
   * Longest body. Default: `frontendPolicies.http.maxBufferSize`.
   */
  maxBytes?: number
  /**
   * What happens to longer ones: an error (413, or 502 for answers), or they pass unheld.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * Limits how long an exchange may take.
 */
export interface Timeout {
  /**
   * For the whole exchange, bodies included: 504 `request timeout` after it.
   */
  requestTimeout?: string
  /**
   * For one attempt, up to the head of the answer: 504 `upstream call timeout`.
   */
  backendRequestTimeout?: string
}
/**
 * Sends a request again when the answer was one of these, or there was none.
 */
export interface Retry {
  /**
   * How many times after the first.
   */
  attempts?: number
  /**
   * Statuses worth another attempt.
   *
   * Items: A status.
   */
  codes: number[]
  /**
   * How long to wait in between.
   */
  backoff?: string
  /**
   * About the request: where it is false, there is one attempt only.
   */
  precondition?: string
  /**
   * About the answer: where it is true, it is tried again, whatever its status.
   */
  condition?: string
}
/**
 * Waits before the request goes on.
 */
export interface Delay {
  /**
   * How long, or an expression that gives a duration or a number of milliseconds.
   */
  duration: string
}
/**
 * Stands in front of an A2A agent: its card says that it lives at the gateway, logs say what it was asked and how that went, and errors of the gateway are told as JSON-RPC.
 */
export interface A2A {}
/**
 * How requests to language models are understood, and what is changed about them.
 */
export interface AiPolicy {
  /**
   * What requests are, by the end of their path: the longest end that fits counts, and `*` is every path. Default: all are `completions`.
   */
  routes?: {
    /**
     * What requests are.
     */
    [k: string]:
      | 'completions'
      | 'messages'
      | 'responses'
      | 'generateContent'
      | 'embeddings'
      | 'rerank'
      | 'anthropicTokenCount'
      | 'geminiCountTokens'
      | 'realtime'
      | 'models'
      | 'detect'
      | 'passthrough'
      | 'converse'
      | 'invoke'
  }
  /**
   * Fields of the body to set where they are absent.
   */
  defaults?: {
    [k: string]: unknown
  }
  /**
   * Fields of the body to set in any case.
   */
  overrides?: {
    [k: string]: unknown
  }
  /**
   * Fields of the body to compute. An expression that fails, or gives null, removes the field.
   */
  transformations?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Fields of the body to compute once it is in the format of the provider.
   */
  finalTransformations?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Other names of models. `*` may stand at the beginning or the end of a name.
   */
  modelAliases?: {
    /**
     * The model that is meant.
     */
    [k: string]: string
  }
  /**
   * Messages around those of the client.
   */
  prompts?: {
    /**
     * Before them.
     */
    prepend?: AiMessage[]
    /**
     * After them.
     */
    append?: AiMessage[]
  }
  promptCaching?: LlmPromptCaching
  promptGuard?: LlmGuards
}
/**
 * A message.
 */
export interface AiMessage {
  /**
   * Who says it, such as `system` or `user`.
   */
  role: string
  /**
   * What is said.
   */
  content: string
}
/**
 * Marks where prompts may be cached, for providers that want to be told (Anthropic, Bedrock).
 */
export interface LlmPromptCaching {
  /**
   * Whether the system prompt is marked.
   */
  cacheSystem?: boolean
  /**
   * Whether the messages are.
   */
  cacheMessages?: boolean
  /**
   * Whether the tools are.
   */
  cacheTools?: boolean
  /**
   * Prompts that are shorter, by a rough estimate, are not marked.
   */
  minTokens?: number
  /**
   * How many messages before the second-to-last one the mark is put, the first one at most.
   */
  cacheMessageOffset?: number
}
/**
 * Guards of what models are asked, and of what they answer.
 */
export interface LlmGuards {
  /**
   * Guards of requests, in the order in which they look. Nobody looks after the first that rejects.
   */
  request?: LlmRequestGuard[]
  /**
   * Guards of answers.
   */
  response?: LlmResponseGuard[]
  streaming?: LlmGuardStreaming
}
/**
 * Looks at what is asked.
 */
export interface LlmRequestGuard {
  regex?: LlmRegexGuard
  webhook?: LlmWebhookGuard
  bedrockGuardrails?: LlmBedrockGuardrails
  googleModelArmor?: LlmModelArmor
  azureContentSafety?: LlmContentSafety
  openAIModeration?: LlmModeration
  rejection?: LlmGuardRejection
  /**
   * Which texts of a request are looked at. Default: all of them. Only `regex` and `bedrockGuardrails` can be told to look at tools alone.
   *
   * Items: A kind of text.
   */
  scope?: ('systemPrompt' | 'messages' | 'toolOutput' | 'toolInput')[]
}
/**
 * Finds texts by their shape, in this process.
 */
export interface LlmRegexGuard {
  /**
   * What becomes of what is found: a name in angle brackets takes its place, or nothing of it goes on.
   */
  action?: 'mask' | 'reject'
  /**
   * What is searched for. Each rule looks at what the one before it left.
   */
  rules: LlmRegexRule[]
}
/**
 * What a text is searched for.
 */
export interface LlmRegexRule {
  /**
   * Something that is known by its name.
   */
  builtin?: 'ssn' | 'creditCard' | 'phoneNumber' | 'email' | 'caSin'
  /**
   * A regular expression (RE2). It is found anywhere in a text.
   */
  pattern?: string
  /**
   * With `creditCard`: whether only numbers count whose check digit is right (Luhn).
   */
  luhn?: boolean
}
/**
 * Asks a service of your own, by `POST /request` and `POST /response`.
 */
export interface LlmWebhookGuard {
  target: BackendReference
  policies?: SimpleBackendPolicies
  /**
   * Headers of the question, by expressions about the request of the client. `:path`, `:method` and `:authority` stand for what a request begins with. One whose expression fails is left out.
   */
  headers?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Headers that the service sees: of the request, and of the answer of the provider. Default: none.
   */
  forwardHeaderMatches?: LlmForwardedHeader[]
  /**
   * What happens if the service does not answer, or says something else than it may: 503, or it goes on unchecked.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * How long the service may think.
   */
  timeout?: string
}
/**
 * A header that the service sees.
 */
export interface LlmForwardedHeader {
  /**
   * Its name.
   */
  name: string
  value: ValueMatch
}
/**
 * Asks a guardrail of Amazon Bedrock.
 */
export interface LlmBedrockGuardrails {
  /**
   * Its identifier, or its ARN.
   */
  guardrailIdentifier: string
  /**
   * Its version: a number, or `DRAFT`.
   */
  guardrailVersion: string | number
  /**
   * Its region.
   */
  region: string
  /**
   * Another address, without TLS unless it begins with `https://` or `policies.backendTLS` says otherwise.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * How long it may think.
   */
  timeout?: string
}
/**
 * Asks Google Model Armor.
 */
export interface LlmModelArmor {
  /**
   * The template.
   */
  templateId: string
  /**
   * Its project.
   */
  projectId: string
  /**
   * Its location.
   */
  location?: string
  /**
   * Another address, without TLS unless it begins with `https://` or `policies.backendTLS` says otherwise.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * How long it may think.
   */
  timeout?: string
}
/**
 * Asks Azure AI Content Safety.
 */
export interface LlmContentSafety {
  /**
   * Where it is: `name.cognitiveservices.azure.com`, or with `https://` before it.
   */
  endpoint: string
  analyzeText?: LlmAnalyzeText
  /**
   * Looks for attempts to talk the model out of its rules.
   */
  detectJailbreak?: {
    /**
     * The version of the interface.
     */
    apiVersion?: string
  }
  /**
   * Another address, without TLS unless it begins with `https://` or `policies.backendTLS` says otherwise.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * How long it may think.
   */
  timeout?: string
}
/**
 * Looks for hate, self-harm, sexual content and violence, and for blocked terms.
 */
export interface LlmAnalyzeText {
  /**
   * The severity from which texts are rejected.
   */
  severityThreshold?: number
  /**
   * The version of the interface.
   */
  apiVersion?: string
  /**
   * Lists of terms that are rejected.
   *
   * Items: Its name.
   */
  blocklistNames?: string[]
  /**
   * Whether nothing else is looked for once such a term is found.
   */
  haltOnBlocklistHit?: boolean
}
/**
 * Asks the moderation of OpenAI.
 */
export interface LlmModeration {
  /**
   * The model that moderates.
   */
  model?: string
  /**
   * Another address, without TLS unless it begins with `https://` or `policies.backendTLS` says otherwise.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * How long it may think.
   */
  timeout?: string
}
/**
 * What clients get in place of what is rejected.
 */
export interface LlmGuardRejection {
  /**
   * The body.
   */
  body?: string
  /**
   * The status.
   */
  status?: number
  headers?: HeaderModifier
}
/**
 * Looks at what is answered.
 */
export interface LlmResponseGuard {
  regex?: LlmRegexGuard
  webhook?: LlmWebhookGuard
  bedrockGuardrails?: LlmBedrockGuardrails
  googleModelArmor?: LlmModelArmor
  azureContentSafety?: LlmAnswerSafety
  rejection?: LlmGuardRejection
}
/**
 * Asks Azure AI Content Safety.
 */
export interface LlmAnswerSafety {
  /**
   * Where it is: `name.cognitiveservices.azure.com`, or with `https://` before it.
   */
  endpoint: string
  analyzeText?: LlmAnalyzeText
  /**
   * Another address, without TLS unless it begins with `https://` or `policies.backendTLS` says otherwise.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * How long it may think.
   */
  timeout?: string
}
/**
 * When an endpoint counts as unhealthy, and what follows. On a route: that of its backends, where they say nothing.
 */
export interface BackendHealth {
  /**
   * Whether an answer is a sign of bad health. Default: statuses from 500, no answer, gRPC statuses other than 0.
   */
  unhealthyExpression?: string
  /**
   * How long unhealthy endpoints get no requests.
   */
  eviction?: {
    /**
     * For how long, multiplied by the number of times in a row. Default: what the answer asks for, or 3s.
     */
    duration?: string
    /**
     * The health score an endpoint comes back with.
     */
    restoreHealth?: number
    /**
     * Failures in a row that lead to eviction.
     */
    consecutiveFailures?: number
    /**
     * A health score below this leads to eviction.
     */
    healthThreshold?: number
  }
  /**
   * Requests of the gateway’s own that show whether an endpoint can be used. An endpoint that fails them gets no requests. The first result counts at once; until it is there, an endpoint is used.
   */
  active?: {
    /**
     * Sends a GET and looks at the status of the answer.
     */
    http?: {
      /**
       * The path, and the query if there is one.
       */
      path?: string
      /**
       * Statuses that are good.
       *
       * Items: Statuses that are good: one, such as 204, a range, such as 200-299, or 2xx.
       */
      expect?: (number | string)[]
      /**
       * The Host of the request. Default: the name of the backend.
       */
      host?: string
    }
    /**
     * Calls `grpc.health.v1.Health/Check`, over HTTP/2. Good is `SERVING`.
     */
    grpc?: {
      /**
       * The service that is asked about. Default: the server as a whole.
       */
      service?: string
      /**
       * The Host of the request. Default: the name of the backend.
       */
      host?: string
    }
    /**
     * Connects, with the TLS handshake where the backend has one.
     */
    tcp?: {}
    /**
     * Time from the end of a check to the next one, give or take a tenth.
     */
    interval?: string
    /**
     * How long a check may take.
     */
    timeout?: string
    /**
     * Good checks in a row after which an endpoint is used again.
     */
    healthyThreshold?: number
    /**
     * Bad checks in a row after which an endpoint is not used.
     */
    unhealthyThreshold?: number
  }
  /**
   * While fewer than this share of the endpoints, or of the backends of a route, can be used, requests go to all of them. Default: only when none can be used.
   */
  panicThreshold?: number
  /**
   * An endpoint that is new, or comes back, gets a tenth of its share at first and all of it after this time. Default: all at once.
   */
  slowStart?: string
}
/**
 * How one of several is chosen for a request. On a backend: one of its endpoints. On a route: one of its backends, and of the endpoints of each, where the backend does not say.
 */
export interface LoadBalancing {
  /**
   * Each in its turn, by weight.
   */
  roundRobin?: {}
  /**
   * The one with the fewest requests under way, in proportion to its weight.
   */
  leastRequest?: {}
  /**
   * One drawn at random, by weight.
   */
  random?: {}
  /**
   * The one that a key belongs to. When one leaves, only its keys move. Requests without a key are balanced in the usual way.
   */
  ringHash?: {
    /**
     * Gives the key.
     */
    key: string
  }
}
/**
 * One destination of a route.
 */
export interface RouteBackend {
  /**
   * Its share of the requests, in proportion to the others.
   */
  weight?: number
  /**
   * Backends of a higher number are in reserve: used while no backend of a lower number can be.
   */
  priority?: number
  policies?: BackendPolicies
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  dynamic?: DynamicBackend
  /**
   * The [admin interface](admin.md#through-a-route) of this process, without a connection: `forward` for the path and query that the request has there, or one path, with a query if it needs one, for every request. Who may call it is for the policies of the route to say.
   */
  internal?: string
  mcp?: McpBackend
  ai?: AiBackend
  aws?: AwsBackend
  /**
   * A group in the section `routeGroups`, by name, whose routes decide further.
   */
  routeGroup?: string
  /**
   * A reference known to be broken: answers 500.
   */
  invalid?: null
}
/**
 * What happens on the way to a backend.
 */
export interface BackendPolicies {
  requestHeaderModifier?: HeaderModifier
  responseHeaderModifier?: HeaderModifier
  requestRedirect?: Redirect
  transformations?: Transformations
  backendTLS?: UpstreamTls
  backendAuth?: BackendAuth
  http?: UpstreamHttp
  tcp?: UpstreamTcp
  health?: BackendHealth
  sessionAffinity?: SessionAffinity
  authorization?: Authorization
  extAuthz?: ExtAuthz
  a2a?: A2A
  mcpAuthorization?: McpAuthorization
  mcpGuardrails?: McpGuardrails
  ai?: AiPolicy
  backendTunnel?: BackendTunnel
  loadBalancing?: LoadBalancing
}
/**
 * Sends requests with the same key to the same endpoint of a service.
 */
export interface SessionAffinity {
  /**
   * Gives the key.
   */
  source: string
}
/**
 * Connects to the host that the request names, as far as `allow` allows.
 */
export interface DynamicBackend {
  /**
   * An expression that gives `host[:port]`. Default: the host of the request.
   */
  target?: string
  /**
   * What may be reached. Without it nothing may.
   */
  allow?: {
    /**
     * Host names, or `*.suffix`, or `*`.
     *
     * Items: A host.
     */
    hosts?: string[]
    /**
     * Ports. Default: every port.
     *
     * Items: A port.
     */
    ports?: number[]
    /**
     * Private, loopback and link-local address ranges that may be reached all the same.
     *
     * Items: A range.
     */
    privateRanges?: string[]
  }
}
/**
 * MCP servers behind one address.
 */
export interface McpBackend {
  /**
   * The servers behind it.
   */
  targets: McpTarget[]
  /**
   * Whether clients have sessions, each with sessions of its own at the servers; or every request stands alone.
   */
  statefulMode?: 'stateful' | 'stateless'
  /**
   * The revisions that clients may have, each by its date. Default: all. Servers are spoken to in whatever they know.
   *
   * Items: A revision of the protocol.
   */
  protocolVersions?: ('2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28')[]
  /**
   * When names of tools and prompts get the name of their server as prefix: if there are several servers, always, or never.
   */
  prefixMode?: 'conditional' | 'always' | 'never'
  /**
   * How long names of tools and prompts may be with their prefix; longer ones are shortened. Clients that put something of their own in front need them shorter than 64.
   */
  maxNameLength?: number
  /**
   * What one failing server does: fail the request (`failClosed`), or be left out (`failOpen`).
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * How long lists and handshakes wait for each server before they do without it. Without it they wait as long as the client does.
   */
  partialAfter?: string
  /**
   * How long a connection is held for an answer, where the client can come back for the rest: in sessions of 2025-11-25. Choose less than what is in between allows. Without it a connection is held as long as the answer takes.
   */
  hangUpAfter?: string
  /**
   * Whether `Host` and `Origin` must be `localhost`, `127.0.0.1` or `[::1]`. Default: if the gateway listens on a loopback address.
   */
  dnsRebindingProtection?: boolean
}
/**
 * An MCP server.
 */
export interface McpTarget {
  /**
   * Its name, which stands before the names of its tools: lower-case letters, digits, `-` and `.`.
   */
  name: string
  policies?: McpTargetPolicies
  /**
   * What clients of 2026-07-28 get if the server needs sessions, which they do not have: each caller sessions of its own (`sessionPerCaller`); those that no policy identified one session together (`shared`); or nothing, so that clients that know both ways begin a session (`off`).
   */
  legacy?: 'sessionPerCaller' | 'shared' | 'off'
  /**
   * With `stdio`, how many unused processes are kept ready for clients of 2026-07-28 that no policy identified, after the first of them came.
   */
  minIdle?: number
  /**
   * A server that speaks streamable HTTP.
   */
  mcp?: {
    /**
     * Its address, such as `https://mcp.example.com/mcp`; or its host name, together with `port` and `path`.
     */
    host?: string
    /**
     * Its port, together with `host` and `path`.
     */
    port?: number
    /**
     * Its path. Default: that of `host`, or `/mcp`.
     */
    path?: string
    /**
     * A backend in the section `backends`, by name, together with `path`.
     */
    backend?: string
  }
  /**
   * A server that speaks the older transport with server-sent events.
   */
  sse?: {
    /**
     * Its address, such as `https://mcp.example.com/mcp`; or its host name, together with `port` and `path`.
     */
    host?: string
    /**
     * Its port, together with `host` and `path`.
     */
    port?: number
    /**
     * Its path. Default: that of `host`, or `/sse`.
     */
    path?: string
    /**
     * A backend in the section `backends`, by name, together with `path`.
     */
    backend?: string
  }
  /**
   * A server that runs as a child process.
   */
  stdio?: {
    /**
     * The command.
     */
    cmd: string
    /**
     * Its arguments.
     *
     * Items: An argument.
     */
    args?: string[]
    /**
     * Environment variables to set.
     */
    env?: {
      /**
       * The value.
       */
      [k: string]: string
    }
    /**
     * Whether it starts without the environment of the gateway.
     */
    clear_env?: boolean
  }
  /**
   * An HTTP interface, described by an OpenAPI document: each operation is a tool.
   */
  openapi?: {
    /**
     * Its address, such as `https://mcp.example.com/mcp`; or its host name, together with `port` and `path`.
     */
    host?: string
    /**
     * Its port, together with `host` and `path`.
     */
    port?: number
    /**
     * What stands before the paths of the document. Default: the path of its server.
     */
    path?: string
    /**
     * A backend in the section `backends`, by name, together with `path`.
     */
    backend?: string
    /**
     * The document, as JSON or YAML.
     */
    schema:
      | string
      | {
          /**
           * In a file. It is read again when it changes.
           */
          file?: string
          /**
           * At an address. It is fetched when it is first needed.
           */
          url?: string
          /**
           * The document itself, as text or as it is.
           */
          inline?: string | {}
        }
  }
}
/**
 * How a server is called.
 */
export interface McpTargetPolicies {
  requestHeaderModifier?: HeaderModifier
  transformations?: Transformations
  backendTLS?: UpstreamTls
  backendAuth?: BackendAuth
  http?: UpstreamHttp
  tcp?: UpstreamTcp
  backendTunnel?: BackendTunnel
}
/**
 * Providers in groups: those of a group are equals, and a later group is asked when the ones before it fail.
 */
export interface AiGroups {
  /**
   * The groups, in order of preference.
   *
   * Items: Providers that are equals.
   */
  groups: {
    /**
     * The providers.
     */
    providers: AiProvider[]
  }[]
}
/**
 * Who serves language models, and how it is reached.
 */
export interface AiProvider {
  /**
   * Its name.
   */
  name: string
  provider: AiProviderKind
  /**
   * Another host and port, without TLS unless `backendTLS` says otherwise. Paths are those of the client, unless `pathPrefix` is there.
   */
  hostOverride?: string
  /**
   * In place of every path.
   */
  pathOverride?: string
  /**
   * In place of what its paths begin with.
   */
  pathPrefix?: string
  /**
   * Whether tokens of requests are counted before the call.
   */
  tokenize?: boolean
  policies?: BackendPolicies
  /**
   * How long the first token of a stream may take. Another provider is tried then, if there is one.
   */
  firstTokenTimeout?: string
}
/**
 * One of these.
 */
export interface AiProviderKind {
  /**
   * OpenAI.
   */
  openAI?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
    /**
     * Has OpenAI moderate what its models are asked and what they answer, in conversations (`completions`, `responses`), in place of what the client asks for.
     */
    moderation?: {
      /**
       * The model that moderates.
       */
      model?: string
      /**
       * What becomes of it.
       */
      policy?: {
        /**
         * What is asked.
         */
        input?: {
          /**
           * Whether it is only judged (`score`), or refused as well (`block`).
           */
          mode: 'score' | 'block'
        }
        /**
         * What is answered.
         */
        output?: {
          /**
           * Whether it is only judged (`score`), or refused as well (`block`).
           */
          mode: 'score' | 'block'
        }
      }
    }
  }
  /**
   * Anthropic.
   */
  anthropic?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
  }
  /**
   * Google Gemini.
   */
  gemini?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
  }
  /**
   * Google Vertex AI.
   */
  vertex?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
    /**
     * The region. Default: `global`.
     */
    region?: string
    /**
     * The project.
     */
    projectId: string
  }
  /**
   * Amazon Bedrock.
   */
  bedrock?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
    /**
     * The region.
     */
    region: string
    /**
     * A guardrail of its own to apply.
     */
    guardrailIdentifier?: string
    /**
     * The version of that guardrail.
     */
    guardrailVersion?: string
  }
  /**
   * Azure OpenAI, or Azure AI Foundry.
   */
  azure?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
    /**
     * The resource.
     */
    resourceName: string
    /**
     * The kind of resource.
     */
    resourceType: 'openAI' | 'foundry' | 'aiServices'
    /**
     * The version of the interface: `v1`, `preview` or a date.
     */
    apiVersion?: string
    /**
     * The project, for `foundry`. Default: the resource.
     */
    projectName?: string
  }
  /**
   * GitHub Copilot.
   */
  copilot?: {
    /**
     * The model to ask it for, whatever the client asks for.
     */
    model?: string
  }
  custom?: LlmCustomProvider
  mock?: LlmMockProvider
}
/**
 * A provider that is described here.
 */
export interface LlmCustomProvider {
  /**
   * The model to ask it for, whatever the client asks for.
   */
  model?: string
  /**
   * What telemetry calls it.
   */
  providerOverride?: string
  /**
   * What it understands, in order of preference.
   */
  formats: LlmFormat[]
}
/**
 * A format that a provider understands.
 */
export interface LlmFormat {
  /**
   * The format.
   */
  type:
    | 'completions'
    | 'messages'
    | 'responses'
    | 'embeddings'
    | 'anthropicTokenCount'
    | 'generateContent'
    | 'geminiCountTokens'
    | 'realtime'
    | 'rerank'
  /**
   * Its path. Default: the usual one of the format.
   */
  path?: string
}
/**
 * Answers by itself, without any network: for trying things out, and for tests.
 */
export interface LlmMockProvider {
  /**
   * The model to answer as, whatever the client asks for.
   */
  model?: string
  /**
   * What it understands. Default: everything it can.
   */
  formats?: LlmMockFormat[]
}
/**
 * A service of AWS. Its certificate must be publicly trusted, and requests are signed with the credentials of the surroundings, unless `backendTLS` and `backendAuth` say otherwise.
 */
export interface AwsBackend {
  agentCore: AwsAgentCore
}
/**
 * An agent in the runtime of Amazon Bedrock AgentCore. Every request becomes one to `/runtimes/{ARN}/invocations` of its region.
 */
export interface AwsAgentCore {
  /**
   * The ARN of its runtime.
   */
  agentRuntimeArn: string
  /**
   * A version or an endpoint of it. Clients cannot choose one.
   */
  qualifier?: string
}
/**
 * A TCP route of one or more gateways.
 */
export interface AttachedTcpRoute {
  /**
   * Its name, in logs, metrics and traces. Default: `route` or `tcproute` and its place in the list.
   */
  name?: string
  /**
   * The namespace of the name.
   */
  namespace?: string
  /**
   * The name of one rule, where several entries share a name.
   */
  ruleName?: string
  /**
   * Hosts it applies to, by the server name that the TLS client asks for.
   *
   * Items: A host.
   */
  hostnames?: string[]
  policies?: TcpPolicies
  /**
   * Where connections go, in turns by weight.
   */
  backends?: TcpRouteBackend[]
  /**
   * The gateways, or `gateway/listener`, that this route belongs to. Default: the gateway named `default`.
   */
  gateways?: string[] | string
}
/**
 * Policies of TCP routes and their backends.
 */
export interface TcpPolicies {
  backendTLS?: UpstreamTls
  backendTunnel?: BackendTunnel
}
/**
 * One destination of a TCP route.
 */
export interface TcpRouteBackend {
  /**
   * Its share of the requests, in proportion to the others.
   */
  weight?: number
  policies?: TcpPolicies
  service?: ServiceReference
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  /**
   * A backend in the section `backends`, by name or as `/name`.
   */
  backend?: string
  dynamic?: TcpDynamicBackend
}
/**
 * Connects to where an expression says, as far as `allow` allows.
 */
export interface TcpDynamicBackend {
  /**
   * An expression about `source` and `destination` that gives `host[:port]`. Default: the server name that the TLS client asks for. Without a port, it is the port that the client came to.
   */
  target?: string
  /**
   * What may be reached. Without it nothing may.
   */
  allow?: {
    /**
     * Host names, or `*.suffix`, or `*`.
     *
     * Items: A host.
     */
    hosts?: string[]
    /**
     * Ports. Default: every port.
     *
     * Items: A port.
     */
    ports?: number[]
    /**
     * Private, loopback and link-local address ranges that may be reached all the same.
     *
     * Items: A range.
     */
    privateRanges?: string[]
  }
}
/**
 * A backend that routes refer to by name.
 */
export interface NamedBackend {
  /**
   * Its name.
   */
  name: string
  policies?: BackendPolicies
  /**
   * A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.
   */
  host?: string
  dynamic?: DynamicBackend
  /**
   * The [admin interface](admin.md#through-a-route) of this process, without a connection: `forward` for the path and query that the request has there, or one path, with a query if it needs one, for every request. Who may call it is for the policies of the route to say.
   */
  internal?: string
  mcp?: McpBackend
  ai?: AiBackend
  aws?: AwsBackend
}
/**
 * Routes that other routes hand requests on to.
 */
export interface RouteGroup {
  /**
   * Its name.
   */
  name: string
  /**
   * Its routes.
   */
  routes: Route[]
}
/**
 * An HTTP route.
 */
export interface Route {
  /**
   * Its name, in logs, metrics and traces. Default: `route` or `tcproute` and its place in the list.
   */
  name?: string
  /**
   * The namespace of the name.
   */
  namespace?: string
  /**
   * The name of one rule, where several entries share a name.
   */
  ruleName?: string
  /**
   * Hosts it applies to, or `*.suffix`. Default: every host of the listener.
   *
   * Items: A host.
   */
  hostnames?: string[]
  /**
   * Requests it applies to: any of these. Default: every path.
   */
  matches?: Match[]
  /**
   * Whether this route takes paths with `%2F`, `%5C` or `\`, or answers 400 (`reject` means the same as `refuse`). The route is chosen by the path as it came, escapes and all. Default: `frontendPolicies.http.path.encodedSlashes`, or that of the route that leads to the group.
   */
  encodedSlashes?: 'refuse' | 'keep' | 'reject'
  policies?: RoutePolicies
  /**
   * Where requests go, in turns by weight.
   */
  backends?: RouteBackend[]
}
/**
 * A policy that is attached to something by name.
 */
export interface TargetedPolicy {
  /**
   * Its name.
   */
  name: {
    /**
     * The name.
     */
    name: string
    /**
     * Its namespace.
     */
    namespace?: string
  }
  target: PolicyTarget
  /**
   * `gateway` acts before a route is known.
   */
  phase?: 'route' | 'gateway'
  policy: RoutePolicies
}
/**
 * What the policy is attached to.
 */
export interface PolicyTarget {
  gateway?: GatewayTarget
  route?: RouteTarget
  backend?: BackendTarget
}
/**
 * A gateway, or one listener of it.
 */
export interface GatewayTarget {
  /**
   * The gateway.
   */
  gatewayName: string
  /**
   * Its namespace.
   */
  gatewayNamespace?: string
  /**
   * One listener of it.
   */
  listenerName?: string
  /**
   * Only where it listens on this port.
   */
  port?: number
}
/**
 * A route, or one rule of it.
 */
export interface RouteTarget {
  /**
   * The route.
   */
  name: string
  /**
   * Its namespace.
   */
  namespace?: string
  /**
   * One rule of it.
   */
  ruleName?: string
  /**
   * The kind of route. HTTP routes are meant in any case.
   */
  kind?: string
}
/**
 * A backend or a service.
 */
export interface BackendTarget {
  /**
   * A backend in the section `backends`.
   */
  backend?: {
    /**
     * Its name.
     */
    name: string
    /**
     * Its namespace.
     */
    namespace?: string
  }
  /**
   * A service in the section `services`.
   */
  service?: {
    /**
     * Its host name.
     */
    hostname: string
    /**
     * Its namespace.
     */
    namespace?: string
  }
}
/**
 * Settings of connections, HTTP, logs and traces for the whole process.
 */
export interface FrontendPolicies {
  http?: FrontendHttp
  tls?: FrontendTls
  /**
   * Settings of TCP connections.
   */
  tcp?: {
    keepalives: Keepalives
  }
  proxy?: ProxyProtocol
  proxyProtocol?: ProxyProtocol
  /**
   * What happens to CONNECT requests: refused with 405, treated like any request, or tunnelled.
   */
  connect?: {
    /**
     * What happens.
     */
    mode: 'deny' | 'route' | 'tunnel'
  }
  accessLog?: AccessLog
  logging?: AccessLog
  admission?: Admission
  networkAuthorization?: NetworkAuthorization
}
/**
 * How HTTP is spoken with clients.
 */
export interface FrontendHttp {
  /**
   * Longest body, in bytes, that is held in memory where a policy needs it whole.
   */
  maxBufferSize?: number
  /**
   * Most headers of a request.
   */
  http1MaxHeaders?: number
  /**
   * Largest head of an HTTP/1 request, in bytes.
   */
  http1MaxHeaderSize?: number
  /**
   * How long a connection may wait for its next request.
   */
  http1IdleTimeout?: string
  /**
   * How header names are written.
   */
  http1HeaderCase?: 'lowercase' | 'preserve'
  /**
   * Flow control window of a stream, in bytes.
   */
  http2WindowSize?: number
  /**
   * Flow control window of a connection, in bytes.
   */
  http2ConnectionWindowSize?: number
  /**
   * Largest frame, in bytes.
   */
  http2FrameSize?: number
  /**
   * Largest head of a request, in bytes.
   */
  http2MaxHeaderSize?: number
  /**
   * Time between pings.
   */
  http2KeepaliveInterval?: string
  /**
   * How long a ping may stay unanswered.
   */
  http2KeepaliveTimeout?: string
  /**
   * How old a connection may become. It ends after the request it is busy with; a raw one, or one that has become a tunnel, is cut.
   */
  maxConnectionDuration?: string
  /**
   * How long the head of a request may take. `0` is no limit.
   */
  headersTimeout?: string
  /**
   * How long the body of a request may take. `0` is no limit.
   */
  requestBodyTimeout?: string
  /**
   * How long an HTTP/1.1 client that closed its sending side is served without a byte written. On HTTP/2 such a client has left.
   */
  halfCloseGrace?: string
  /**
   * Protocols that `Upgrade` may ask for.
   *
   * Items: A protocol.
   */
  upgrades?: string[]
  path?: PathReading
  forwarded?: Forwarded
  /**
   * Whether answers say in `server-timing` how long they took: `gateway` is the time of the gateway itself, `upstream` that of the upstream.
   */
  serverTiming?: boolean
}
/**
 * How paths are read before they are matched. What is matched is what is forwarded.
 */
export interface PathReading {
  /**
   * Whether repeated slashes become one.
   */
  mergeSlashes?: boolean
  /**
   * Whether `%2F`, `%5C` and `\` in a path are refused with 400 (`reject` means the same), or kept as escapes that separate nothing. Routes may say otherwise.
   */
  encodedSlashes?: 'refuse' | 'keep' | 'reject'
}
/**
 * What happens to X-Forwarded-For, -Proto, -Host and Forwarded. Without it they pass as the client sent them, and nothing relies on them.
 */
export interface Forwarded {
  /**
   * Whether own values are added to what came, or put in its place.
   */
  mode?: 'append' | 'overwrite'
  /**
   * How many proxies in front of this one are yours: their entries are believed.
   */
  trustedHops?: number
}
/**
 * TLS settings of all listeners.
 */
export interface FrontendTls {
  /**
   * How long a handshake may take.
   */
  handshakeTimeout?: string
  /**
   * Protocols offered. Default: h2, http/1.1.
   *
   * Items: A protocol.
   */
  alpn?: string[]
  /**
   * The lowest TLS version. Versions before 1.2 are known by name only: they are refused.
   */
  minVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The highest TLS version. Versions before 1.2 are known by name only: they are refused.
   */
  maxVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * Cipher suites that may be used, in order of preference.
   *
   * Items: A cipher suite.
   */
  cipherSuites?: string[]
  /**
   * Key exchange groups that may be used, in order of preference.
   *
   * Items: A group.
   */
  keyExchangeGroups?: ('X25519' | 'P-256' | 'P-384' | 'X25519_MLKEM768')[]
}
/**
 * Reads a PROXY protocol header at the start of connections.
 */
export interface ProxyProtocol {
  /**
   * Versions that are understood.
   */
  version?: 'v1' | 'v2' | 'all'
  /**
   * Whether the header must be there.
   */
  mode?: 'strict' | 'optional'
}
/**
 * The line written for each exchange.
 */
export interface AccessLog {
  /**
   * Which exchanges are logged. Default: all.
   */
  filter?: string
  /**
   * Fields to add, or to replace.
   */
  add?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  /**
   * Fields to leave out.
   *
   * Items: A field.
   */
  remove?: string[]
}
/**
 * When work is refused with 503 `overloaded` instead of taken on.
 */
export interface Admission {
  /**
   * Most exchanges at a time.
   */
  maxExchanges?: number
  /**
   * A lag of the event loop that counts as overload.
   */
  lag?: string
  /**
   * How long it must last.
   */
  lagFor?: string
}
/**
 * Closes connections where its rules say so, before a byte of what is said over them is looked at. Rules read `source` and `destination`.
 */
export interface NetworkAuthorization {
  /**
   * The rules. Without any, every connection is taken.
   */
  rules: NetworkRule[]
}
/**
 * A name with endpoints behind it, in the manner of a Kubernetes Service. The endpoints are in `workloads`.
 */
export interface Service {
  /**
   * Its name.
   */
  name: string
  /**
   * Its namespace.
   */
  namespace?: string
  /**
   * Its host name, by which workloads refer to it.
   */
  hostname: string
  /**
   * Ports of the service, each with the port of its endpoints.
   */
  ports: {
    /**
     * The port of the endpoint.
     */
    [k: string]: number
  }
  /**
   * Its own addresses.
   *
   * Items: An address, or `network/address`.
   */
  vips?: string[]
}
/**
 * One place where services run.
 */
export interface Workload {
  /**
   * Its identity.
   */
  uid: string
  /**
   * Its name.
   */
  name?: string
  /**
   * Its namespace.
   */
  namespace?: string
  /**
   * Its addresses.
   *
   * Items: An address.
   */
  workloadIps?: string[]
  /**
   * Whether it takes requests.
   */
  status?: 'Healthy' | 'Unhealthy' | 'healthy' | 'unhealthy'
  /**
   * How it is reached.
   */
  protocol?: 'TCP' | 'HTTP' | 'HBONE'
  /**
   * What it serves: services as `namespace/hostname`.
   */
  services?: {
    /**
     * Ports of the service, each with the port here.
     */
    [k: string]: {
      /**
       * The port of the endpoint.
       */
      [k: string]: number
    }
  }
}
/**
 * Language models on gateways or on a port of their own: a route named `llm:request` in the namespace `internal`, under every path that no other route takes.
 */
export interface LlmSection {
  /**
   * The gateways, or `gateway/listener`, it belongs to. Default: the gateway named `default`; if there is none, port 4000.
   */
  gateways?: string[] | string
  /**
   * A port of its own. Give it a gateway, and name that in `gateways`.
   */
  port?: number
  tls?: ServerTls
  /**
   * Providers that models refer to.
   */
  providers?: LlmProvider[]
  /**
   * The models.
   */
  models: LlmModel[]
  /**
   * Names that stand for several models.
   */
  virtualModels?: LlmVirtualModel[]
  policies?: LlmPolicies
  guardrails?: LlmGuards
}
/**
 * A provider that models refer to.
 */
export interface LlmProvider {
  /**
   * Its name.
   */
  name: string
  provider: LlmModelProvider
  params?: LlmParams
  /**
   * What its models begin with.
   */
  defaults?: {
    /**
     * Fields of the body to set where they are absent.
     */
    defaults?: {
      [k: string]: unknown
    }
    /**
     * Fields of the body to set in any case.
     */
    overrides?: {
      [k: string]: unknown
    }
    /**
     * Fields of the body to compute. An expression that fails, or gives null, removes the field.
     */
    transformation?: {
      /**
       * Gives the value.
       */
      [k: string]: string
    }
    requestHeaders?: HeaderModifier
    responseHeaders?: HeaderModifier
    tls?: UpstreamTls
    auth?: BackendAuth
    health?: Health
    backendTunnel?: BackendTunnel
    promptCaching?: LlmPromptCaching
  }
}
/**
 * How the provider is reached, and what it is asked for.
 */
export interface LlmParams {
  /**
   * The model to ask it for. Default: the one the client asks for.
   */
  model?: string
  apiKey?: SecretText
  /**
   * The region at AWS. Needed for `bedrock`.
   */
  awsRegion?: string
  /**
   * The region at Google. Default: `global`.
   */
  vertexRegion?: string
  /**
   * The project at Google. Needed for `vertex`.
   */
  vertexProject?: string
  /**
   * The resource at Azure. Needed for `azure`.
   */
  azureResourceName?: string
  /**
   * The kind of resource at Azure. Needed for `azure`.
   */
  azureResourceType?: 'openAI' | 'foundry' | 'aiServices'
  /**
   * The version of the interface at Azure: `v1`, `preview` or a date.
   */
  azureApiVersion?: string
  /**
   * The project at Azure, for `foundry`. Default: the resource.
   */
  azureProjectName?: string
  /**
   * Where it is, with what all of its paths begin with, such as `https://api.openai.com/v1`. With `https`, its certificate must be publicly trusted unless `tls` says otherwise.
   */
  baseUrl?: string
  /**
   * Another host and port, without TLS unless `tls` says otherwise. Paths are those of the client, unless `pathPrefix` is there. Use `baseUrl`.
   */
  hostOverride?: string
  /**
   * In place of every path. Use `baseUrl`.
   */
  pathOverride?: string
  /**
   * In place of what its paths begin with. Use `baseUrl`.
   */
  pathPrefix?: string
  /**
   * Whether tokens of requests are counted before the call.
   */
  tokenize?: boolean
  /**
   * How long an attempt may take until its answer begins. Another provider is tried then, if there is one.
   */
  requestTimeout?: string
  /**
   * How long the first token of a stream may take. Another provider is tried then, if there is one.
   */
  firstTokenTimeout?: string
}
/**
 * When a provider counts as unhealthy, and what follows.
 */
export interface Health {
  /**
   * Whether an answer is a sign of bad health. Default: statuses from 500, no answer, gRPC statuses other than 0.
   */
  unhealthyExpression?: string
  /**
   * How long unhealthy endpoints get no requests.
   */
  eviction?: {
    /**
     * For how long, multiplied by the number of times in a row. Default: what the answer asks for, or 3s.
     */
    duration?: string
    /**
     * The health score an endpoint comes back with.
     */
    restoreHealth?: number
    /**
     * Failures in a row that lead to eviction.
     */
    consecutiveFailures?: number
    /**
     * A health score below this leads to eviction.
     */
    healthThreshold?: number
  }
}
/**
 * A model by name or pattern, and who serves it.
 */
export interface LlmModel {
  /**
   * What identifies it. Default: its name.
   */
  id?: string
  /**
   * The name that clients ask for. `*` may stand at its beginning or end.
   */
  name: string
  /**
   * Whether clients may ask for it; internal models are reached through virtual models only.
   */
  visibility?: 'public' | 'internal'
  provider: LlmModelProvider
  params?: LlmParams
  /**
   * What is done with requests that no format is known for, by the end of their path, and with their answers. They pass as they are; `detect` looks for the usage in answers, `opaque`, the default, does not.
   */
  passthrough?: 'detect' | 'opaque'
  authorization?: Authorization
  /**
   * Fields of the body to set where they are absent.
   */
  defaults?: {
    [k: string]: unknown
  }
  /**
   * Fields of the body to set in any case.
   */
  overrides?: {
    [k: string]: unknown
  }
  /**
   * Fields of the body to compute. An expression that fails, or gives null, removes the field.
   */
  transformation?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  requestHeaders?: HeaderModifier
  responseHeaders?: HeaderModifier
  tls?: UpstreamTls
  auth?: BackendAuth
  health?: Health
  backendTunnel?: BackendTunnel
  promptCaching?: LlmPromptCaching
  backendTLS?: UpstreamTls
  /**
   * Fields of the body to compute once it is in the format of the provider.
   */
  finalTransformation?: {
    /**
     * Gives the value.
     */
    [k: string]: string
  }
  guardrails?: LlmGuards
  /**
   * Requests it is meant for: any of these.
   *
   * Items: Conditions that must all hold.
   */
  matches?: {
    /**
     * Conditions on headers.
     *
     * Items: A condition on one header.
     */
    headers?: {
      /**
       * Name of the header.
       */
      name: string
      value: ValueMatch
    }[]
  }[]
}
/**
 * A name that stands for several models.
 */
export interface LlmVirtualModel {
  /**
   * The name that clients ask for.
   */
  name: string
  routing: LlmRouting
}
/**
 * How one of the models is chosen.
 */
export interface LlmRouting {
  /**
   * Drawn by weight.
   */
  weighted?: {
    /**
     * The models.
     *
     * Items: One of the models.
     */
    targets: {
      /**
       * Its name, as a client would ask for it.
       */
      model: string
      /**
       * Its share, in proportion to the others.
       */
      weight?: number
    }[]
  }
  /**
   * The first that works.
   */
  failover?: {
    /**
     * The models.
     *
     * Items: One of the models.
     */
    targets: {
      /**
       * Its name, as a client would ask for it.
       */
      model: string
      /**
       * Lower ones first; those with the same are equals.
       */
      priority: number
    }[]
  }
  /**
   * The first whose condition holds.
   */
  conditional?: {
    /**
     * The models.
     *
     * Items: One of the models.
     */
    targets: {
      /**
       * Its name, as a client would ask for it.
       */
      model: string
      /**
       * The condition. Without one it always holds: such an entry is the last.
       */
      when?: string
    }[]
  }
}
/**
 * Policies of all models.
 */
export interface LlmPolicies {
  cors?: Cors
  transformations?: ConditionalTransformations
  authorization?: Authorization
  basicAuth?: BasicAuth
  apiKey?: ApiKeys
  jwtAuth?: JwtAuth
  extAuthz?: ConditionalExtAuthz
  oidc?: Oidc
  extProc?: ConditionalExtProc
  localRateLimit?: LocalRateLimit
  remoteRateLimit?: ConditionalRemoteRateLimit
  guardrails?: LlmGuards
}
/**
 * MCP servers as a section of their own: a route named `mcp` in the namespace `internal`. On gateways it answers under `/mcp`, `/sse` and `/.well-known`, on a port of its own under every path.
 */
export interface McpSection {
  /**
   * The servers behind it.
   */
  targets: McpTarget[]
  /**
   * Whether clients have sessions, each with sessions of its own at the servers; or every request stands alone.
   */
  statefulMode?: 'stateful' | 'stateless'
  /**
   * The revisions that clients may have, each by its date. Default: all. Servers are spoken to in whatever they know.
   *
   * Items: A revision of the protocol.
   */
  protocolVersions?: ('2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28')[]
  /**
   * When names of tools and prompts get the name of their server as prefix: if there are several servers, always, or never.
   */
  prefixMode?: 'conditional' | 'always' | 'never'
  /**
   * How long names of tools and prompts may be with their prefix; longer ones are shortened. Clients that put something of their own in front need them shorter than 64.
   */
  maxNameLength?: number
  /**
   * What one failing server does: fail the request (`failClosed`), or be left out (`failOpen`).
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * How long lists and handshakes wait for each server before they do without it. Without it they wait as long as the client does.
   */
  partialAfter?: string
  /**
   * How long a connection is held for an answer, where the client can come back for the rest: in sessions of 2025-11-25. Choose less than what is in between allows. Without it a connection is held as long as the answer takes.
   */
  hangUpAfter?: string
  /**
   * Whether `Host` and `Origin` must be `localhost`, `127.0.0.1` or `[::1]`. Default: if the gateway listens on a loopback address.
   */
  dnsRebindingProtection?: boolean
  /**
   * The gateways, or `gateway/listener`, it belongs to. Default: the gateway named `default`; if there is none, port 3000.
   */
  gateways?: string[] | string
  /**
   * A port of its own. Give it a gateway, and name that in `gateways`.
   */
  port?: number
  policies?: RoutePolicies
}
/**
 * A port with its listeners, in the older form. New configurations use `gateways` and `routes`.
 */
export interface Bind {
  /**
   * The port. 0 opens any free one. Only a bind with `mode: internal` may do without.
   */
  port?: number
  /**
   * The one IP address to listen on, or `unix:/path`. Default: all addresses.
   */
  address?: string
  /**
   * Its listeners.
   */
  listeners: BindListener[]
  /**
   * What connections begin with.
   */
  tunnelProtocol?: 'direct' | 'hboneWaypoint' | 'hboneGateway' | 'proxy' | 'connect'
  /**
   * `internal` opens no socket: only CONNECT tunnels lead to it.
   */
  mode?: 'standard' | 'internal'
}
/**
 * Host names of a bind that share a certificate, policies and routes.
 */
export interface BindListener {
  /**
   * Its name. Default: `listener` and its place in the list.
   */
  name?: string
  /**
   * The namespace of the gateway it belongs to.
   */
  namespace?: string
  /**
   * The host, or `*.suffix`. Default: every host.
   */
  hostname?: string
  /**
   * What is spoken.
   */
  protocol?: 'HTTP' | 'HTTPS' | 'TLS' | 'TCP' | 'HBONE'
  tls?: ServerTls
  /**
   * HTTP routes.
   */
  routes?: Route[]
  /**
   * TCP routes.
   */
  tcpRoutes?: TcpRoute[]
  policies?: GatewayPolicies
}
/**
 * A TCP route.
 */
export interface TcpRoute {
  /**
   * Its name, in logs, metrics and traces. Default: `route` or `tcproute` and its place in the list.
   */
  name?: string
  /**
   * The namespace of the name.
   */
  namespace?: string
  /**
   * The name of one rule, where several entries share a name.
   */
  ruleName?: string
  /**
   * Hosts it applies to, by the server name that the TLS client asks for.
   *
   * Items: A host.
   */
  hostnames?: string[]
  policies?: TcpPolicies
  /**
   * Where connections go, in turns by weight.
   */
  backends?: TcpRouteBackend[]
}
/**
 * What happens to all requests of a listener, before a route is known.
 */
export interface GatewayPolicies {
  cors?: Cors
  transformations?: ConditionalTransformations
  authorization?: Authorization
  basicAuth?: BasicAuth
  apiKey?: ApiKeys
  jwtAuth?: JwtAuth
  extAuthz?: ConditionalExtAuthz
  oidc?: Oidc
  extProc?: ConditionalExtProc
}
