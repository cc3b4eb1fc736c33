/* Generated from src/config/schema by scripts/generate-schema.ts. Do not edit. */
/* eslint-disable */

/**
 * Modifies requests and responses by expressions.
 */
export type ConditionalTransformations = TransformationsChoice | Transformations
/**
 * An authorization rule. A plain string is an `allow` rule.
 */
export type AuthorizationRule =
  | string
  | {
      /**
       * Allows the request if true. If there are `allow` rules, at least one of them must be true.
       */
      allow?: string
      /**
       * Denies the request if true, regardless of other rules.
       */
      deny?: string
      /**
       * Denies the request unless true.
       */
      require?: string
    }
/**
 * Where requests carry the credential: one location or a list. A request with different credentials in several locations is refused; the same credential in several counts once.
 */
export type CredentialLocation = OneCredentialLocation[] | OneCredentialLocation
/**
 * Verifies JSON Web Tokens (RFC 7519). A valid token is removed from the request; expressions read its claims as `jwt`.
 */
export type JwtAuth = JwtAuthSeveral | JwtAuthSingle
/**
 * Public keys of the issuer, as a JSON Web Key Set (RFC 7517).
 */
export type Jwks =
  | string
  | {
      /**
       * File with the key set. Reloaded when it changes.
       */
      file?: string
      /**
       * URL of the key set. Fetched at start, refreshed before it expires, and fetched again when a token has an unknown key ID. If a fetch fails, the last key set stays in use.
       */
      url?: string
      /**
       * Keys, as a list of objects.
       *
       * Items: JSON Web Key.
       */
      keys?: {
        [k: string]: unknown
      }[]
      /**
       * Readiness while `url` has never been fetched successfully: not ready (`failClosed`) or ready (`failOpen`). In both cases tokens are refused with 503 until then.
       */
      readiness?: 'failClosed' | 'failOpen'
    }
/**
 * External authorization: a service allows or denies each request.
 */
export type ConditionalExtAuthz = ExtAuthzChoice | ExtAuthz
/**
 * How the gateway authenticates to the backend.
 */
export type BackendAuth = 'copilot' | BackendAuthFields
/**
 * A static key: a string, or an object with a key or file and a location.
 */
export type BackendKey = string | BackendKeyFields
/**
 * A secret: a string, or a file that contains it. The file is reloaded when it changes; surrounding whitespace is ignored.
 */
export type SecretText =
  | string
  | {
      /**
       * Path of the file.
       */
      file: string
    }
/**
 * External processing: a service inspects and modifies requests and responses (`envoy.service.ext_proc.v3.ExternalProcessor`).
 */
export type ConditionalExtProc = ExtProcChoice | ExtProc
/**
 * Change of the host: `auto` uses the host of the backend, `none` keeps the host of the request.
 */
export type AuthorityChange =
  | ('auto' | 'none')
  | {
      /**
       * Replaces host and port.
       */
      full?: string
      /**
       * Replaces the host; the port is kept.
       */
      host?: string
      /**
       * Replaces the port; the host is kept.
       */
      port?: number
    }
/**
 * Replies directly, without a backend.
 */
export type ConditionalDirectResponse = DirectResponseChoice | DirectResponse
/**
 * Replies 429 `rate limit exceeded` if one of the buckets is empty. The policy has one set of buckets wherever it applies; a reload that does not change the policy keeps them.
 */
export type LocalRateLimit = LocalLimitChoice | LocalLimit[]
/**
 * Rate limit shared by all gateways that use the same service (`envoy.service.ratelimit.v3.RateLimitService`).
 */
export type ConditionalRemoteRateLimit = RemoteRateLimitChoice | RemoteRateLimit
/**
 * Checking of streamed responses: `Buffer` (default) buffers the stream, checks it as a whole and then sends it; `Enabled` checks it in windows as it arrives; `Disabled` does not check it.
 */
export type LlmGuardStreaming =
  | ('Buffer' | 'Enabled' | 'Disabled')
  | {
      /**
       * Mode.
       */
      mode: 'Enabled'
      /**
       * Window size, in bytes of UTF-8.
       */
      windowBytes?: number
      /**
       * Bytes of the previous window that are checked again. Must be less than `windowBytes`.
       */
      overlapBytes?: number
    }
/**
 * Language models: one provider, or provider groups.
 */
export type AiBackend = AiGroups | AiProvider
/**
 * Format.
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
 * An authorization rule. A plain string is an `allow` rule.
 */
export type NetworkRule =
  | string
  | {
      /**
       * Allows the request if true. If there are `allow` rules, at least one of them must be true.
       */
      allow?: string
      /**
       * Denies the request if true, regardless of other rules.
       */
      deny?: string
      /**
       * Denies the request unless true.
       */
      require?: string
    }
/**
 * Provider: a name, a reference to `providers`, or a custom provider. `mock` replies without a network.
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
       * Name of an entry of `providers`.
       */
      reference?: string
      custom?: LlmCustomProvider
      mock?: LlmMockProvider
    }

/**
 * Gateway configuration.
 */
export interface ConfigFile {
  config?: ProcessSection
  /**
   * Listening ports, by name.
   */
  gateways?: {
    [k: string]: Gateway
  }
  /**
   * HTTP routes.
   */
  routes?: AttachedRoute[]
  /**
   * TCP routes.
   */
  tcpRoutes?: AttachedTcpRoute[]
  /**
   * UDP routes.
   */
  udpRoutes?: AttachedUdpRoute[]
  /**
   * Backends that routes and policies refer to by name.
   */
  backends?: NamedBackend[]
  /**
   * Groups of routes that other routes delegate to.
   */
  routeGroups?: RouteGroup[]
  /**
   * Policies attached to gateways, routes or backends by name.
   */
  policies?: TargetedPolicy[]
  frontendPolicies?: FrontendPolicies
  /**
   * Services; their endpoints are in `workloads`.
   */
  services?: Service[]
  /**
   * Endpoints of the services.
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
 * Process settings, read once at start.
 */
export interface ProcessSection {
  /**
   * Whether IPv6 is used. Overridden by the environment variable IPV6_ENABLED.
   */
  enableIpv6?: boolean
  /**
   * DNS resolution.
   */
  dns?: {
    /**
     * Address families to resolve. Overridden by the environment variable DNS_LOOKUP_FAMILY.
     */
    lookupFamily?: 'All' | 'Auto' | 'V4Preferred' | 'V4Only' | 'V6Only'
  }
  /**
   * Listen address of the admin server: `ip:port`, `localhost:port`, `unix:/path` or `off`. Overridden by the environment variable ADMIN_ADDR.
   */
  adminAddr?: string
  /**
   * Host names accepted in the `Host` and `Origin` headers of requests to the admin server, in addition to loopback names.
   *
   * Items: Host name.
   */
  adminHosts?: string[]
  /**
   * Access to the admin server, for one that is open to a network.
   */
  admin?: {
    /**
     * Authentication of callers. Default: none, which is for loopback addresses.
     */
    auth?: {
      /**
       * File with bearer tokens, one a line, of at least 16 characters; empty lines and lines that begin with `#` do not count. Several tokens allow rotation. Reloaded when it changes.
       */
      tokenFile: string
    }
    /**
     * TLS of the admin server.
     */
    tls?: {
      /**
       * File with the certificate chain (PEM). Reloaded when it changes.
       */
      cert: string
      /**
       * File with the private key (PEM). Reloaded when it changes.
       */
      key: string
      /**
       * File with trusted certificate authorities (PEM) for client certificates. If set, callers must present a certificate.
       */
      root?: string
      /**
       * Names, one of which the client certificate must have: a subject alternative name, the common name, or the whole subject such as `CN=ops, O=Example`. Default: any name.
       *
       * Items: Name.
       */
      allowedNames?: string[]
    }
  }
  /**
   * Listen address of the metrics endpoint. Overridden by the environment variable STATS_ADDR.
   */
  statsAddr?: string
  /**
   * Listen address of the readiness endpoint. Overridden by the environment variable READINESS_ADDR.
   */
  readinessAddr?: string
  /**
   * How long active requests and connections may continue after a shutdown begins; then they are closed. Overridden by the environment variable CONNECTION_TERMINATION_DEADLINE.
   */
  connectionTerminationDeadline?: string
  /**
   * Minimum time at the start of a shutdown during which no connection is closed: requests are served as usual while readiness fails, so that load balancers can remove this process. Part of `connectionTerminationDeadline`. Overridden by the environment variable CONNECTION_MIN_TERMINATION_DEADLINE.
   */
  connectionMinTerminationDeadline?: string
  /**
   * Additional headers whose values are redacted.
   *
   * Items: Header name.
   */
  sensitiveHeaders?: string[]
  logging?: ProcessLogging
  metrics?: ProcessMetrics
  backend?: UpstreamSettings
  /**
   * Address of the control plane, as `https://host:port`, or `http://host:port` without TLS; without a scheme it is `https`. The resources that it sends are served beside those of this file. Requires `namespace` and `gateway`. Overridden by the environment variable XDS_ADDRESS.
   */
  xdsAddress?: string
  /**
   * File with the token for the control plane, read for every connection. Default: `/var/run/secrets/xds-tokens/xds-token` if there is one. Overridden by the environment variable XDS_AUTH_TOKEN.
   */
  xdsAuthToken?: string
  /**
   * File with the authorities that the certificate of the control plane is checked with, read for every connection, or `SYSTEM` for those of the system. Default: `/var/run/secrets/xds/root-cert.pem` if there is one, otherwise `SYSTEM`. Overridden by the environment variable XDS_ROOT_CA.
   */
  xdsRootCa?: string
  /**
   * Namespace of the gateway that this process belongs to, for the control plane. Overridden by the environment variable NAMESPACE.
   */
  namespace?: string
  /**
   * Gateway that this process belongs to, for the control plane. Overridden by the environment variable GATEWAY.
   */
  gateway?: string
  /**
   * Functions that all expressions can call: a sequence of `name(a, b) { expression }`.
   */
  customFunctions?: string
  tracing?: ProcessTracing
  /**
   * Prices of language models, from one or more sources; for each model the last source applies. Reloaded with the configuration and whenever a file changes.
   */
  modelCatalog?: ModelCatalogSource[]
  /**
   * Whether requests to models without a price in the catalog are allowed. `deny` refuses them, as well as requests whose cost cannot be determined in advance. Reloaded together with the catalog.
   */
  unknownPrice?: 'allow' | 'deny'
  /**
   * Buckets of histograms: `classic` ones, `native` ones, or both. Native ones are visible in the protobuf format only; the text formats then have count and sum.
   */
  histograms?: 'classic' | 'native' | 'both'
  /**
   * Encryption and routing of session data that clients hold: login cookies and MCP session ids.
   */
  session?: {
    /**
     * Key that encrypts session data, or a list of keys for rotation: the first one encrypts, all of them decrypt. Default: a random key, so that all sessions end with a restart. Overridden by the environment variables OIDC_COOKIE_SECRET (login sessions) and SESSION_KEY.
     */
    key?: string | string[]
    /**
     * Address at which other replicas reach this process, such as `http://${POD_IP}:3000`: a dedicated port with the same routes. Replicas with the same key forward requests of MCP sessions that live in this process to it.
     */
    address?: string
  }
  /**
   * MCP settings of the process.
   */
  mcp?: {
    /**
     * Idle timeout of an MCP session. An open stream without requests counts as idle.
     */
    sessionTtl?: string
    /**
     * Maximum number of stdio servers that run as child processes.
     */
    maxPrograms?: number
    /**
     * Maximum number of child processes per target.
     */
    maxProgramsPerTarget?: number
  }
}
/**
 * Logging of the process.
 */
export interface ProcessLogging {
  /**
   * Minimum level that is logged, or levels per module such as `info,config=debug`.
   */
  level?: string | string[]
  /**
   * File to append to, opened again on SIGUSR2 and SIGUSR1. Default: standard output.
   */
  file?: string
  /**
   * Format of log lines.
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
     * Fields to remove.
     *
     * Items: Field name.
     */
    remove?: string[]
    /**
     * Fields to add.
     */
    add?: {
      /**
       * Expression that returns the value.
       */
      [k: string]: string
    }
  }
}
/**
 * Metrics of the process.
 */
export interface ProcessMetrics {
  /**
   * Metrics to drop. The prefix `agentgateway_`, the unit and the suffix `_total` are optional.
   *
   * Items: Metric name.
   */
  remove?: string[]
  /**
   * Metric labels.
   */
  fields?: {
    /**
     * Labels to add to request metrics.
     */
    add?: {
      /**
       * Expression that returns the value.
       */
      [k: string]: string
    }
  }
  /**
   * Maximum number of series of requests. Requests beyond it are counted with every label `overflow`.
   */
  maxSeries?: number
  /**
   * Maximum number of values of each label of `fields.add`. Values beyond it are `overflow`.
   */
  maxLabelValues?: number
}
/**
 * Default settings of connections to backends.
 */
export interface UpstreamSettings {
  keepalives?: Keepalives
  /**
   * Timeout for establishing a connection.
   */
  connectTimeout?: string
  /**
   * How long an idle connection is kept in the pool.
   */
  poolIdleTimeout?: string
  /**
   * Maximum number of connections to one address. Default: no limit.
   */
  poolMaxSize?: number
}
/**
 * TCP keepalive probes.
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
   * Number of unanswered probes after which the connection is closed.
   */
  retries?: number
}
/**
 * Traces of requests for an OpenTelemetry collector.
 */
export interface ProcessTracing {
  /**
   * Address of the collector, such as `http://localhost:4317`. Overridden by the environment variables OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT.
   */
  otlpEndpoint?: string
  /**
   * Protocol of the collector. `http` sends protobuf. Overridden by the environment variable OTLP_PROTOCOL.
   */
  otlpProtocol?: 'grpc' | 'http'
  /**
   * Path of requests over HTTP.
   */
  path?: string
  /**
   * Header fields of requests to the collector; metadata over gRPC. Overridden by the environment variable OTLP_HEADERS.
   */
  headers?: {
    /**
     * Value.
     */
    [k: string]: string
  }
  /**
   * Changes to the attributes of the server span.
   */
  fields?: {
    /**
     * Attributes to add or replace.
     */
    add?: {
      /**
       * Expression that returns the value.
       */
      [k: string]: string
    }
    /**
     * Attributes to remove.
     *
     * Items: Attribute name.
     */
    remove?: string[]
  }
  /**
   * Which requests without trace context are traced: a share from 0 to 1, a boolean, or an expression that gives one of them. Default: none, or as the variable OTEL_TRACES_SAMPLER says.
   */
  randomSampling?: string | number | boolean
  /**
   * The same for requests whose client sent a valid `traceparent`. Default: all, or as the variable OTEL_TRACES_SAMPLER says.
   */
  clientSampling?: string | number | boolean
}
/**
 * Prices of language models. `providers` maps provider names as in telemetry (`openai`, `anthropic`, `gcp.gemini`) to `models`, each with `rates`, `tiers` and `tags`. Rates are US dollars per million tokens, as decimal strings: `input`, `output`, `cacheRead`, `cacheWrite`, `reasoning`, `inputAudio`, `outputAudio`. The `rates` of a tier apply to prompts of more than `contextOver` tokens.
 */
export interface ModelCatalogSource {
  /**
   * Catalog file, JSON or YAML.
   */
  file?: string
  /**
   * Catalog as a string or an object.
   */
  inline?: string | {}
}
/**
 * A listening port and its protocol, policies and listeners.
 */
export interface Gateway {
  /**
   * Port. `0` selects a free port.
   */
  port?: number
  /**
   * IP address to listen on, or `unix:/path`. Default: all addresses.
   */
  address?: string
  /**
   * Protocol. Default: HTTPS with `tls`, otherwise HTTP.
   */
  protocol?: 'HTTP' | 'HTTPS' | 'TCP' | 'TLS' | 'UDP'
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
   * Listeners that share the port. Protocol, TLS and policies are then set per listener.
   */
  listeners?: GatewayListener[]
}
/**
 * TLS termination of a listener.
 */
export interface ServerTls {
  /**
   * Source of server certificates. `static`: `cert` is the server certificate. `dynamicCa`: `cert` is a certificate authority that issues a certificate for each requested server name (see `DYNAMIC_CA_CERT_CACHE_TTL`, `DYNAMIC_CA_CERT_CACHE_CAPACITY`).
   */
  mode?: 'static' | 'dynamicCa'
  /**
   * File with the certificate chain (PEM). Reloaded when it changes.
   */
  cert?: string
  /**
   * File with the private key (PEM). Reloaded when it changes.
   */
  key?: string
  /**
   * File with trusted certificate authorities (PEM) for client certificates. If set, clients must present a certificate.
   */
  root?: string
  /**
   * The certificate chain itself (PEM), instead of the file `cert`.
   */
  certPem?: string
  /**
   * The private key itself (PEM), instead of the file `key`.
   */
  keyPem?: string
  /**
   * Trusted certificate authorities for client certificates (PEM), instead of the file `root`.
   */
  rootPem?: string
  /**
   * What happens without a verified client certificate, if there is a `root` or `rootPem`. `require`: the handshake fails. `allowInsecureFallback`: the client is let in, and is anonymous to policies.
   */
  clientCertificates?: 'require' | 'allowInsecureFallback'
  /**
   * Why this listener cannot terminate TLS, such as a missing Secret. Every handshake is refused; a certificate is not needed.
   */
  invalid?: string
  /**
   * Enabled cipher suites, in order of preference.
   *
   * Items: Cipher suite.
   */
  cipherSuites?: string[]
  /**
   * The lowest TLS version. Versions before 1.2 are refused as unsafe.
   */
  minTLSVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The lowest TLS version. Versions before 1.2 are refused as unsafe.
   */
  minTlsVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The highest TLS version. Versions before 1.2 are refused as unsafe.
   */
  maxTLSVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The highest TLS version. Versions before 1.2 are refused as unsafe.
   */
  maxTlsVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * Enabled key exchange groups, in order of preference.
   *
   * Items: Group.
   */
  keyExchangeGroups?: ('X25519' | 'P-256' | 'P-384' | 'X25519_MLKEM768')[]
}
/**
 * Cross-origin resource sharing: replies to preflight requests and adds CORS headers to responses. Requests without an `Origin` header are not affected.
 */
export interface Cors {
  /**
   * Allowed origins: `*`, exact origins, or origins with a wildcard host such as `https://*.example.com`.
   *
   * Items: Origin or pattern.
   */
  allowOrigins?: string[]
  /**
   * Allowed methods, or `*`.
   *
   * Items: Method.
   */
  allowMethods?: string[]
  /**
   * Allowed request headers, or `*`.
   *
   * Items: Header name.
   */
  allowHeaders?: string[]
  /**
   * Response headers that scripts may read.
   *
   * Items: Header name.
   */
  exposeHeaders?: string[]
  /**
   * Whether requests may include cookies and other credentials.
   */
  allowCredentials?: boolean
  /**
   * How long browsers may cache the reply to a preflight request.
   */
  maxAge?: string
}
/**
 * Alternatives. The first one whose condition is true applies.
 */
export interface TransformationsChoice {
  /**
   * Alternatives, evaluated in order.
   */
  conditional: TransformationsEntry[]
}
/**
 * One of the alternatives.
 */
export interface TransformationsEntry {
  /**
   * Expression that selects this alternative. Required for all but the last.
   */
  condition?: string
  request?: Transformation
  response?: Transformation
}
/**
 * Changes to a request or response, applied in the order metadata, replace, add, set, remove, body.
 */
export interface Transformation {
  /**
   * Values that later expressions read as `metadata.name`.
   */
  metadata?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Expression that returns a map that replaces all headers.
   */
  replace?: string
  /**
   * Headers to add; existing values are kept.
   */
  add?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Headers to set; existing values are replaced. A header whose expression fails is removed.
   */
  set?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Headers to remove.
   *
   * Items: Header name.
   */
  remove?: string[]
  /**
   * Expression that returns the body.
   */
  body?: string
}
/**
 * Modifies requests and responses by expressions.
 */
export interface Transformations {
  request?: Transformation
  response?: Transformation
}
/**
 * Replies 403 `authorization failed` to requests that the rules do not allow. A rule that fails to evaluate denies the request. Rules of several levels are combined.
 */
export interface Authorization {
  /**
   * Authorization rules. Without rules all requests are allowed.
   */
  rules: AuthorizationRule[]
}
/**
 * Authenticates users by name and password (RFC 7617). Use TLS: every request contains the password.
 */
export interface BasicAuth {
  /**
   * Users, in the format of `htpasswd`.
   */
  htpasswd:
    | string
    | {
        /**
         * Path of the file. Reloaded when it changes.
         */
        file: string
      }
  /**
   * Realm in `WWW-Authenticate`, displayed by browsers.
   */
  realm?: string
  /**
   * `strict`: requests without credentials are refused. `optional`: they pass unauthenticated. Wrong credentials are always refused.
   */
  mode?: 'strict' | 'optional'
  authorizationLocation?: CredentialLocation
}
/**
 * One location of a credential in requests; set exactly one kind. The credential is removed from the request after verification, except for `expression`.
 */
export interface OneCredentialLocation {
  /**
   * A request header.
   */
  header?: {
    /**
     * Header name.
     */
    name: string
    /**
     * Prefix that precedes the credential, such as `Bearer `. Case-insensitive.
     */
    prefix?: string
  }
  /**
   * A query parameter.
   */
  queryParameter?: {
    /**
     * Parameter name.
     */
    name: string
  }
  /**
   * A cookie.
   */
  cookie?: {
    /**
     * Cookie name.
     */
    name: string
  }
  /**
   * Expression that returns the credential. If it fails, the request has no credential.
   */
  expression?: string
}
/**
 * Authenticates callers by API key.
 */
export interface ApiKeys {
  /**
   * Accepted keys.
   */
  keys: ApiKey[]
  /**
   * `strict`: requests without a key or with an unknown key are refused. `optional`: requests without a key pass unauthenticated, unknown keys are refused. `permissive`: both pass unauthenticated.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  location?: CredentialLocation
}
/**
 * An API key.
 */
export interface ApiKey {
  /**
   * The key in plain text.
   */
  key?: string
  /**
   * SHA-256 of the key as `sha256:` and 64 hexadecimal digits, to keep the key out of the file.
   */
  keyHash?: string
  /**
   * Attributes of the caller, available to expressions as `apiKey.…`. `apiKey.key` is the key itself.
   */
  metadata?: {}
  /**
   * Language models that callers with this key can use: names, optionally with `*` at the start or the end, or `*` for all. Default: all models. An empty list allows none.
   *
   * Items: Model name or pattern.
   */
  allowedModels?: string[]
}
/**
 * Verifies JSON Web Tokens of several issuers.
 */
export interface JwtAuthSeveral {
  /**
   * Trusted issuers.
   */
  providers: JwtProvider[]
  /**
   * `strict`: requests without a valid token are refused. `optional`: requests without a token pass unauthenticated, invalid tokens are refused. `permissive`: requests without a valid token pass unauthenticated.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  location?: CredentialLocation
}
/**
 * A trusted issuer.
 */
export interface JwtProvider {
  /**
   * Issuer of the tokens; must equal the `iss` claim exactly.
   */
  issuer: string
  /**
   * Accepted audiences; `aud` must contain one of them. Default: any audience.
   *
   * Items: Audience.
   */
  audiences?: string[]
  jwks: Jwks
  jwtValidationOptions?: JwtValidationOptions
}
/**
 * Further requirements for tokens.
 */
export interface JwtValidationOptions {
  /**
   * Claims that tokens must have. `exp`, `nbf`, `iss` and `aud` are validated whenever present. Default: `exp`.
   *
   * Items: Claim name.
   */
  requiredClaims?: string[]
}
/**
 * Verifies JSON Web Tokens of one issuer.
 */
export interface JwtAuthSingle {
  /**
   * Issuer of the tokens; must equal the `iss` claim exactly.
   */
  issuer: string
  /**
   * Accepted audiences; `aud` must contain one of them. Default: any audience.
   *
   * Items: Audience.
   */
  audiences?: string[]
  jwks: Jwks
  jwtValidationOptions?: JwtValidationOptions
  /**
   * `strict`: requests without a valid token are refused. `optional`: requests without a token pass unauthenticated, invalid tokens are refused. `permissive`: requests without a valid token pass unauthenticated.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  location?: CredentialLocation
}
/**
 * Alternatives. The first one whose condition is true applies.
 */
export interface ExtAuthzChoice {
  /**
   * Alternatives, evaluated in order.
   */
  conditional: ExtAuthzEntry[]
}
/**
 * One of the alternatives.
 */
export interface ExtAuthzEntry {
  /**
   * Expression that selects this alternative. Required for all but the last.
   */
  condition?: string
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Protocol of the service. Default: `grpc`.
   */
  protocol?: {
    grpc?: ExtAuthzGrpc
    http?: ExtAuthzHttp
  }
  /**
   * What happens to requests if the service fails or times out.
   */
  failureMode?:
    | ('deny' | 'allow')
    | {
        /**
         * Status code.
         */
        denyWithStatus: number
      }
  /**
   * Request headers sent to the service. Default: all over gRPC; `Authorization` over HTTP, where it is always sent. Over gRPC, `:method`, `:path`, `:authority` and `:scheme` are sent as headers. Over HTTP, the callout request always has method and path of the request, and with `:authority` its host.
   *
   * Items: Header or pseudo-header name.
   */
  includeRequestHeaders?: string[]
  /**
   * Sends the request body to the service. Default: no body.
   */
  includeRequestBody?: {
    /**
     * Maximum number of body bytes to send.
     */
    maxRequestBytes?: number
    /**
     * Whether a larger body is truncated. Otherwise the request is refused with 413.
     */
    allowPartialMessage?: boolean
    /**
     * Whether the body is sent as bytes instead of a string. gRPC only.
     */
    packAsBytes?: boolean
  }
  /**
   * Headers that the service may set: values from clients are removed from every allowed request. Over HTTP this includes `includeResponseHeaders`.
   *
   * Items: Header name.
   */
  resultHeaders?: string[]
  /**
   * Cache of decisions.
   */
  cache?: {
    /**
     * Expressions that form the cache key. If one fails, the service is called.
     *
     * Items: Part of the cache key.
     */
    key: string[]
    /**
     * Expression that returns the lifetime of a decision as a duration, or its expiry as a timestamp. Evaluated after the decision was applied; if it fails, the decision is not cached.
     */
    ttl: string
    /**
     * Maximum number of cached decisions.
     */
    maxEntries?: number
  }
}
/**
 * A port of a service in the section `services`.
 */
export interface ServiceReference {
  /**
   * Service, as `namespace/hostname` or as an object.
   */
  name:
    | string
    | {
        /**
         * Namespace.
         */
        namespace?: string
        /**
         * Host name.
         */
        hostname: string
      }
  /**
   * Service port.
   */
  port: number
}
/**
 * Policies for the requests of the gateway to the service of a policy.
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
 * Header changes, applied in the order add, set, remove.
 */
export interface HeaderModifier {
  /**
   * Headers to add; existing values are kept.
   */
  add?: {
    /**
     * Header value.
     */
    [k: string]: string
  }
  /**
   * Headers to set; existing values are replaced.
   */
  set?: {
    /**
     * Header value.
     */
    [k: string]: string
  }
  /**
   * Headers to remove.
   *
   * Items: Header name.
   */
  remove?: string[]
}
/**
 * TLS to a backend. `{}` enables TLS with verification against the public certificate authorities.
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
   * File with trusted certificate authorities (PEM) for the certificate of the backend.
   */
  root?: string
  /**
   * The client certificate chain itself (PEM), instead of the file `cert`.
   */
  certPem?: string
  /**
   * The private key itself (PEM), instead of the file `key`.
   */
  keyPem?: string
  /**
   * The trusted certificate authorities themselves (PEM), instead of the file `root`.
   */
  rootPem?: string
  /**
   * Why TLS to the backend is not possible, such as a missing certificate authority. Every connection fails.
   */
  invalid?: string
  /**
   * Server name for SNI and, without `subjectAltNames`, for certificate verification. Default: the host of the backend.
   */
  hostname?: string
  /**
   * Whether certificates are not verified at all.
   */
  insecure?: boolean
  /**
   * Whether the host name in the certificate is not verified.
   */
  insecureHost?: boolean
  /**
   * ALPN protocols to offer, in order of preference.
   *
   * Items: Protocol.
   */
  alpn?: string[]
  /**
   * Subject alternative names (DNS names, IP addresses, or URIs such as `spiffe://example.org/ns/default/sa/web`), one of which the certificate must contain. They replace the host name in verification.
   *
   * Items: Name.
   */
  subjectAltNames?: string[]
  /**
   * Enabled key exchange groups, in order of preference.
   *
   * Items: Group.
   */
  keyExchangeGroups?: ('X25519' | 'P-256' | 'P-384' | 'X25519_MLKEM768')[]
}
/**
 * HTTP settings of requests to the backend.
 */
export interface UpstreamHttp {
  /**
   * HTTP version. Default: negotiated with TLS, HTTP/2 for gRPC, otherwise HTTP/1.1.
   */
  version?: '1.1' | '2' | 1.1 | 2 | '2.0' | 'HTTP/1.1' | 'HTTP/2' | 'HTTP/2.0'
  /**
   * Timeout of one call. After it: 504 `upstream call timeout`. Default: none.
   */
  requestTimeout?: string
}
/**
 * TCP settings of connections to the backend.
 */
export interface UpstreamTcp {
  keepalives?: Keepalives
  /**
   * Timeout for establishing a connection.
   */
  connectTimeout?: string
}
/**
 * How the gateway authenticates to the backend: at most one method, and additional credentials.
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
   * Why there is no credential, such as a missing Secret. Every request to the backend fails.
   */
  invalid?: string
  /**
   * Additional credentials, with or without a method.
   */
  credentials?: BackendCredential[]
}
/**
 * Forwards the verified token of the client.
 */
export interface BackendPassthrough {
  location?: CredentialField
}
/**
 * Where the gateway puts a credential into requests; set exactly one kind.
 */
export interface CredentialField {
  /**
   * A request header.
   */
  header?: {
    /**
     * Header name.
     */
    name: string
    /**
     * Prefix that precedes the credential, such as `Bearer `. Case-insensitive.
     */
    prefix?: string
  }
  /**
   * A query parameter.
   */
  queryParameter?: {
    /**
     * Parameter name.
     */
    name: string
  }
  /**
   * A cookie.
   */
  cookie?: {
    /**
     * Cookie name.
     */
    name: string
  }
}
/**
 * A static key and its location.
 */
export interface BackendKeyFields {
  value?: SecretText
  /**
   * File that contains the key, as an alternative to `value`.
   */
  file?: string
  location?: CredentialField
}
/**
 * A JWT that the gateway signs.
 */
export interface BackendJwtSign {
  signingKey: SecretText
  /**
   * Signature algorithm.
   */
  alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384'
  /**
   * Key ID for the token header.
   */
  kid?: string
  /**
   * Claims to include. `iat` and `exp` are set for each token; they and `nbf` cannot be configured.
   */
  claims?: {
    [k: string]: unknown
  }
  /**
   * Lifetime of a token.
   */
  ttl?: string
  location?: CredentialField
}
/**
 * Exchanges the token of the client for another one (RFC 8693 or RFC 7523).
 */
export interface OauthTokenExchange {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Path and query of the token endpoint.
   */
  path?: string
  /**
   * Grant type. `tokenExchange` sends the token of the client as `subject_token`, `jwtBearer` as `assertion`.
   */
  grantType?: 'tokenExchange' | 'jwtBearer'
  subjectToken?: OauthSubjectToken
  actorToken?: OauthActorToken
  /**
   * Requested audiences, sent as one `audience` parameter each.
   *
   * Items: Value.
   */
  audiences?: string[]
  /**
   * Requested resources, sent as one `resource` parameter each (RFC 8707).
   *
   * Items: Value.
   */
  resources?: string[]
  /**
   * Requested scopes, sent as `scope`.
   *
   * Items: Value.
   */
  scopes?: string[]
  /**
   * Requested token type URI.
   */
  requestedTokenType?: string
  clientAuth?: OauthClientAuth
  /**
   * Additional parameters of the token request.
   */
  additionalParams?: {
    /**
     * Expression that returns the value, a string. If it does not, the client gets 400.
     */
    [k: string]: string
  }
  authorizationLocation?: CredentialField
  cache?: OauthTokenMemory
}
/**
 * Token that is exchanged. It is not forwarded to the backend.
 */
export interface OauthSubjectToken {
  source?: CredentialLocation
  /**
   * Token type URI (RFC 8693).
   */
  tokenType?: string
}
/**
 * Token of the actor, which acts on behalf of the subject.
 */
export interface OauthActorToken {
  source: CredentialLocation
  /**
   * Token type URI (RFC 8693).
   */
  tokenType?: string
  /**
   * Whether the `may_act` claim of the subject token must name this actor. Requires the tokenType `urn:ietf:params:oauth:token-type:jwt`.
   */
  enforceMayAct?: boolean
}
/**
 * How the gateway authenticates to a token endpoint.
 */
export interface OauthClientAuth {
  /**
   * Client ID.
   */
  clientId: string
  /**
   * Authentication method. `clientSecretBasic` and `privateKeyJwt` require the secret or key; with `clientSecretPost` the secret is optional, for public clients.
   */
  method?: 'clientSecretBasic' | 'clientSecretPost' | 'privateKeyJwt'
  clientSecret?: SecretText
  signingKey?: SecretText
  /**
   * Signature algorithm.
   */
  alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384'
  /**
   * Key ID for the token header.
   */
  kid?: string
  /**
   * Audience of client assertions. For `privateKeyJwt`.
   */
  assertionAudience?: string
  certificate?: SecretText
  /**
   * Header parameter that carries the certificate in client assertions. For `certificate`.
   */
  certificateHeader?: 'x5c' | 'x5t#S256'
}
/**
 * Cache of tokens.
 */
export interface OauthTokenMemory {
  /**
   * Maximum number of cached tokens. `0` disables the cache.
   */
  maxEntries?: number
  /**
   * Lifetime of tokens whose response has no `expires_in`.
   */
  defaultTtl?: string
}
/**
 * Obtains a token of another authorization server that trusts the identity provider of the client (ID-JAG).
 */
export interface OauthCrossAppAccess {
  identityProvider: OauthEndpoint
  resourceAuthorizationServer: OauthEndpoint
  /**
   * Audience of the assertion: identifier of the resource authorization server at the identity provider.
   */
  audience: string
  /**
   * Requested resources of the assertion, sent as one `resource` parameter each.
   *
   * Items: Value.
   */
  resources?: string[]
  /**
   * Requested scopes of the assertion, sent as `scope`.
   *
   * Items: Value.
   */
  scopes?: string[]
  /**
   * Requested scopes of the access token. Default: those of `scopes`. An empty list sends no scope.
   *
   * Items: Value.
   */
  accessTokenScopes?: string[]
  /**
   * Token of the client. It is not forwarded to the backend.
   */
  subjectToken?: {
    source?: CredentialLocation
    /**
     * Token type URI (RFC 8693).
     */
    tokenType?: string
  }
  cache?: OauthTokenMemory
}
/**
 * Token endpoint of an authorization server.
 */
export interface OauthEndpoint {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Path and query of the token endpoint.
   */
  path?: string
  clientAuth: OauthClientAuth
}
/**
 * Token for the gateway itself, obtained with the `client_credentials` grant. It is renewed before it expires, and once when the backend responds 401 `invalid_token`.
 */
export interface OauthClientCredentials {
  /**
   * URL of the token endpoint. Replaces `host`, `path` and `policies.backendTLS`.
   */
  url?: string
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Path and query of the token endpoint.
   */
  path?: string
  clientAuth: OauthClientAuth
  /**
   * Requested audiences, sent as one `audience` parameter each.
   *
   * Items: Value.
   */
  audiences?: string[]
  /**
   * Requested resources, sent as one `resource` parameter each (RFC 8707).
   *
   * Items: Value.
   */
  resources?: string[]
  /**
   * Requested scopes, sent as `scope`.
   *
   * Items: Value.
   */
  scopes?: string[]
  /**
   * Encoding of the token request: form as in RFC 6749, or JSON.
   */
  requestFormat?: 'form' | 'json'
  /**
   * Additional parameters of the token request.
   */
  additionalParams?: {
    /**
     * Value.
     */
    [k: string]: string
  }
  location?: CredentialField
  /**
   * Lifetime of tokens whose response has no `expires_in`.
   */
  defaultTtl?: string
}
/**
 * A Google Cloud token, sent as `Authorization: Bearer`.
 */
export interface GcpAuth {
  /**
   * Token type.
   */
  type?: 'idToken' | 'accessToken'
  /**
   * Audience of ID tokens. Default: `https://` and the host name of the backend.
   */
  audience?: string
  credential?: SecretText
}
/**
 * Signs requests with AWS Signature Version 4, with the configured keys or credentials found in the environment. Bodies are buffered for signing up to `maxBufferSize`; bodies to S3 are streamed and not signed.
 */
export interface AwsAuth {
  accessKeyId?: SecretText
  secretAccessKey?: SecretText
  sessionToken?: SecretText
  /**
   * Region. Default: from the host name, else `AWS_REGION`.
   */
  region?: string
  /**
   * Service name, such as `execute-api`. Default: from the host name.
   */
  serviceName?: string
  assumeRole?: AwsRole
}
/**
 * Role to assume before signing.
 */
export interface AwsRole {
  /**
   * ARN of the role.
   */
  roleArn: string
  /**
   * Session name. Default: a random name.
   */
  sessionName?:
    | string
    | {
        /**
         * Expression that returns the name.
         */
        expression: string
      }
  /**
   * Session tags.
   *
   * Items: A session tag.
   */
  tags?: {
    /**
     * Tag key.
     */
    key: string
    /**
     * Tag value.
     */
    value?: string
    /**
     * Expression that returns the tag value.
     */
    expression?: string
  }[]
}
/**
 * A Microsoft Entra ID token, sent as `Authorization: Bearer`.
 */
export interface AzureAuth {
  /**
   * Credential source; set exactly one field.
   */
  explicitConfig?: {
    /**
     * Application with a client secret.
     */
    clientSecret?: {
      /**
       * Tenant ID.
       */
      tenant_id: string
      /**
       * Client ID of the application.
       */
      client_id: string
      /**
       * Client secret.
       */
      client_secret: string
    }
    /**
     * Managed identity of the machine.
     */
    managedIdentity?: {
      userAssignedIdentity?: AzureIdentity
    }
    /**
     * Identity of a Kubernetes workload.
     */
    workloadIdentity?: {}
  }
  /**
   * Login of the Azure developer tools. For development machines.
   */
  developerImplicit?: {}
  /**
   * First available credential: environment variables, workload identity, managed identity, developer tools.
   */
  implicit?: {}
}
/**
 * A user-assigned managed identity; set exactly one field.
 */
export interface AzureIdentity {
  /**
   * Client ID.
   */
  clientId?: string
  /**
   * Object ID.
   */
  objectId?: string
  /**
   * Resource ID.
   */
  resourceId?: string
}
/**
 * An additional credential.
 */
export interface BackendCredential {
  location: CredentialField
  key: SecretText
}
/**
 * Connects to the backend through an HTTP proxy: with `CONNECT` for TLS, TCP, HTTP/2 and upgrades, with absolute-form requests for plain HTTP. The proxy resolves the host name of the backend.
 */
export interface BackendTunnel {
  proxy?: BackendReference
  /**
   * Why there is no proxy, such as a missing service. Every connection fails.
   */
  invalid?: string
  policies?: TunnelPolicies
}
/**
 * A destination; set exactly one field.
 */
export interface BackendReference {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
}
/**
 * Policies for connections to the proxy.
 */
export interface TunnelPolicies {
  backendTLS?: UpstreamTls
  backendAuth?: TunnelAuth
  tcp?: UpstreamTcp
}
/**
 * Credential sent to the proxy in `Proxy-Authorization`.
 */
export interface TunnelAuth {
  key: BackendKey
}
/**
 * Authorization by gRPC (`envoy.service.auth.v3.Authorization`).
 */
export interface ExtAuthzGrpc {
  /**
   * Values sent as `context_extensions`.
   */
  context?: {
    /**
     * Value.
     */
    [k: string]: string
  }
  /**
   * Metadata sent as `metadata_context`, by namespace. Default: the claims of a verified token, as `jwt_payload` in `envoy.filters.http.jwt_authn`.
   */
  metadata?: {
    /**
     * Expression that returns a map.
     */
    [k: string]: string
  }
}
/**
 * Authorization by HTTP status: 2xx allows the request; any other response is returned to the client.
 */
export interface ExtAuthzHttp {
  /**
   * Expression that returns path and query of the callout request. Default: those of the request.
   */
  path?: string
  /**
   * Expression that returns a URL to which the client is redirected on 401 and 403.
   */
  redirect?: string
  /**
   * Response headers of the service that are copied into the request. Values that the client sent under these names are removed.
   *
   * Items: Header name.
   */
  includeResponseHeaders?: string[]
  /**
   * Headers to set in the callout request. A header whose expression fails is omitted. `:method`, `:path` and `:authority` set its method, path and host; if one of these fails, the request is refused.
   */
  addRequestHeaders?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Values that later expressions read as `extauthz.name`.
   */
  metadata?: {
    /**
     * Expression that returns the value. `response` is the response of the service.
     */
    [k: string]: string
  }
  /**
   * Expression that returns the body of the callout request. Default: the body as configured by `includeRequestBody`.
   */
  body?: string
}
/**
 * External authorization: a service allows or denies each request.
 */
export interface ExtAuthz {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Protocol of the service. Default: `grpc`.
   */
  protocol?: {
    grpc?: ExtAuthzGrpc
    http?: ExtAuthzHttp
  }
  /**
   * What happens to requests if the service fails or times out.
   */
  failureMode?:
    | ('deny' | 'allow')
    | {
        /**
         * Status code.
         */
        denyWithStatus: number
      }
  /**
   * Request headers sent to the service. Default: all over gRPC; `Authorization` over HTTP, where it is always sent. Over gRPC, `:method`, `:path`, `:authority` and `:scheme` are sent as headers. Over HTTP, the callout request always has method and path of the request, and with `:authority` its host.
   *
   * Items: Header or pseudo-header name.
   */
  includeRequestHeaders?: string[]
  /**
   * Sends the request body to the service. Default: no body.
   */
  includeRequestBody?: {
    /**
     * Maximum number of body bytes to send.
     */
    maxRequestBytes?: number
    /**
     * Whether a larger body is truncated. Otherwise the request is refused with 413.
     */
    allowPartialMessage?: boolean
    /**
     * Whether the body is sent as bytes instead of a string. gRPC only.
     */
    packAsBytes?: boolean
  }
  /**
   * Headers that the service may set: values from clients are removed from every allowed request. Over HTTP this includes `includeResponseHeaders`.
   *
   * Items: Header name.
   */
  resultHeaders?: string[]
  /**
   * Cache of decisions.
   */
  cache?: {
    /**
     * Expressions that form the cache key. If one fails, the service is called.
     *
     * Items: Part of the cache key.
     */
    key: string[]
    /**
     * Expression that returns the lifetime of a decision as a duration, or its expiry as a timestamp. Evaluated after the decision was applied; if it fails, the decision is not cached.
     */
    ttl: string
    /**
     * Maximum number of cached decisions.
     */
    maxEntries?: number
  }
}
/**
 * OpenID Connect login: redirects unauthenticated browsers to the identity provider; expressions read the claims of authenticated users as `jwt.…`. State is kept in encrypted cookies, see `config.session.key`.
 */
export interface Oidc {
  /**
   * Issuer identifier of the provider; must equal the value in its metadata and tokens exactly.
   */
  issuer: string
  /**
   * Client ID.
   */
  clientId: string
  clientSecret: SecretText
  /**
   * Redirect URI of the gateway, as registered with the provider. Its path must belong to a route with this policy, unless the policy is set on the gateway.
   */
  redirectURI: string
  /**
   * Requested scopes, in addition to `openid`.
   *
   * Items: Scope.
   */
  scopes?: string[]
  /**
   * URL of the provider metadata. Default: `/.well-known/openid-configuration` under the issuer.
   */
  discovery?: string
  /**
   * Authorization endpoint. Together with `tokenEndpoint` and `jwks` it replaces discovery.
   */
  authorizationEndpoint?: string
  /**
   * Token endpoint.
   */
  tokenEndpoint?: string
  /**
   * Client authentication at the token endpoint: HTTP Basic, or in the body.
   */
  tokenEndpointAuth?: 'clientSecretBasic' | 'clientSecretPost'
  jwks?: Jwks
}
/**
 * Alternatives. The first one whose condition is true applies.
 */
export interface ExtProcChoice {
  /**
   * Alternatives, evaluated in order.
   */
  conditional: ExtProcEntry[]
}
/**
 * One of the alternatives.
 */
export interface ExtProcEntry {
  /**
   * Expression that selects this alternative. Required for all but the last.
   */
  condition?: string
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * What happens if the service fails. `failClosed`: the request fails with 500. `failOpen`: processing continues without the service, unless it already received a body.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * Metadata sent with every message as `metadata_context`, by namespace. Values of `agentgateway.dev.grpc_initial_metadata` are sent as initial metadata of the gRPC call instead.
   */
  metadataContext?: {
    /**
     * Values by name. A value whose expression fails is omitted.
     */
    [k: string]: {
      /**
       * Expression that returns the value.
       */
      [k: string]: string
    }
  }
  /**
   * Attributes sent with the first message of a request, under `envoy.filters.http.ext_proc`. An attribute whose expression fails is omitted.
   */
  requestAttributes?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Attributes sent with the first message of a response, under `envoy.filters.http.ext_proc`.
   */
  responseAttributes?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Parts of requests and responses that are sent to the service.
   */
  processingOptions?: {
    /**
     * How the body of a request is sent: not at all (`none`); buffered, up to `frontendPolicies.http.maxBufferSize` (`buffered`); buffered and truncated at that size (`bufferedPartial`); or streamed in both directions (`fullDuplexStreamed`).
     */
    requestBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * How the body of a response is sent: not at all (`none`); buffered, up to `frontendPolicies.http.maxBufferSize` (`buffered`); buffered and truncated at that size (`bufferedPartial`); or streamed in both directions (`fullDuplexStreamed`).
     */
    responseBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * Whether the headers of a request are sent.
     */
    requestHeaderMode?: 'send' | 'skip'
    /**
     * Whether the headers of a response are sent.
     */
    responseHeaderMode?: 'send' | 'skip'
    /**
     * Whether the trailers of a request are sent.
     */
    requestTrailerMode?: 'send' | 'skip'
    /**
     * Whether the trailers of a response are sent.
     */
    responseTrailerMode?: 'send' | 'skip'
    /**
     * Whether the service may change these modes for an exchange in its response to headers. A body that is streamed from the beginning stays streamed.
     */
    allowModeOverride?: boolean
  }
  /**
   * Request headers that the service sets: values from clients are sent to the service but not forwarded.
   *
   * Items: Header name.
   */
  resultHeaders?: string[]
}
/**
 * External processing: a service inspects and modifies requests and responses (`envoy.service.ext_proc.v3.ExternalProcessor`).
 */
export interface ExtProc {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * What happens if the service fails. `failClosed`: the request fails with 500. `failOpen`: processing continues without the service, unless it already received a body.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * Metadata sent with every message as `metadata_context`, by namespace. Values of `agentgateway.dev.grpc_initial_metadata` are sent as initial metadata of the gRPC call instead.
   */
  metadataContext?: {
    /**
     * Values by name. A value whose expression fails is omitted.
     */
    [k: string]: {
      /**
       * Expression that returns the value.
       */
      [k: string]: string
    }
  }
  /**
   * Attributes sent with the first message of a request, under `envoy.filters.http.ext_proc`. An attribute whose expression fails is omitted.
   */
  requestAttributes?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Attributes sent with the first message of a response, under `envoy.filters.http.ext_proc`.
   */
  responseAttributes?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Parts of requests and responses that are sent to the service.
   */
  processingOptions?: {
    /**
     * How the body of a request is sent: not at all (`none`); buffered, up to `frontendPolicies.http.maxBufferSize` (`buffered`); buffered and truncated at that size (`bufferedPartial`); or streamed in both directions (`fullDuplexStreamed`).
     */
    requestBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * How the body of a response is sent: not at all (`none`); buffered, up to `frontendPolicies.http.maxBufferSize` (`buffered`); buffered and truncated at that size (`bufferedPartial`); or streamed in both directions (`fullDuplexStreamed`).
     */
    responseBodyMode?: 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'
    /**
     * Whether the headers of a request are sent.
     */
    requestHeaderMode?: 'send' | 'skip'
    /**
     * Whether the headers of a response are sent.
     */
    responseHeaderMode?: 'send' | 'skip'
    /**
     * Whether the trailers of a request are sent.
     */
    requestTrailerMode?: 'send' | 'skip'
    /**
     * Whether the trailers of a response are sent.
     */
    responseTrailerMode?: 'send' | 'skip'
    /**
     * Whether the service may change these modes for an exchange in its response to headers. A body that is streamed from the beginning stays streamed.
     */
    allowModeOverride?: boolean
  }
  /**
   * Request headers that the service sets: values from clients are sent to the service but not forwarded.
   *
   * Items: Header name.
   */
  resultHeaders?: string[]
}
/**
 * A listener: host names of a gateway that share a certificate, policies and routes.
 */
export interface GatewayListener {
  /**
   * Name. Default: `listener` and its position in the list.
   */
  name?: string
  /**
   * Host name, as `name` or `*.suffix`. Default: all hosts.
   */
  hostname?: string
  /**
   * Protocol. Default: HTTPS with `tls`, otherwise HTTP.
   */
  protocol?: 'HTTP' | 'HTTPS' | 'TCP' | 'TLS' | 'UDP'
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
   * Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name, for entries that share a route name.
   */
  ruleName?: string
  precedence?: ResourcePrecedence
  /**
   * Kind of route, as policies name it in their target. A GRPCRoute is selected and served as an HTTPRoute.
   */
  kind?: 'HTTPRoute' | 'GRPCRoute'
  /**
   * Host names, as `name` or `*.suffix`. Default: all hosts of the listener.
   *
   * Items: Host name or pattern.
   */
  hostnames?: string[]
  /**
   * Requests that the route serves: those that match any entry. Default: all paths.
   */
  matches?: Match[]
  /**
   * Handling of `%2F`, `%5C` and `\` in paths: `refuse` replies 400 (`reject` is an alias), `keep` forwards them. The route itself is selected by the path as received. Default: `frontendPolicies.http.path.encodedSlashes`, or the value of the route that delegates to the group.
   */
  encodedSlashes?: 'refuse' | 'keep' | 'reject'
  policies?: RoutePolicies
  /**
   * Destinations, selected by weight.
   */
  backends?: RouteBackend[]
  /**
   * Gateways, as `gateway` or `gateway/listener`, that serve this route. Default: the gateway named `default`.
   */
  gateways?: string[] | string
}
/**
 * Age and name of the resource that an entry was made from. Among routes of equal specificity and policies of equal nearness, entries with a precedence are compared in the manner of the Gateway API, whatever their position in the list: the older resource precedes, then the first by namespace and name, then the lower number of rule and match. Entries without a precedence keep their order; routes without one come before those with one, and policies without one give way to them.
 */
export interface ResourcePrecedence {
  /**
   * Time when the resource was created, as in RFC 3339.
   */
  createdAt: string
  /**
   * Namespace of the resource.
   */
  namespace: string
  /**
   * Name of the resource.
   */
  name: string
  /**
   * Position of the rule in the resource.
   */
  rule?: number
  /**
   * Position of the match in the rule.
   */
  match?: number
}
/**
 * Conditions, all of which must match.
 */
export interface Match {
  path?: PathMatch
  /**
   * Request method, case-sensitive.
   */
  method?: string
  /**
   * Header conditions.
   *
   * Items: A header condition.
   */
  headers?: {
    /**
     * Header name, or a pseudo-header such as `:authority`.
     */
    name: string
    value: ValueMatch
  }[]
  /**
   * Query parameter conditions. If a parameter is repeated, its last value is used.
   *
   * Items: A query parameter condition.
   */
  query?: {
    /**
     * Parameter name.
     */
    name: string
    value: ValueMatch
  }[]
}
/**
 * Match on the request path; set exactly one field.
 */
export interface PathMatch {
  /**
   * Exact match.
   */
  exact?: string
  /**
   * Prefix match by path segments: `/a` matches `/a/b` but not `/ab`.
   */
  pathPrefix?: string
  /**
   * Regular expression that must match the whole path.
   */
  regex?: string
}
/**
 * Match on a value; set exactly one field.
 */
export interface ValueMatch {
  /**
   * Exact match.
   */
  exact?: string
  /**
   * Regular expression that must match the whole value.
   */
  regex?: string
}
/**
 * Policies for the requests and responses of a route.
 */
export interface RoutePolicies {
  requestHeaderModifier?: HeaderModifier
  responseHeaderModifier?: HeaderModifier
  requestRedirect?: Redirect
  urlRewrite?: Rewrite
  /**
   * Sends copies of requests to other backends.
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
  http?: UpstreamHttp
  tcp?: UpstreamTcp
}
/**
 * Replies with a redirect.
 */
export interface Redirect {
  /**
   * Scheme of the target. Default: that of the request.
   */
  scheme?: 'http' | 'https'
  authority?: AuthorityChange
  path?: PathChange
  /**
   * Port of the target, unless `authority` has one or the scheme changes: that which the client named, or that of the listener.
   */
  port?: 'request' | 'listener'
  /**
   * Status code.
   */
  status?: number
}
/**
 * Change of the path; set exactly one field. The query is kept.
 */
export interface PathChange {
  /**
   * Replaces the whole path.
   */
  full?: string
  /**
   * Replaces the prefix that the route matched.
   */
  prefix?: string
}
/**
 * Rewrites host and path of the request before it is forwarded.
 */
export interface Rewrite {
  authority?: AuthorityChange
  path?: PathChange
}
/**
 * Mirrors requests to another destination. Its responses are ignored. A request whose body is longer than `frontendPolicies.http.maxBufferSize`, or does not arrive whole within 30 seconds, is not mirrored. On a backend, the copy is made before the other policies of the backend change the request, and retries are not copied again.
 */
export interface Mirror {
  backend: BackendReference
  /**
   * Fraction of requests to mirror, from 0 to 1.
   */
  percentage?: number
}
/**
 * Alternatives. The first one whose condition is true applies.
 */
export interface DirectResponseChoice {
  /**
   * Alternatives, evaluated in order.
   */
  conditional: DirectResponseEntry[]
}
/**
 * One of the alternatives.
 */
export interface DirectResponseEntry {
  /**
   * Expression that selects this alternative. Required for all but the last.
   */
  condition?: string
  /**
   * Status code.
   */
  status: number
  /**
   * Body.
   */
  body?: string
  /**
   * Expression that returns the body.
   */
  bodyExpression?: string
  /**
   * Headers of the reply.
   */
  headers?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
}
/**
 * Replies directly, without a backend.
 */
export interface DirectResponse {
  /**
   * Status code.
   */
  status: number
  /**
   * Body.
   */
  body?: string
  /**
   * Expression that returns the body.
   */
  bodyExpression?: string
  /**
   * Headers of the reply.
   */
  headers?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
}
/**
 * Refuses cross-site requests with unsafe methods (CSRF protection).
 */
export interface Csrf {
  /**
   * Origins that may send such requests, in addition to the gateway's own.
   *
   * Items: Origin.
   */
  additionalOrigins?: string[]
}
/**
 * Alternatives. The first one whose condition is true applies.
 */
export interface LocalLimitChoice {
  /**
   * Alternatives, evaluated in order.
   */
  conditional: LocalLimitEntry[]
}
/**
 * One of the alternatives.
 */
export interface LocalLimitEntry {
  /**
   * Expression that selects this alternative. Required for all but the last.
   */
  condition?: string
  /**
   * Capacity of the bucket: the maximum burst.
   */
  maxTokens?: number
  /**
   * Tokens added after each interval.
   */
  tokensPerFill?: number
  /**
   * Interval between refills.
   */
  fillInterval: string
  /**
   * What the bucket counts: requests, or tokens of language models as reported by their providers. The tokens of a response are deducted when the usage is known, so the bucket can become negative; requests are refused until it is positive again.
   */
  type?: 'requests' | 'tokens'
  /**
   * Scope of the bucket: `local` is this process. `global` is not supported; use `remoteRateLimit`.
   */
  scope?: 'local' | 'global'
}
/**
 * A token bucket, full at start. Buckets are local to the process: two processes with the same configuration allow twice the rate.
 */
export interface LocalLimit {
  /**
   * Capacity of the bucket: the maximum burst.
   */
  maxTokens?: number
  /**
   * Tokens added after each interval.
   */
  tokensPerFill?: number
  /**
   * Interval between refills.
   */
  fillInterval: string
  /**
   * What the bucket counts: requests, or tokens of language models as reported by their providers. The tokens of a response are deducted when the usage is known, so the bucket can become negative; requests are refused until it is positive again.
   */
  type?: 'requests' | 'tokens'
  /**
   * Scope of the bucket: `local` is this process. `global` is not supported; use `remoteRateLimit`.
   */
  scope?: 'local' | 'global'
}
/**
 * MCP authorization: requires bearer tokens and publishes the protected resource metadata that tells clients where to get them.
 */
export interface McpAuthentication {
  /**
   * Issuer of the tokens; must equal the `iss` claim exactly.
   */
  issuer: string
  /**
   * Accepted audiences; `aud` must contain one of them. Default: `resourceMetadata.resource`; without that, any audience.
   *
   * Items: Audience.
   */
  audiences?: string[]
  jwks?: Jwks
  jwtValidationOptions?: JwtValidationOptions
  /**
   * `strict`: requests without a valid token are refused. `optional`: requests without a token pass unauthenticated, invalid tokens are refused. `permissive`: requests without a valid token pass unauthenticated.
   */
  mode?: 'strict' | 'optional' | 'permissive'
  authorizationLocation?: CredentialLocation
  /**
   * Provider-specific behaviour of the issuer; set one field.
   */
  provider?: {
    /**
     * Auth0: adds the audience to the authorization requests of clients.
     */
    auth0?: {}
    /**
     * Keycloak: proxies client registration.
     */
    keycloak?: {}
    /**
     * Okta: adds the audience to the authorization requests of clients and proxies client registration.
     */
    okta?: {}
    /**
     * Descope: proxies client registration.
     */
    descope?: {}
    /**
     * Authentik: registers every client as `clientId`.
     */
    authentik?: {}
    /**
     * Microsoft Entra: proxies authorization and token requests and registers every client as `clientId`.
     */
    entra?: {}
  }
  resourceMetadata: McpResourceMetadata
  /**
   * Client ID returned to every client that registers, for providers without client registration.
   */
  clientId?: string
  clientSecret?: SecretText
}
/**
 * Protected resource metadata (RFC 9728). Any other field is allowed too, in camelCase or in the spelling of the document.
 */
export interface McpResourceMetadata {
  /**
   * Resource identifier: the URL that clients use. Default: the URL of the request.
   */
  resource?: string
  /**
   * Supported scopes.
   *
   * Items: Scope.
   */
  scopesSupported?: string[]
  /**
   * Supported methods of sending tokens.
   *
   * Items: Method.
   */
  bearerMethodsSupported?: ('header' | 'body' | 'query')[]
  [k: string]: unknown
}
/**
 * Hides tools, prompts, resources and tasks of MCP servers that the caller is not allowed to use: they are omitted from lists and reported as unknown in calls. Rules read `mcp`, where names are those of the server without prefix; list entries have no call arguments. A rule that reads `mcp.tool`, `mcp.prompt`, `mcp.resource` or `mcp.task` applies to items of that kind only; `has(mcp.tool)` alone applies to all. Rules of several levels are combined.
 */
export interface McpAuthorization {
  /**
   * Authorization rules. Without rules everything is allowed.
   */
  rules: AuthorizationRule[]
}
/**
 * Services that inspect, modify or reject MCP requests and results.
 */
export interface McpGuardrails {
  /**
   * Services, called in order. Each one receives the message as modified by the previous one; after a rejection no further service is called.
   */
  processors: McpProcessor[]
}
/**
 * A service that inspects MCP messages over gRPC (`agentgateway.dev.ext_mcp.ExtMcp`).
 */
export interface McpProcessor {
  /**
   * Kind of processor: a remote service.
   */
  kind: 'remote'
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * What happens if the service fails. `failClosed`: the request gets an error. `failOpen`: processing continues without the service.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * Messages that are sent to the service, by method. A method pattern may have `*` at its start or end, or be `*`. An exact method has precedence over a prefix, a prefix over a suffix, a longer pattern over a shorter one. Other methods are not sent.
   */
  methods?: {
    /**
     * `request`, `response`, both (`full`), or none (`off`).
     */
    [k: string]: 'off' | 'request' | 'response' | 'full'
  }
  /**
   * Metadata sent with every message as `metadata_context`. A value whose expression fails is omitted.
   */
  metadata?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Request headers sent to the service.
   */
  requestHeaders?: {
    /**
     * Headers to send. Default: all, with `:method`, `:scheme`, `:authority` and `:path`.
     *
     * Items: Header name.
     */
    allowed?: string[]
    /**
     * Headers not to send. Takes precedence over `allowed`.
     *
     * Items: Header name.
     */
    disallowed?: string[]
  }
}
/**
 * Alternatives. The first one whose condition is true applies.
 */
export interface RemoteRateLimitChoice {
  /**
   * Alternatives, evaluated in order.
   */
  conditional: RemoteRateLimitEntry[]
}
/**
 * One of the alternatives.
 */
export interface RemoteRateLimitEntry {
  /**
   * Expression that selects this alternative. Required for all but the last.
   */
  condition?: string
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Domain: the namespace of the counters in the service.
   */
  domain: string
  /**
   * Descriptors.
   */
  descriptors: RateLimitDescriptor[]
  /**
   * What happens if the service fails. `failClosed`: 500 `rate limit failed`. `failOpen`: requests pass uncounted.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * A descriptor. Requests with the same entry values share a counter.
 */
export interface RateLimitDescriptor {
  /**
   * Entries, in order.
   */
  entries: RateLimitEntry[]
  /**
   * What is counted: requests, or tokens of language models, reported when the usage is known.
   */
  type?: 'requests' | 'tokens'
  /**
   * Expression that returns the cost of a request. Default, and if it fails: 1, or the tokens used. For `tokens` it is evaluated after the response and can read the usage from `llm`.
   */
  cost?: string
  /**
   * Expression that overrides the limit of the service, as a map of `unit` (`second` to `year`) and `requestsPerUnit`.
   */
  limitOverride?: string
}
/**
 * An entry of a descriptor.
 */
export interface RateLimitEntry {
  /**
   * Key of the entry.
   */
  key: string
  /**
   * Expression that returns the value. If it fails, the descriptor is omitted.
   */
  value: string
}
/**
 * Rate limit shared by all gateways that use the same service (`envoy.service.ratelimit.v3.RateLimitService`).
 */
export interface RemoteRateLimit {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Domain: the namespace of the counters in the service.
   */
  domain: string
  /**
   * Descriptors.
   */
  descriptors: RateLimitDescriptor[]
  /**
   * What happens if the service fails. `failClosed`: 500 `rate limit failed`. `failOpen`: requests pass uncounted.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * Buffers bodies until they are complete.
 */
export interface Buffer {
  request?: BufferSide
  response?: BufferSide
}
/**
 * Buffering of one body.
 */
export interface BufferSide {
  /**
   * Maximum body size, in bytes. Default: `maxBufferSize` of the frontend policy `http`.
   */
  maxBytes?: number
  /**
   * What happens to larger bodies. `failClosed`: 413 for requests, 502 for responses. `failOpen`: they are streamed unbuffered.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * Timeouts of an exchange.
 */
export interface Timeout {
  /**
   * Timeout of the whole exchange including bodies. After it: 504 `request timeout`. Default: none.
   */
  requestTimeout?: string
  /**
   * Timeout of one attempt until the response headers arrive. After it: 504 `upstream call timeout`. Default: none.
   */
  backendRequestTimeout?: string
}
/**
 * Retries requests that failed or got one of the listed status codes.
 */
export interface Retry {
  /**
   * Maximum number of retries after the first attempt.
   */
  attempts?: number
  /**
   * Status codes that are retried.
   *
   * Items: Status code.
   */
  codes: number[]
  /**
   * Delay between attempts. Default: none.
   */
  backoff?: string
  /**
   * Condition on the request. If false, the request is not retried.
   */
  precondition?: string
  /**
   * Condition on the response. If true, the request is retried regardless of `codes`.
   */
  condition?: string
}
/**
 * Delays requests.
 */
export interface Delay {
  /**
   * Delay, or an expression that returns a duration or a number of milliseconds.
   */
  duration: string
}
/**
 * Proxies an A2A agent: rewrites the address in the agent card to the gateway, records A2A methods and outcomes in logs, and formats local replies as JSON-RPC errors.
 */
export interface A2A {}
/**
 * How requests to language models are parsed and modified.
 */
export interface AiPolicy {
  /**
   * Request formats by path suffix. The longest matching suffix applies; `*` matches every path. Default: all requests are `completions`.
   */
  routes?: {
    /**
     * Request format.
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
   * Body fields to set if absent.
   */
  defaults?: {
    [k: string]: unknown
  }
  /**
   * Body fields to set, replacing existing values.
   */
  overrides?: {
    [k: string]: unknown
  }
  /**
   * Body fields to set by expression. A field whose expression fails or returns null is removed.
   */
  transformations?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Body fields to set by expression after the conversion to the format of the provider.
   */
  finalTransformations?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Model aliases. A name may have `*` at its start or end.
   */
  modelAliases?: {
    /**
     * Target model.
     */
    [k: string]: string
  }
  /**
   * Messages to add to those of the client.
   */
  prompts?: {
    /**
     * Messages to add before.
     */
    prepend?: AiMessage[]
    /**
     * Messages to add after.
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
   * Role, such as `system` or `user`.
   */
  role: string
  /**
   * Text of the message.
   */
  content: string
}
/**
 * Adds prompt cache markers, for providers that need them (Anthropic, Bedrock).
 */
export interface LlmPromptCaching {
  /**
   * Whether the system prompt is marked.
   */
  cacheSystem?: boolean
  /**
   * Whether messages are marked.
   */
  cacheMessages?: boolean
  /**
   * Whether tools are marked.
   */
  cacheTools?: boolean
  /**
   * Minimum prompt size, in estimated tokens. Shorter prompts are not marked.
   */
  minTokens?: number
  /**
   * Number of messages by which the marker is moved back from the second-to-last message, at most to the first one.
   */
  cacheMessageOffset?: number
}
/**
 * Guardrails for requests to models and for their responses.
 */
export interface LlmGuards {
  /**
   * Guards for requests, evaluated in order until one rejects.
   */
  request?: LlmRequestGuard[]
  /**
   * Guards for responses.
   */
  response?: LlmResponseGuard[]
  streaming?: LlmGuardStreaming
}
/**
 * A guard for requests; set exactly one kind.
 */
export interface LlmRequestGuard {
  regex?: LlmRegexGuard
  webhook?: LlmWebhookGuard
  bedrockGuardrails?: LlmBedrockGuardrails
  googleModelArmor?: LlmModelArmor
  /**
   * Marks a guard that cannot be used, with the reason. It fails closed: 503.
   */
  invalid?: string
  azureContentSafety?: LlmContentSafety
  openAIModeration?: LlmModeration
  rejection?: LlmGuardRejection
  /**
   * Parts of a request that are checked. Default: all. Only `regex` and `bedrockGuardrails` can be limited to tools.
   *
   * Items: Kind of text.
   */
  scope?: ('systemPrompt' | 'messages' | 'toolOutput' | 'toolInput')[]
}
/**
 * Regular expressions, evaluated in this process.
 */
export interface LlmRegexGuard {
  /**
   * `mask` replaces a match with its name in angle brackets. `reject` rejects the request or response.
   */
  action?: 'mask' | 'reject'
  /**
   * Patterns, applied in order; each sees the text as the previous one left it.
   */
  rules: LlmRegexRule[]
}
/**
 * A pattern to search for; set exactly one of `builtin` and `pattern`.
 */
export interface LlmRegexRule {
  /**
   * Built-in pattern.
   */
  builtin?: 'ssn' | 'creditCard' | 'phoneNumber' | 'email' | 'caSin'
  /**
   * Regular expression (RE2 syntax), matched anywhere in the text.
   */
  pattern?: string
  /**
   * Whether only numbers with a valid Luhn check digit match. For `creditCard`.
   */
  luhn?: boolean
}
/**
 * Guardrail webhook: calls a service with `POST /request` and `POST /response`.
 */
export interface LlmWebhookGuard {
  target: BackendReference
  policies?: SimpleBackendPolicies
  /**
   * Headers of the callout request, as expressions over the client request. `:path`, `:method` and `:authority` set its path, method and host. A header whose expression fails is omitted.
   */
  headers?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Headers to forward to the service, from the client request and from the response of the provider. Default: none.
   */
  forwardHeaderMatches?: LlmForwardedHeader[]
  /**
   * What happens if the service fails or its response is invalid. `failClosed`: 503. `failOpen`: processing continues unchecked.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * Timeout of a call.
   */
  timeout?: string
}
/**
 * A header to forward to the service.
 */
export interface LlmForwardedHeader {
  /**
   * Header name.
   */
  name: string
  value: ValueMatch
}
/**
 * Checks text with an Amazon Bedrock guardrail.
 */
export interface LlmBedrockGuardrails {
  /**
   * Identifier or ARN of the guardrail.
   */
  guardrailIdentifier: string
  /**
   * Version of the guardrail: a number, or `DRAFT`.
   */
  guardrailVersion: string | number
  /**
   * Region.
   */
  region: string
  /**
   * Address override, as `host:port` or URL. TLS is used for `https://` or with `policies.backendTLS`.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * Timeout of a call.
   */
  timeout?: string
}
/**
 * Checks text with Google Model Armor.
 */
export interface LlmModelArmor {
  /**
   * Template ID.
   */
  templateId: string
  /**
   * Project ID.
   */
  projectId: string
  /**
   * Location.
   */
  location?: string
  /**
   * Address override, as `host:port` or URL. TLS is used for `https://` or with `policies.backendTLS`.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * Timeout of a call.
   */
  timeout?: string
}
/**
 * Checks text with Azure AI Content Safety.
 */
export interface LlmContentSafety {
  /**
   * Endpoint of the resource: `name.cognitiveservices.azure.com`, optionally with `https://`.
   */
  endpoint: string
  analyzeText?: LlmAnalyzeText
  /**
   * Detects prompt attacks (jailbreaks).
   */
  detectJailbreak?: {
    /**
     * API version.
     */
    apiVersion?: string
  }
  /**
   * Address override, as `host:port` or URL. TLS is used for `https://` or with `policies.backendTLS`.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * Timeout of a call.
   */
  timeout?: string
}
/**
 * Detects hate, self-harm, sexual content, violence and blocklisted terms.
 */
export interface LlmAnalyzeText {
  /**
   * Minimum severity that is rejected.
   */
  severityThreshold?: number
  /**
   * API version.
   */
  apiVersion?: string
  /**
   * Blocklists whose terms are rejected.
   *
   * Items: Blocklist name.
   */
  blocklistNames?: string[]
  /**
   * Whether the analysis stops at the first blocklisted term.
   */
  haltOnBlocklistHit?: boolean
}
/**
 * Checks text with the OpenAI moderation API.
 */
export interface LlmModeration {
  /**
   * Moderation model.
   */
  model?: string
  /**
   * Address override, as `host:port` or URL. TLS is used for `https://` or with `policies.backendTLS`.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * Timeout of a call.
   */
  timeout?: string
}
/**
 * Reply for rejected requests and responses.
 */
export interface LlmGuardRejection {
  /**
   * Body.
   */
  body?: string
  /**
   * Status code.
   */
  status?: number
  headers?: HeaderModifier
}
/**
 * A guard for responses; set exactly one kind.
 */
export interface LlmResponseGuard {
  regex?: LlmRegexGuard
  webhook?: LlmWebhookGuard
  bedrockGuardrails?: LlmBedrockGuardrails
  googleModelArmor?: LlmModelArmor
  /**
   * Marks a guard that cannot be used, with the reason. It fails closed: 503.
   */
  invalid?: string
  azureContentSafety?: LlmAnswerSafety
  rejection?: LlmGuardRejection
}
/**
 * Checks text with Azure AI Content Safety.
 */
export interface LlmAnswerSafety {
  /**
   * Endpoint of the resource: `name.cognitiveservices.azure.com`, optionally with `https://`.
   */
  endpoint: string
  analyzeText?: LlmAnalyzeText
  /**
   * Address override, as `host:port` or URL. TLS is used for `https://` or with `policies.backendTLS`.
   */
  host?: string
  policies?: SimpleBackendPolicies
  /**
   * Timeout of a call.
   */
  timeout?: string
}
/**
 * Health of endpoints. On a route: the default for its backends.
 */
export interface BackendHealth {
  /**
   * Condition for a response to count as a failure. Default: status 5xx, no response, or a gRPC status other than 0.
   */
  unhealthyExpression?: string
  /**
   * Eviction of endpoints after failed calls.
   */
  eviction?: {
    /**
     * Base eviction time, multiplied by the number of consecutive evictions, up to 5 minutes. Default: the retry delay in the response, else 3s.
     */
    duration?: string
    /**
     * Health score after an eviction. Default: 1.
     */
    restoreHealth?: number
    /**
     * Consecutive failures that evict an endpoint. Default: 1, unless `healthThreshold` is set.
     */
    consecutiveFailures?: number
    /**
     * Health score below which an endpoint is evicted.
     */
    healthThreshold?: number
  }
  /**
   * Active health checks. Endpoints that fail them receive no requests. The first result takes effect at once; until then an endpoint is used.
   */
  active?: {
    /**
     * HTTP check: sends a GET request and evaluates the status code.
     */
    http?: {
      /**
       * Path, optionally with a query.
       */
      path?: string
      /**
       * Status codes that count as success.
       *
       * Items: Expected status: a code such as 204, a range such as 200-299, or a class such as 2xx.
       */
      expect?: (number | string)[]
      /**
       * `Host` header of the check. Default: the host of the backend.
       */
      host?: string
    }
    /**
     * gRPC check: calls `grpc.health.v1.Health/Check` over HTTP/2 and expects `SERVING`.
     */
    grpc?: {
      /**
       * Service name to check. Default: the whole server.
       */
      service?: string
      /**
       * `Host` header of the check. Default: the host of the backend.
       */
      host?: string
    }
    /**
     * TCP check: connects, with a TLS handshake if the backend uses TLS.
     */
    tcp?: {}
    /**
     * Time from the end of a check to the next one, with 10% jitter.
     */
    interval?: string
    /**
     * Timeout of a check.
     */
    timeout?: string
    /**
     * Consecutive successful checks before an endpoint is used again.
     */
    healthyThreshold?: number
    /**
     * Consecutive failed checks before an endpoint is no longer used.
     */
    unhealthyThreshold?: number
  }
  /**
   * Panic threshold: while less than this fraction of the endpoints, or of the backends of a route, is available, requests go to all of them. Default: only when none is available.
   */
  panicThreshold?: number
  /**
   * Slow start: the share of a new or returning endpoint rises from a tenth to its full share over this time. Default: full share at once.
   */
  slowStart?: string
}
/**
 * Load balancing policy; set exactly one field. On a backend: among its endpoints. On a route: among its backends, and among the endpoints of each backend without its own policy.
 */
export interface LoadBalancing {
  /**
   * Weighted round robin.
   */
  roundRobin?: {}
  /**
   * Fewest active requests in proportion to the weight.
   */
  leastRequest?: {}
  /**
   * Random, by weight.
   */
  random?: {}
  /**
   * Consistent hashing by a key: when an endpoint is removed, only its keys move. Requests without a key are balanced in the default way.
   */
  ringHash?: {
    /**
     * Expression that returns the key.
     */
    key: string
  }
}
/**
 * A destination of an HTTP route; set exactly one kind.
 */
export interface RouteBackend {
  /**
   * Relative share of requests. `0` receives none.
   */
  weight?: number
  /**
   * Priority; `0` is the highest. A backend is used only while no backend with a lower number is available.
   */
  priority?: number
  policies?: BackendPolicies
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  dynamic?: DynamicBackend
  /**
   * The [admin interface](admin.md#through-a-route) of this process, called without a network connection. `forward` uses path and query of the request; a fixed path, optionally with a query, is used for every request. Access control is up to the policies of the route.
   */
  internal?: string
  mcp?: McpBackend
  ai?: AiBackend
  aws?: AwsBackend
  /**
   * Group of the section `routeGroups` to which the request is delegated.
   */
  routeGroup?: string
  /**
   * Marks a broken reference. Requests get 500.
   */
  invalid?: null
}
/**
 * Policies for requests to a backend and its responses.
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
  /**
   * Sends copies of requests to other backends.
   */
  requestMirror?: Mirror[] | Mirror
  inferenceRouting?: InferenceRouting
  mcpAuthentication?: McpAuthentication
}
/**
 * Sends requests with the same key to the same endpoint of a service.
 */
export interface SessionAffinity {
  /**
   * Expression that returns the key.
   */
  source: string
}
/**
 * A service chooses the endpoint of each request to this backend. Backends without endpoints of their own (`dynamic`, `mcp`, `ai`, internal ones) reply 503; services of language model providers may have it.
 */
export interface InferenceRouting {
  endpointPicker: EndpointPicker
  /**
   * Which endpoints the picker may choose. `validated`: those of the backend, on any port of a service. `passthrough`: any IP address and port.
   */
  destinationMode?: 'validated' | 'passthrough'
  /**
   * What happens if the picker cannot be reached, or chooses nothing. `failClosed`: the request is refused with 503. `failOpen`: the gateway chooses an endpoint of the backend. A choice that is not valid is refused in both modes.
   */
  failureMode?: 'failClosed' | 'failOpen'
}
/**
 * An endpoint picker: a gRPC service that implements `envoy.service.ext_proc.v3.ExternalProcessor` and the endpoint picker protocol of the Gateway API inference extension.
 */
export interface EndpointPicker {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
}
/**
 * Connects to the host named in the request, if `allow` permits it.
 */
export interface DynamicBackend {
  /**
   * Expression that returns `host[:port]`. Default: the host of the request.
   */
  target?: string
  /**
   * Allowed destinations. By default none are.
   */
  allow?: {
    /**
     * Allowed host names, as `name`, `*.suffix` or `*`.
     *
     * Items: Host name or pattern.
     */
    hosts?: string[]
    /**
     * Allowed ports. Default: all ports.
     *
     * Items: A port.
     */
    ports?: number[]
    /**
     * Private, loopback and link-local address ranges to allow. By default all are refused.
     *
     * Items: CIDR range.
     */
    privateRanges?: string[]
  }
}
/**
 * MCP servers at one endpoint.
 */
export interface McpBackend {
  /**
   * MCP servers.
   */
  targets: McpTarget[]
  /**
   * `stateful`: each client session has its own sessions with the servers. `stateless`: every request is independent.
   */
  statefulMode?: 'stateful' | 'stateless'
  /**
   * Protocol revisions offered to clients, by date. Default: all. Does not limit the revisions used with servers.
   *
   * Items: Protocol revision.
   */
  protocolVersions?: ('2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28')[]
  /**
   * When names of tools and prompts are prefixed with the name of their server: with several servers (`conditional`), always, or never.
   */
  prefixMode?: 'conditional' | 'always' | 'never'
  /**
   * Maximum length of prefixed tool and prompt names; longer names are shortened. Set it below 64 for clients that add a prefix of their own.
   */
  maxNameLength?: number
  /**
   * What happens if a server fails. `failClosed`: the request fails. `failOpen`: the server is skipped.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * Timeout per server for lists and initialization; slower servers are omitted. Default: no limit besides that of the client.
   */
  partialAfter?: string
  /**
   * How long a connection stays open while its response is pending, for clients that can resume (sessions of revision 2025-11-25). Set it below the timeouts of intermediaries. Default: no limit.
   */
  hangUpAfter?: string
  /**
   * Whether `Host` and `Origin` must be `localhost`, `127.0.0.1` or `[::1]`. Default: true if the gateway listens on a loopback address.
   */
  dnsRebindingProtection?: boolean
}
/**
 * An MCP server; set exactly one kind.
 */
export interface McpTarget {
  /**
   * Name, used as prefix of its tools: lower-case letters, digits, `-` and `.`.
   */
  name: string
  policies?: McpTargetPolicies
  /**
   * How clients of revision 2026-07-28, which has no sessions, use a server that requires sessions. `sessionPerCaller`: one session per caller. `shared`: unauthenticated callers share one session. `off`: not at all, so that clients that support both begin a session.
   */
  legacy?: 'sessionPerCaller' | 'shared' | 'off'
  /**
   * Number of idle processes kept ready for unauthenticated clients of revision 2026-07-28, once the first such client has connected. For `stdio`.
   */
  minIdle?: number
  /**
   * An MCP server with the Streamable HTTP transport.
   */
  mcp?: {
    /**
     * URL of the server, such as `https://mcp.example.com/mcp`; or a host name, with `port` and `path`.
     */
    host?: string
    /**
     * Port, for `host` without a URL.
     */
    port?: number
    /**
     * Path. Default: the path of `host`, else `/mcp`.
     */
    path?: string
    /**
     * Backend of the section `backends`; `path` may be set in addition.
     */
    backend?: string
    service?: ServiceReference
  }
  /**
   * An MCP server with the deprecated HTTP+SSE transport.
   */
  sse?: {
    /**
     * URL of the server, such as `https://mcp.example.com/mcp`; or a host name, with `port` and `path`.
     */
    host?: string
    /**
     * Port, for `host` without a URL.
     */
    port?: number
    /**
     * Path. Default: the path of `host`, else `/sse`.
     */
    path?: string
    /**
     * Backend of the section `backends`; `path` may be set in addition.
     */
    backend?: string
    service?: ServiceReference
  }
  /**
   * An MCP server that runs as a child process.
   */
  stdio?: {
    /**
     * Command.
     */
    cmd: string
    /**
     * Arguments.
     *
     * Items: Argument.
     */
    args?: string[]
    /**
     * Environment variables to set.
     */
    env?: {
      /**
       * Value.
       */
      [k: string]: string
    }
    /**
     * Whether the process starts without the environment of the gateway.
     */
    clear_env?: boolean
  }
  /**
   * An HTTP API described by an OpenAPI document. Each operation becomes a tool.
   */
  openapi?: {
    /**
     * URL of the server, such as `https://mcp.example.com/mcp`; or a host name, with `port` and `path`.
     */
    host?: string
    /**
     * Port, for `host` without a URL.
     */
    port?: number
    /**
     * Path prefix for the paths of the document. Default: the path of its server URL.
     */
    path?: string
    /**
     * Backend of the section `backends`; `path` may be set in addition.
     */
    backend?: string
    service?: ServiceReference
    /**
     * OpenAPI document, JSON or YAML.
     */
    schema:
      | string
      | {
          /**
           * File with the document. Reloaded when it changes.
           */
          file?: string
          /**
           * URL of the document. Fetched at first use.
           */
          url?: string
          /**
           * Document as a string or an object.
           */
          inline?: string | {}
        }
  }
}
/**
 * Policies for requests to a server.
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
 * Provider groups in order of preference. A later group is used when the groups before it fail.
 */
export interface AiGroups {
  /**
   * Provider groups, in order of preference.
   *
   * Items: A group of providers that share the load.
   */
  groups: {
    /**
     * Providers.
     */
    providers: AiProvider[]
  }[]
}
/**
 * A language model provider.
 */
export interface AiProvider {
  /**
   * Name.
   */
  name: string
  provider: AiProviderKind
  /**
   * Host and port override. TLS is used only with `backendTLS`. Paths are those of the client unless `pathPrefix` is set.
   */
  hostOverride?: string
  service?: ServiceReference
  /**
   * Replaces the path of every request.
   */
  pathOverride?: string
  /**
   * Replaces the leading part of the provider's paths.
   */
  pathPrefix?: string
  /**
   * Whether request tokens are counted before the call.
   */
  tokenize?: boolean
  policies?: BackendPolicies
  /**
   * Timeout for the first token of a stream. After it, the next provider is tried if there is one.
   */
  firstTokenTimeout?: string
}
/**
 * Provider type; set exactly one field.
 */
export interface AiProviderKind {
  /**
   * OpenAI.
   */
  openAI?: {
    /**
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
    /**
     * Enables OpenAI moderation of prompts and outputs for conversations (`completions`, `responses`). Replaces the moderation settings of the client.
     */
    moderation?: {
      /**
       * Moderation model.
       */
      model?: string
      /**
       * Moderation policy.
       */
      policy?: {
        /**
         * Moderation of prompts.
         */
        input?: {
          /**
           * `score` only scores the content; `block` also refuses flagged content.
           */
          mode: 'score' | 'block'
        }
        /**
         * Moderation of outputs.
         */
        output?: {
          /**
           * `score` only scores the content; `block` also refuses flagged content.
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
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
  }
  /**
   * Google Gemini.
   */
  gemini?: {
    /**
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
  }
  /**
   * Google Vertex AI.
   */
  vertex?: {
    /**
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
    /**
     * Region. Default: `global`.
     */
    region?: string
    /**
     * Project ID.
     */
    projectId: string
  }
  /**
   * Amazon Bedrock.
   */
  bedrock?: {
    /**
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
    /**
     * Region.
     */
    region: string
    /**
     * Identifier of a Bedrock guardrail to apply.
     */
    guardrailIdentifier?: string
    /**
     * Version of the guardrail.
     */
    guardrailVersion?: string
  }
  /**
   * Azure OpenAI, or Azure AI Foundry.
   */
  azure?: {
    /**
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
    /**
     * Resource name.
     */
    resourceName: string
    /**
     * Resource type.
     */
    resourceType: 'openAI' | 'foundry' | 'aiServices'
    /**
     * API version: `v1`, `preview` or a date.
     */
    apiVersion?: string
    /**
     * Project name, for `foundry`. Default: the resource name.
     */
    projectName?: string
  }
  /**
   * GitHub Copilot.
   */
  copilot?: {
    /**
     * Model sent to the provider, replacing the model in the request.
     */
    model?: string
  }
  custom?: LlmCustomProvider
  mock?: LlmMockProvider
}
/**
 * A provider with a custom set of formats.
 */
export interface LlmCustomProvider {
  /**
   * Model sent to the provider, replacing the model in the request.
   */
  model?: string
  /**
   * Provider name in telemetry.
   */
  providerOverride?: string
  /**
   * Supported formats, in order of preference.
   */
  formats: LlmFormat[]
}
/**
 * An API format that a provider supports.
 */
export interface LlmFormat {
  /**
   * Format.
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
   * Path. Default: the usual path of the format.
   */
  path?: string
}
/**
 * Built-in mock provider that replies without a network, for experiments and tests.
 */
export interface LlmMockProvider {
  /**
   * Model name in responses, replacing the model in the request.
   */
  model?: string
  /**
   * Supported formats. Default: all.
   */
  formats?: LlmMockFormat[]
}
/**
 * An AWS service. By default its certificate must be publicly trusted and requests are signed with credentials found in the environment; `backendTLS` and `backendAuth` override this.
 */
export interface AwsBackend {
  agentCore: AwsAgentCore
}
/**
 * An Amazon Bedrock AgentCore runtime. Every request is sent to `/runtimes/{ARN}/invocations` in its region.
 */
export interface AwsAgentCore {
  /**
   * ARN of the agent runtime.
   */
  agentRuntimeArn: string
  /**
   * Version or endpoint of the runtime. Clients cannot select it.
   */
  qualifier?: string
}
/**
 * A TCP route of one or more gateways.
 */
export interface AttachedTcpRoute {
  /**
   * Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name, for entries that share a route name.
   */
  ruleName?: string
  precedence?: ResourcePrecedence
  /**
   * Host names, matched against the server name (SNI) of the TLS client.
   *
   * Items: Host name or pattern.
   */
  hostnames?: string[]
  policies?: TcpPolicies
  /**
   * Destinations, selected by weight.
   */
  backends?: TcpRouteBackend[]
  /**
   * Gateways, as `gateway` or `gateway/listener`, that serve this route. Default: the gateway named `default`.
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
 * A destination of a TCP route; set exactly one kind.
 */
export interface TcpRouteBackend {
  /**
   * Relative share of requests. `0` receives none.
   */
  weight?: number
  policies?: TcpPolicies
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  dynamic?: TcpDynamicBackend
  /**
   * Marks a broken reference. Connections are reset.
   */
  invalid?: null
}
/**
 * Connects to the address that an expression returns, if `allow` permits it.
 */
export interface TcpDynamicBackend {
  /**
   * Expression over `source` and `destination` that returns `host[:port]`. Default: the server name (SNI) of the TLS client. The default port is the port on which the connection arrived.
   */
  target?: string
  /**
   * Allowed destinations. By default none are.
   */
  allow?: {
    /**
     * Allowed host names, as `name`, `*.suffix` or `*`.
     *
     * Items: Host name or pattern.
     */
    hosts?: string[]
    /**
     * Allowed ports. Default: all ports.
     *
     * Items: A port.
     */
    ports?: number[]
    /**
     * Private, loopback and link-local address ranges to allow. By default all are refused.
     *
     * Items: CIDR range.
     */
    privateRanges?: string[]
  }
}
/**
 * A UDP route of one or more gateways.
 */
export interface AttachedUdpRoute {
  /**
   * Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name, for entries that share a route name.
   */
  ruleName?: string
  precedence?: ResourcePrecedence
  /**
   * Destinations, selected by weight for each session.
   */
  backends?: UdpRouteBackend[]
  /**
   * Gateways, as `gateway` or `gateway/listener`, that serve this route. Default: the gateway named `default`.
   */
  gateways?: string[] | string
}
/**
 * A destination of a UDP route; set exactly one kind.
 */
export interface UdpRouteBackend {
  /**
   * Relative share of sessions. `0` gets none.
   */
  weight?: number
  service?: ServiceReference
  /**
   * `host:port`.
   */
  host?: string
  /**
   * Backend of the section `backends` with a host, as `name` or `/name`.
   */
  backend?: string
  /**
   * Marks a broken reference. Its share of the datagrams is dropped.
   */
  invalid?: null
}
/**
 * A backend that routes and policies refer to by name; set exactly one kind.
 */
export interface NamedBackend {
  /**
   * Name.
   */
  name: string
  policies?: BackendPolicies
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  dynamic?: DynamicBackend
  /**
   * The [admin interface](admin.md#through-a-route) of this process, called without a network connection. `forward` uses path and query of the request; a fixed path, optionally with a query, is used for every request. Access control is up to the policies of the route.
   */
  internal?: string
  mcp?: McpBackend
  ai?: AiBackend
  aws?: AwsBackend
}
/**
 * A group of routes that other routes delegate to.
 */
export interface RouteGroup {
  /**
   * Name.
   */
  name: string
  /**
   * Routes of the group.
   */
  routes: Route[]
}
/**
 * An HTTP route.
 */
export interface Route {
  /**
   * Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name, for entries that share a route name.
   */
  ruleName?: string
  precedence?: ResourcePrecedence
  /**
   * Kind of route, as policies name it in their target. A GRPCRoute is selected and served as an HTTPRoute.
   */
  kind?: 'HTTPRoute' | 'GRPCRoute'
  /**
   * Host names, as `name` or `*.suffix`. Default: all hosts of the listener.
   *
   * Items: Host name or pattern.
   */
  hostnames?: string[]
  /**
   * Requests that the route serves: those that match any entry. Default: all paths.
   */
  matches?: Match[]
  /**
   * Handling of `%2F`, `%5C` and `\` in paths: `refuse` replies 400 (`reject` is an alias), `keep` forwards them. The route itself is selected by the path as received. Default: `frontendPolicies.http.path.encodedSlashes`, or the value of the route that delegates to the group.
   */
  encodedSlashes?: 'refuse' | 'keep' | 'reject'
  policies?: RoutePolicies
  /**
   * Destinations, selected by weight.
   */
  backends?: RouteBackend[]
}
/**
 * A policy attached to a resource by name.
 */
export interface TargetedPolicy {
  /**
   * Name.
   */
  name: {
    /**
     * Name of the policy.
     */
    name: string
    /**
     * Namespace.
     */
    namespace?: string
  }
  target: PolicyTarget
  precedence?: ResourcePrecedence
  /**
   * Whether inner levels, such as routes, may have the policy as well. `default`: theirs replaces it, or is added to it. `override`: theirs has no effect. For policies of gateways, listener sets and routes.
   */
  inheritance?: 'default' | 'override'
  /**
   * When the policy applies. `gateway`: before a route is selected.
   */
  phase?: 'route' | 'gateway'
  policy: AttachedPolicy
}
/**
 * Resource that the policy is attached to; set exactly one field.
 */
export interface PolicyTarget {
  gateway?: GatewayTarget
  route?: RouteTarget
  backend?: BackendTarget
  listenerSet?: ListenerSetTarget
}
/**
 * A gateway or one of its listeners.
 */
export interface GatewayTarget {
  /**
   * Gateway name.
   */
  gatewayName: string
  /**
   * Namespace.
   */
  gatewayNamespace?: string
  /**
   * Listener name. Default: all listeners.
   */
  listenerName?: string
  /**
   * Port. Default: all ports of the gateway.
   */
  port?: number
}
/**
 * A route or one of its rules.
 */
export interface RouteTarget {
  /**
   * Route name.
   */
  name: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name. Default: all rules.
   */
  ruleName?: string
  /**
   * Kind of route. Default: any.
   */
  kind?: 'HTTPRoute' | 'GRPCRoute' | 'TCPRoute' | 'TLSRoute' | 'UDPRoute'
}
/**
 * A backend or a service.
 */
export interface BackendTarget {
  /**
   * Backend of the section `backends`.
   */
  backend?: {
    /**
     * Name.
     */
    name: string
    /**
     * Namespace.
     */
    namespace?: string
    /**
     * A provider of language models, or an MCP server. Default: the whole backend.
     */
    section?: string
  }
  /**
   * Service of the section `services`.
   */
  service?: {
    /**
     * Host name.
     */
    hostname: string
    /**
     * Namespace.
     */
    namespace?: string
    /**
     * Service port. Default: all ports.
     */
    port?: number
  }
}
/**
 * A set of listeners or one of its listeners.
 */
export interface ListenerSetTarget {
  /**
   * Name of the listener set.
   */
  name: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Listener name. Default: all listeners of the set.
   */
  listenerName?: string
}
/**
 * A policy that is attached to a resource by name.
 */
export interface AttachedPolicy {
  requestHeaderModifier?: HeaderModifier
  responseHeaderModifier?: HeaderModifier
  requestRedirect?: Redirect
  urlRewrite?: Rewrite
  /**
   * Sends copies of requests to other backends.
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
  http?: UpstreamHttp
  tcp?: UpstreamTcp
  inferenceRouting?: InferenceRouting
  frontend?: AttachedFrontend
}
/**
 * Frontend policies of a gateway, of one of its ports, or of a listener. Each field replaces the same field of `frontendPolicies` and of outer levels as a whole: gateway, port, listener. `accessLog`, `tracing` and `metrics` concern the requests of the target; the others its connections, for which the listener is not known yet: they may not name one.
 */
export interface AttachedFrontend {
  http?: FrontendHttp
  tls?: FrontendTls
  /**
   * Settings of client TCP connections.
   */
  tcp?: {
    keepalives: Keepalives
  }
  /**
   * Settings of the sessions of UDP listeners.
   */
  udp?: {
    /**
     * Time without a datagram, in either direction, after which a session ends.
     */
    idleTimeout?: string
    /**
     * Maximum number of sessions of a port. Each has a socket of its own. Datagrams of further clients are dropped.
     */
    maxSessions?: number
  }
  proxyProtocol?: ProxyProtocol
  networkAuthorization?: NetworkAuthorization
  /**
   * Handling of CONNECT requests: refused with 405 (`deny`), routed like other requests (`route`), or tunnelled (`tunnel`).
   */
  connect?: {
    /**
     * Mode.
     */
    mode: 'deny' | 'route' | 'tunnel'
  }
  accessLog?: AccessLog
  tracing?: Tracing
  metrics?: FrontendMetrics
}
/**
 * HTTP settings of client connections.
 */
export interface FrontendHttp {
  /**
   * Maximum body size, in bytes, that is buffered for policies that need the whole body.
   */
  maxBufferSize?: number
  /**
   * Maximum number of request headers.
   */
  http1MaxHeaders?: number
  /**
   * Maximum size of an HTTP/1 request head, in bytes.
   */
  http1MaxHeaderSize?: number
  /**
   * Idle timeout of a connection between requests.
   */
  http1IdleTimeout?: string
  /**
   * Spelling of header names: in lower case, or as received.
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
   * Maximum frame size, in bytes.
   */
  http2FrameSize?: number
  /**
   * Maximum size of a request head, in bytes.
   */
  http2MaxHeaderSize?: number
  /**
   * Interval of HTTP/2 keepalive pings. Default: no pings.
   */
  http2KeepaliveInterval?: string
  /**
   * Timeout for the response to a ping. After it, the connection is closed. Default: the interval.
   */
  http2KeepaliveTimeout?: string
  /**
   * Maximum age of a connection. It is closed after the current request; raw TCP connections and tunnels are closed at once. Default: no limit.
   */
  maxConnectionDuration?: string
  /**
   * Timeout for receiving a request head. `0` disables it.
   */
  headersTimeout?: string
  /**
   * Timeout for receiving a request body. `0` disables it.
   */
  requestBodyTimeout?: string
  /**
   * How long a response without progress continues after an HTTP/1.1 client closed its sending side. HTTP/2 clients that do so count as disconnected.
   */
  halfCloseGrace?: string
  /**
   * Protocols accepted in `Upgrade`.
   *
   * Items: Protocol.
   */
  upgrades?: string[]
  path?: PathReading
  forwarded?: Forwarded
  /**
   * Number of agentgateways that a request may pass, this one included; more is a loop, and gets 508. They are counted in the request header `cdn-loop` (RFC 8586), which policies cannot change. Raw connections and datagrams are counted by their addresses. `0` neither counts nor adds the header.
   */
  maxHops?: number
  /**
   * Whether replies carry a `server-timing` header: `gateway` is the time spent in the gateway, `upstream` that of the upstream.
   */
  serverTiming?: boolean
}
/**
 * Path normalization before routing. The normalized path is also forwarded.
 */
export interface PathReading {
  /**
   * Whether repeated slashes are merged.
   */
  mergeSlashes?: boolean
  /**
   * Handling of `%2F`, `%5C` and `\` in paths: `refuse` replies 400 (`reject` is an alias), `keep` forwards them escaped, without the meaning of a separator. Routes may override it.
   */
  encodedSlashes?: 'refuse' | 'keep' | 'reject'
}
/**
 * Handling of `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded`. By default they are forwarded as received and not trusted.
 */
export interface Forwarded {
  /**
   * Whether the gateway appends its values to received ones or replaces them.
   */
  mode?: 'append' | 'overwrite'
  /**
   * Number of trusted proxies in front of the gateway. Their entries are used.
   */
  trustedHops?: number
}
/**
 * TLS settings of all listeners.
 */
export interface FrontendTls {
  /**
   * Timeout of a TLS handshake.
   */
  handshakeTimeout?: string
  /**
   * ALPN protocols to offer. Default: h2, http/1.1.
   *
   * Items: Protocol.
   */
  alpn?: string[]
  /**
   * The lowest TLS version. Versions before 1.2 are refused as unsafe.
   */
  minVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * The highest TLS version. Versions before 1.2 are refused as unsafe.
   */
  maxVersion?: 'TLS_V1_0' | 'TLS_V1_1' | 'TLS_V1_2' | 'TLS_V1_3'
  /**
   * Enabled cipher suites, in order of preference.
   *
   * Items: Cipher suite.
   */
  cipherSuites?: string[]
  /**
   * Enabled key exchange groups, in order of preference.
   *
   * Items: Group.
   */
  keyExchangeGroups?: ('X25519' | 'P-256' | 'P-384' | 'X25519_MLKEM768')[]
}
/**
 * PROXY protocol: reads a header at the start of connections.
 */
export interface ProxyProtocol {
  /**
   * Accepted versions.
   */
  version?: 'v1' | 'v2' | 'all'
  /**
   * `strict`: connections without the header are closed. `optional`: the header may be absent.
   */
  mode?: 'strict' | 'optional'
}
/**
 * Closes connections that the rules do not allow, before any data is read. Rules read `source` and `destination`.
 */
export interface NetworkAuthorization {
  /**
   * Authorization rules. Without rules all connections are accepted.
   */
  rules: NetworkRule[]
}
/**
 * Access log: one record per exchange.
 */
export interface AccessLog {
  /**
   * File to append to, opened again on SIGUSR2 and SIGUSR1. Default: `config.logging.file`, else standard output.
   */
  file?: string
  /**
   * Condition for exchanges to be logged. Default: all.
   */
  filter?: string
  /**
   * Fields to add or replace.
   */
  add?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Fields to remove.
   *
   * Items: Field name.
   */
  remove?: string[]
  /**
   * Which of the records that pass the filter are written: a share from 0 to 1, a boolean, or an expression that returns either. Where the expression cannot be evaluated, the record is written. Default: all.
   */
  sampling?: number | (boolean | string)
  /**
   * Whether failed exchanges are written regardless of `sampling`: those with a status of 500 or more, a gRPC status of a server error, or an incomplete response.
   */
  keepErrors?: boolean
  payloads?: PayloadLog
  otlp?: OtlpAccessLog
}
/**
 * Log of prompts and completions of language models, one record for each request in a chat format.
 */
export interface PayloadLog {
  /**
   * File to append to. Default: the destination of the access log.
   */
  file?: string
  /**
   * Condition for exchanges to be logged. Default: all.
   */
  filter?: string
  /**
   * Expression that returns what is logged of the prompt; null omits it.
   */
  prompt?: string
  /**
   * Expression that returns what is logged of the response; null omits it.
   */
  completion?: string
  /**
   * Expression that returns what is logged of the tool calls; null omits them.
   */
  toolCalls?: string
  /**
   * Patterns whose matches are masked, as by the guard `regex`, in order.
   */
  mask?: LlmRegexRule[]
  /**
   * Maximum size of prompt, completion and tool calls together, as JSON. Longer texts are cut.
   */
  maxBytes?: number
}
/**
 * Exports access logs to an OpenTelemetry collector, with rules of its own.
 */
export interface OtlpAccessLog {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Protocol of the collector. `http` sends protobuf.
   */
  protocol?: 'grpc' | 'http'
  /**
   * Path of requests over HTTP.
   */
  path?: string
  /**
   * Header fields of requests to the collector; metadata over gRPC.
   */
  headers?: {
    /**
     * Value.
     */
    [k: string]: string
  }
  /**
   * Condition for exchanges to be exported. Default: all.
   */
  filter?: string
  /**
   * Changes to the attributes.
   */
  fields?: {
    /**
     * Attributes to add or replace.
     */
    add?: {
      /**
       * Expression that returns the value.
       */
      [k: string]: string
    }
    /**
     * Attributes to remove.
     *
     * Items: Attribute name.
     */
    remove?: string[]
  }
}
/**
 * Traces of requests for an OpenTelemetry collector.
 */
export interface Tracing {
  service?: ServiceReference
  /**
   * `host:port`, a Unix socket as `unix:/path`, or a URL without path. `http://host` uses port 80; `https://host` uses port 443 and TLS with a publicly trusted certificate, unless `backendTLS` overrides it.
   */
  host?: string
  /**
   * Backend of the section `backends`, as `name` or `/name`.
   */
  backend?: string
  policies?: SimpleBackendPolicies
  /**
   * Protocol of the collector. `http` sends protobuf.
   */
  protocol?: 'grpc' | 'http'
  /**
   * Path of requests over HTTP.
   */
  path?: string
  /**
   * Header fields of requests to the collector; metadata over gRPC.
   */
  headers?: {
    /**
     * Value.
     */
    [k: string]: string
  }
  /**
   * Which requests without trace context are traced: a share from 0 to 1, a boolean, or an expression that gives one of them. Default: none, or as the variable OTEL_TRACES_SAMPLER says.
   */
  randomSampling?: string | number | boolean
  /**
   * The same for requests whose client sent a valid `traceparent`. Default: all, or as the variable OTEL_TRACES_SAMPLER says.
   */
  clientSampling?: string | number | boolean
  /**
   * Condition for traces to be exported, evaluated at the end of the request. Default: all.
   */
  filter?: string
  /**
   * Attributes of the server span to add or replace. `span.name` sets its name.
   */
  attributes?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  /**
   * Attributes of the server span to remove.
   *
   * Items: Attribute name.
   */
  remove?: string[]
  /**
   * Attributes of the resource to add or replace.
   */
  resources?: {
    /**
     * Expression that returns the value. It can read `env` only.
     */
    [k: string]: string
  }
}
/**
 * Metrics of requests and raw connections.
 */
export interface FrontendMetrics {
  /**
   * Labels to add. They replace equal ones of `config.metrics.fields.add`.
   */
  add?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
}
/**
 * Process-wide settings of client connections, HTTP, logs and traces.
 */
export interface FrontendPolicies {
  http?: FrontendHttp
  tls?: FrontendTls
  /**
   * Settings of client TCP connections.
   */
  tcp?: {
    keepalives: Keepalives
  }
  /**
   * Settings of the sessions of UDP listeners.
   */
  udp?: {
    /**
     * Time without a datagram, in either direction, after which a session ends.
     */
    idleTimeout?: string
    /**
     * Maximum number of sessions of a port. Each has a socket of its own. Datagrams of further clients are dropped.
     */
    maxSessions?: number
  }
  proxy?: ProxyProtocol
  proxyProtocol?: ProxyProtocol
  /**
   * Handling of CONNECT requests: refused with 405 (`deny`), routed like other requests (`route`), or tunnelled (`tunnel`).
   */
  connect?: {
    /**
     * Mode.
     */
    mode: 'deny' | 'route' | 'tunnel'
  }
  accessLog?: AccessLog
  logging?: AccessLog
  admission?: Admission
  networkAuthorization?: NetworkAuthorization
  tracing?: Tracing
  metrics?: FrontendMetrics
}
/**
 * Overload protection: limits above which exchanges get 503 `overloaded`.
 */
export interface Admission {
  /**
   * Maximum number of concurrent exchanges.
   */
  maxExchanges?: number
  /**
   * Event loop lag that counts as overload.
   */
  lag?: string
  /**
   * How long the lag must persist before exchanges are refused.
   */
  lagFor?: string
}
/**
 * A service, like a Kubernetes Service. Its endpoints are in `workloads`.
 */
export interface Service {
  /**
   * Name.
   */
  name: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Host name, to which workloads refer.
   */
  hostname: string
  /**
   * Service ports, each with the target port. A port for UDP is `53/udp`.
   */
  ports: {
    /**
     * Target port.
     */
    [k: string]: number
  }
  /**
   * Virtual IP addresses.
   *
   * Items: Address, optionally as `network/address`.
   */
  vips?: string[]
  /**
   * Protocols of service ports. `HTTP2` and `GRPC` use HTTP/2, without TLS by prior knowledge; `HTTP11` uses HTTP/1.1. The policy `http.version` of the backend overrides it.
   */
  appProtocols?: {
    /**
     * Protocol.
     */
    [k: string]: 'HTTP11' | 'HTTP2' | 'GRPC'
  }
  /**
   * Sends requests, connections and datagrams of one client to one endpoint.
   */
  sessionAffinity?: {
    /**
     * By the address of the client.
     */
    clientIP: {
      /**
       * Time after its last request, or the beginning of its last connection, after which a client may get another endpoint.
       */
      timeout?: string
    }
  }
  /**
   * Endpoints that are preferred while they are available: those in the zone of the gateway (environment variable `ZONE`), or on its node (`NODE_NAME`) and then in its zone. Default: none.
   */
  trafficDistribution?: 'PreferSameZone' | 'PreferSameNode'
}
/**
 * A workload: one endpoint of services.
 */
export interface Workload {
  /**
   * Unique ID.
   */
  uid: string
  /**
   * Name.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * IP addresses.
   *
   * Items: IP address.
   */
  workloadIps?: string[]
  /**
   * Health status.
   */
  status?: 'Healthy' | 'Unhealthy' | 'healthy' | 'unhealthy'
  /**
   * Share of requests in proportion to the other endpoints.
   */
  capacity?: number
  /**
   * Location.
   */
  locality?: {
    /**
     * Region.
     */
    region?: string
    /**
     * Zone.
     */
    zone?: string
    /**
     * Part of the zone.
     */
    subzone?: string
  }
  /**
   * Name of the node.
   */
  node?: string
  /**
   * The workload is shutting down: it is used only while no other endpoint of the service is healthy.
   */
  terminating?: boolean
  /**
   * Protocol.
   */
  protocol?: 'TCP' | 'HTTP' | 'HBONE'
  /**
   * Services of the workload, as `namespace/hostname`, with their ports.
   */
  services?: {
    /**
     * Service ports, each with the port of the workload.
     */
    [k: string]: {
      /**
       * Target port.
       */
      [k: string]: number
    }
  }
}
/**
 * Language models served on gateways or on a dedicated port, by a route `llm:request` in the namespace `internal`. It serves every path that no other route matches.
 */
export interface LlmSection {
  /**
   * Gateways, as `gateway` or `gateway/listener`, that serve the models. Default: the gateway named `default`, else port 4000.
   */
  gateways?: string[] | string
  /**
   * A port of its own. Give it a gateway, and name that in `gateways`.
   */
  port?: number
  tls?: ServerTls
  /**
   * Reusable providers that models refer to.
   */
  providers?: LlmProvider[]
  /**
   * Models.
   */
  models: LlmModel[]
  /**
   * Virtual models.
   */
  virtualModels?: LlmVirtualModel[]
  policies?: LlmPolicies
  guardrails?: LlmGuards
}
/**
 * A reusable provider that models refer to.
 */
export interface LlmProvider {
  /**
   * Name.
   */
  name: string
  provider: LlmModelProvider
  params?: LlmParams
  /**
   * Default settings of its models.
   */
  defaults?: {
    /**
     * Body fields to set if absent.
     */
    defaults?: {
      [k: string]: unknown
    }
    /**
     * Body fields to set, replacing existing values.
     */
    overrides?: {
      [k: string]: unknown
    }
    /**
     * Body fields to set by expression. A field whose expression fails or returns null is removed.
     */
    transformation?: {
      /**
       * Expression that returns the value.
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
 * Connection parameters of the provider.
 */
export interface LlmParams {
  /**
   * Model sent to the provider. Default: the model in the request.
   */
  model?: string
  apiKey?: SecretText
  /**
   * AWS region. Required for `bedrock`.
   */
  awsRegion?: string
  /**
   * Identifier of a guardrail of `bedrock`.
   */
  awsGuardrailIdentifier?: string
  /**
   * Version of the guardrail.
   */
  awsGuardrailVersion?: string
  /**
   * Google Cloud region. Default: `global`.
   */
  vertexRegion?: string
  /**
   * Google Cloud project ID. Required for `vertex`.
   */
  vertexProject?: string
  /**
   * Azure resource name. Required for `azure`.
   */
  azureResourceName?: string
  /**
   * Azure resource type. Required for `azure`.
   */
  azureResourceType?: 'openAI' | 'foundry' | 'aiServices'
  /**
   * Azure API version: `v1`, `preview` or a date.
   */
  azureApiVersion?: string
  /**
   * Azure project name, for `foundry`. Default: the resource name.
   */
  azureProjectName?: string
  /**
   * Base URL: scheme, host and path prefix, such as `https://api.openai.com/v1`. With `https`, the certificate must be publicly trusted unless `tls` overrides it.
   */
  baseUrl?: string
  /**
   * Host and port override. TLS is used only with `tls`. Paths are those of the client unless `pathPrefix` is set. Prefer `baseUrl`.
   */
  hostOverride?: string
  service?: ServiceReference
  /**
   * Replaces the path of every request. Prefer `baseUrl`.
   */
  pathOverride?: string
  /**
   * Replaces the leading part of the provider's paths. Prefer `baseUrl`.
   */
  pathPrefix?: string
  /**
   * Whether request tokens are counted before the call.
   */
  tokenize?: boolean
  /**
   * Timeout of one attempt until the response headers arrive. After it, the next provider is tried if there is one.
   */
  requestTimeout?: string
  /**
   * Timeout for the first token of a stream. After it, the next provider is tried if there is one.
   */
  firstTokenTimeout?: string
}
/**
 * Health of a provider.
 */
export interface Health {
  /**
   * Condition for a response to count as a failure. Default: status 5xx, no response, or a gRPC status other than 0.
   */
  unhealthyExpression?: string
  /**
   * Eviction of endpoints after failed calls.
   */
  eviction?: {
    /**
     * Base eviction time, multiplied by the number of consecutive evictions, up to 5 minutes. Default: the retry delay in the response, else 3s.
     */
    duration?: string
    /**
     * Health score after an eviction. Default: 1.
     */
    restoreHealth?: number
    /**
     * Consecutive failures that evict an endpoint. Default: 1, unless `healthThreshold` is set.
     */
    consecutiveFailures?: number
    /**
     * Health score below which an endpoint is evicted.
     */
    healthThreshold?: number
  }
}
/**
 * A model name or pattern and its provider.
 */
export interface LlmModel {
  /**
   * Identifier. Default: the name.
   */
  id?: string
  /**
   * Model name that clients request. May have `*` at its start or end.
   */
  name: string
  /**
   * Whether clients can request the model. Internal models are reachable only through virtual models.
   */
  visibility?: 'public' | 'internal'
  provider: LlmModelProvider
  params?: LlmParams
  /**
   * Handling of requests whose path has no known format; they and their responses are forwarded unchanged. `detect` extracts token usage from responses, `opaque` (default) does not.
   */
  passthrough?: 'detect' | 'opaque'
  authorization?: Authorization
  /**
   * Body fields to set if absent.
   */
  defaults?: {
    [k: string]: unknown
  }
  /**
   * Body fields to set, replacing existing values.
   */
  overrides?: {
    [k: string]: unknown
  }
  /**
   * Body fields to set by expression. A field whose expression fails or returns null is removed.
   */
  transformation?: {
    /**
     * Expression that returns the value.
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
   * Body fields to set by expression after the conversion to the format of the provider.
   */
  finalTransformation?: {
    /**
     * Expression that returns the value.
     */
    [k: string]: string
  }
  guardrails?: LlmGuards
  /**
   * Requests that the model serves: those that match any entry.
   *
   * Items: Conditions, all of which must match.
   */
  matches?: {
    /**
     * Header conditions.
     *
     * Items: A header condition.
     */
    headers?: {
      /**
       * Header name.
       */
      name: string
      value: ValueMatch
    }[]
  }[]
}
/**
 * A virtual model: a name that is routed to several models.
 */
export interface LlmVirtualModel {
  /**
   * Model name that clients request.
   */
  name: string
  routing: LlmRouting
}
/**
 * How a target model is selected; set exactly one field.
 */
export interface LlmRouting {
  /**
   * Random selection by weight.
   */
  weighted?: {
    /**
     * Target models.
     *
     * Items: A target model.
     */
    targets: {
      /**
       * Model name, as clients would request it.
       */
      model: string
      /**
       * Id of the model, in place of the first one whose name fits. Its `name` is not looked at.
       */
      id?: string
      /**
       * Relative share of requests.
       */
      weight?: number
    }[]
  }
  /**
   * Selection of the first available model by priority.
   */
  failover?: {
    /**
     * Target models.
     *
     * Items: A target model.
     */
    targets: {
      /**
       * Model name, as clients would request it.
       */
      model: string
      /**
       * Id of the model, in place of the first one whose name fits. Its `name` is not looked at.
       */
      id?: string
      /**
       * Priority; lower numbers first. Models with the same priority share the load.
       */
      priority: number
    }[]
  }
  /**
   * Selection of the first model whose condition is true.
   */
  conditional?: {
    /**
     * Target models.
     *
     * Items: A target model.
     */
    targets: {
      /**
       * Model name, as clients would request it.
       */
      model: string
      /**
       * Id of the model, in place of the first one whose name fits. Its `name` is not looked at.
       */
      id?: string
      /**
       * Condition. An entry without condition always matches and must be the last.
       */
      when?: string
    }[]
  }
}
/**
 * Policies for requests to all models.
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
 * MCP servers, served by a route `mcp` in the namespace `internal`. On gateways it serves `/mcp`, `/sse` and `/.well-known`, on a dedicated port every path.
 */
export interface McpSection {
  /**
   * MCP servers.
   */
  targets: McpTarget[]
  /**
   * `stateful`: each client session has its own sessions with the servers. `stateless`: every request is independent.
   */
  statefulMode?: 'stateful' | 'stateless'
  /**
   * Protocol revisions offered to clients, by date. Default: all. Does not limit the revisions used with servers.
   *
   * Items: Protocol revision.
   */
  protocolVersions?: ('2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28')[]
  /**
   * When names of tools and prompts are prefixed with the name of their server: with several servers (`conditional`), always, or never.
   */
  prefixMode?: 'conditional' | 'always' | 'never'
  /**
   * Maximum length of prefixed tool and prompt names; longer names are shortened. Set it below 64 for clients that add a prefix of their own.
   */
  maxNameLength?: number
  /**
   * What happens if a server fails. `failClosed`: the request fails. `failOpen`: the server is skipped.
   */
  failureMode?: 'failClosed' | 'failOpen'
  /**
   * Timeout per server for lists and initialization; slower servers are omitted. Default: no limit besides that of the client.
   */
  partialAfter?: string
  /**
   * How long a connection stays open while its response is pending, for clients that can resume (sessions of revision 2025-11-25). Set it below the timeouts of intermediaries. Default: no limit.
   */
  hangUpAfter?: string
  /**
   * Whether `Host` and `Origin` must be `localhost`, `127.0.0.1` or `[::1]`. Default: true if the gateway listens on a loopback address.
   */
  dnsRebindingProtection?: boolean
  /**
   * Gateways, as `gateway` or `gateway/listener`, that serve MCP. Default: the gateway named `default`, else port 3000.
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
   * Port. `0` selects a free port. Required unless `mode` is `internal`.
   */
  port?: number
  /**
   * IP address to listen on, or `unix:/path`. Default: all addresses.
   */
  address?: string
  /**
   * Listeners.
   */
  listeners: BindListener[]
  /**
   * Protocol that precedes the traffic of a connection.
   */
  tunnelProtocol?: 'direct' | 'hboneWaypoint' | 'hboneGateway' | 'proxy' | 'connect'
  /**
   * `internal` opens no socket; the bind is reachable only through CONNECT tunnels.
   */
  mode?: 'standard' | 'internal'
}
/**
 * A listener: host names of a bind that share a certificate, policies and routes.
 */
export interface BindListener {
  /**
   * Name. Default: `listener` and its position in the list.
   */
  name?: string
  /**
   * Namespace of the gateway.
   */
  namespace?: string
  /**
   * Name of the gateway, to which policies and metrics refer.
   */
  gatewayName?: string
  /**
   * The ListenerSet that adds the listener to the gateway, as a target of policies.
   */
  listenerSet?: {
    /**
     * Namespace.
     */
    namespace: string
    /**
     * Name.
     */
    name: string
  }
  /**
   * Host name, as `name` or `*.suffix`. Default: all hosts.
   */
  hostname?: string
  /**
   * Protocol.
   */
  protocol?: 'HTTP' | 'HTTPS' | 'TLS' | 'TCP' | 'UDP' | 'HBONE'
  tls?: ServerTls
  /**
   * HTTP routes.
   */
  routes?: Route[]
  /**
   * TCP routes.
   */
  tcpRoutes?: TcpRoute[]
  /**
   * UDP routes.
   */
  udpRoutes?: UdpRoute[]
  policies?: GatewayPolicies
}
/**
 * A TCP route.
 */
export interface TcpRoute {
  /**
   * Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name, for entries that share a route name.
   */
  ruleName?: string
  precedence?: ResourcePrecedence
  /**
   * Host names, matched against the server name (SNI) of the TLS client.
   *
   * Items: Host name or pattern.
   */
  hostnames?: string[]
  policies?: TcpPolicies
  /**
   * Destinations, selected by weight.
   */
  backends?: TcpRouteBackend[]
}
/**
 * A UDP route. The first one of a listener gets all of its datagrams.
 */
export interface UdpRoute {
  /**
   * Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.
   */
  name?: string
  /**
   * Namespace.
   */
  namespace?: string
  /**
   * Rule name, for entries that share a route name.
   */
  ruleName?: string
  precedence?: ResourcePrecedence
  /**
   * Destinations, selected by weight for each session.
   */
  backends?: UdpRouteBackend[]
}
/**
 * Policies for all requests of a listener, applied before a route is selected.
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
